"""Hospitals, employers, schools, insurers and landmarks: by head word, by well-known name, by field, and by the words before them."""

import re
from collections.abc import Iterator
from functools import cache

from incognote.document import Span
from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.engine.tokens import Gazetteer, Tokens, cities, is_common, make_gazetteer, read_tokens
from incognote.find.rules.organizations.employers import find_employers
from incognote.find.rules.organizations.landmarks import find_landmarks, find_sure_landmarks
from incognote.find.rules.organizations.letterheads import find_letterheads
from incognote.find.rules.organizations.venues import find_venues
from incognote.lexicon import word_list, word_rows
from incognote.lexicon.clinical_terms import is_clinical
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import is_name, is_never_name

_LINKS = frozenset("of the and & for de la del y".split())
_INNER = lazy(r" | & |\. |[ \t]?\n[ \t]{0,4}")
_FIELD = lazy(r"[A-Z][\w ]{1,24}:")
_ACRONYM = lazy(r"\s?\((?P<phi>[A-Z]{3,6})\)")
# Words that lead to a name when they stand before it, and belong to it when a name stands before them.
_WITHIN = frozenset("hospital clinic medical school family surgical pharmacy social public primary services service".split())
# What may follow the name: its form in law, the number of a shop, the town of a branch.
_FORM = lazy(r",? (?:Inc|LLC|Ltd|P\.?C|PLLC|LLP|Co|Corp|N\.A)\b\.?|,? (?:#|[Nn]o\. ?)\d{2,5}\b|(?<=harmacy) \d{2}-\d{4}\b")
_BRANCH = lazy(r" [-–] (?P<town>[A-Z][a-z]+(?: [A-Z][a-z]+)?)\b")
_WARDS = frozenset("ICU CCU MICU SICU NICU PICU PACU".split())
_SAINT = lazy(r"\b(?:St\.?|Saint|ST\.?|SAINT)[ \t](?P<name>[A-Z][A-Za-z]+)(?:['’][sS]|(?<=s)['’])(?![ \t](?:[Ww]ort|[Dd]ay|[Ff]ire)\b)")
_VETERANS = lazy(r"\b(?:at|to|from|through|by|with)[ \t]the[ \t](?P<phi>VA|VAMC)\b(?!-)")
# Bodies of medicine that notes cite; they say nothing about the patient.
_PUBLIC = lazy(r"(?:american|national|international|world|european|canadian|british|u\.s|united states|federal)\b")
# Endings of the names of specialties, which make no name of the clinic after them.
_SPECIALTY = ("ology", "iatry", "iatric", "iatrics", "surgery", "surgical", "therapy", "care", "metry", "ostomy", "etrics")
_FORM_WORDS = frozenset("dept certification authorization notification verification".split())
# What a body is to the patient, before its name.
_FIELD_NAMES = frozenset("ins supplier ambulance drugstore insurer vendor".split())
# Participles that names are made of.
_PARTICIPLES = frozenset("united allied sacred kindred associated advanced integrated blessed combined federated consolidated".split())
# "Penn State 1,702", "Mayo risk 38%", "Johns Hopkins tool": what is reckoned by a method of that name.
_METHOD = lazy(
    r"(?: (?:tool|score|risk|criteria|calc\w*|equation|formula|scale|model|index))\b| \d,\d{3}\b| n/a\b| \d{4}(?=[.;,])"
    # A carrier before the number of a parcel.
    r"| \d{4} \d{4} \d{4}\b"
)
_SHARE = lazy(r" \d{1,2}%")
_TO_KNOWN = frozenset("at from to by for with via through".split())
_TITLES = frozenset("dr drs doctor mr mrs ms miss prof professor father fr rev reverend pastor rabbi imam".split())


def find_organizations(reading: Reading) -> Iterator[Span]:
    """Hospitals (and clinics, practices, nursing homes), organizations and other places of the text.

    >>> text = "Seen at Harrow Heart Clinic; retired from Norcraft Freight."
    >>> sorted({(span.label, text[span.start : span.end]) for span in find_organizations(Reading(text))})
    [('HOSPITAL', 'Harrow Heart Clinic'), ('ORGANIZATION', 'Norcraft Freight')]
    """
    found = [*_find_headed(reading.tokens), *_find_known(reading.tokens), *_find_veterans(reading.tokens)]
    yield from found
    yield from _find_acronyms(reading.text, found)
    yield from find_employers(reading)
    yield from find_venues(reading.tokens)
    yield from find_landmarks(reading)
    yield from find_sure_landmarks(reading)
    yield from find_letterheads(reading)
    for match in reading.matches(_SAINT, ("st", "saint")):
        yield Span(*match.span(), "HOSPITAL", 0.7, "rules.organization.saint")
    for match in reading.matches(_VETERANS, ("at", "to", "from", "through", "by", "with")):
        yield Span(*match.span("phi"), "HOSPITAL", 0.7, "rules.organization.veterans")


@cache
def _heads() -> dict[str, dict[tuple[str, ...], tuple[str, bool]]]:
    """For each last word of a head: the words of the head, its label, and whether it is weak."""
    heads: dict[str, dict[tuple[str, ...], tuple[str, bool]]] = {}
    for phrase, label, *weak in word_rows("place-heads"):
        words = tuple(phrase.split())
        heads.setdefault(words[-1], {})[words] = label, bool(weak)
    return heads


@cache
def _head_ends() -> frozenset[str]:
    return frozenset(_heads())


def _find_headed(tokens: Tokens) -> Iterator[Span]:
    heads = _heads()
    for last in tokens.find(_head_ends()):
        if not tokens.is_capital(last):
            continue
        key = tokens.keys[last]
        head = max((words for words in heads[key] if tokens.keys[max(0, last - len(words) + 1) : last + 1] == words), key=len, default=None)
        if head is None:
            continue
        label, weak = heads[key][head]
        first = _read_left(tokens, last - len(head) + 1)
        end = _read_right(tokens, last) if head != ("estate",) else last
        names = [*range(first, last - len(head) + 1), *range(last + 1, end + 1)]
        if _is_named(tokens, names, weak=weak and not _is_institution(tokens, last, end)) and not _is_public(tokens, first, head):
            yield Span(tokens.starts[_take_article(tokens, first)], _read_form(tokens, end, label), label, 0.85, "rules.organization.head")


def _take_article(tokens: Tokens, first: int) -> int:
    """A capitalised article inside a sentence is part of the name: at The Limes Surgery."""
    return first - 1 if first > 1 and tokens.word(first - 1) == "The" and tokens.gap(first - 1) == " " == tokens.gap(first - 2) else first


def _read_form(tokens: Tokens, last: int, label: str) -> int:
    """Where the name ends with what follows its head: its form in law, its number, its town."""
    end = tokens.ends[last]
    if form := _FORM.match(tokens.text, end):
        return form.end()
    branch = _BRANCH.match(tokens.text, end) if label == "HOSPITAL" else None
    if branch is None or (word := branch["town"].split()[0].casefold()).endswith(_SPECIALTY) or is_common(word):
        return end
    return branch.end()


def _is_institution(tokens: Tokens, last: int, end: int) -> bool:
    return end > last and tokens.keys[last] in ("institute", "bank", "temple", "school")


def _is_public(tokens: Tokens, first: int, head: tuple[str, ...]) -> bool:
    return head[-1] in ("association", "society", "college", "institute", "foundation", "agency", "network", "board", "academy") and bool(
        _PUBLIC.match(tokens.keys[first])
    )


def _read_left(tokens: Tokens, head: int) -> int:
    """The first word of the name that ends just before ``head``: capitalised words and the links between them."""
    at = first = head
    while at > 0 and head - at < 6 and _joins(tokens, at - 1):
        at -= 1
        key = tokens.keys[at]
        if key in _LINKS or (key in _WITHIN and tokens.is_capital(at) and not tokens.in_capitals(at)):
            continue
        if tokens.is_upper(at) and not tokens.in_capitals(at) and key in word_list("capital-words") and key != "va" and len(key) < 5:
            break
        lead = key in word_list("lead-words") or (tokens.in_capitals(at) and is_common(key) and key not in word_list("place-adjectives"))
        if not tokens.is_capital(at) or not key[-1].isalpha() or (lead and key not in word_list("place-adjectives")):
            break
        first = at
    if first < head - 1 and _opens_sentence(tokens, first):
        first += 1
    if first > 0 and tokens.keys[first - 1] in _TITLES:
        return head
    return _past_person(tokens, first, head)


def _opens_sentence(tokens: Tokens, first: int) -> bool:
    """Whether a verb opens a sentence here (``Conveyed Cupit Hospital``), or the end of an abbreviation stands (``F/U Compassion``)."""
    key, start = tokens.keys[first], tokens.starts[first]
    if (tokens.text[start - 1 : start] == "/" and len(key) < 3) or key in _FIELD_NAMES:
        return True
    opens = start == 0 or bool(re.search(r"[.!?:]\s+$|\n\s*$", tokens.text[max(0, start - 4) : start]))
    return opens and key.endswith("ed") and len(key) > 5 and key not in word_list("place-adjectives") and key not in _PARTICIPLES


def _past_person(tokens: Tokens, first: int, head: int) -> int:
    """Past a person of a body: ``Coach Rodeffer of Wild Rose PD``, ``Flores of Girard PD``."""
    of = next((at for at in range(first, head) if tokens.keys[at] == "of"), first)
    words = [tokens.word(at) for at in range(first, of)]
    named = 0 < len(words) < 4 and all(is_name(word) or is_never_name(word) for word in words) and is_name(words[-1])
    titled = first > 0 and (is_never_name(tokens.word(first - 1)) or tokens.gap(first - 1) == ". ")
    return of + 1 if named and (len(words) > 1 or titled) else first


def _joins(tokens: Tokens, at: int) -> bool:
    gap = tokens.gap(at)
    if gap[:1] == ".":
        return tokens.keys[at] in ("st", "mt", "ft") and gap == ". "
    if gap == " ":
        return True
    if not _INNER.fullmatch(gap) or "\n" not in gap:
        return bool(_INNER.fullmatch(gap))
    # A heading in capitals, or a field: "GASTROINTESTINAL ONCOLOGY / University Hospital", "Monroe / Transport: ground".
    alike = tokens.is_upper(at) == tokens.is_upper(at + 1)
    return tokens.wraps(at) and alike and not _FIELD.match(tokens.text, tokens.starts[at + 1])


def _read_right(tokens: Tokens, head: int) -> int:
    """The last word of the name: University of New Mexico, Hospital for Special Surgery."""
    at = end = head
    linked = False
    while at + 1 < len(tokens) and at - head < 5 and tokens.gap(at) == " ":
        at += 1
        # "Medical Center for Keary Leder": a person, no part of the name.
        if tokens.keys[at] == "for" and at + 2 < len(tokens) and is_name(tokens.word(at + 1)) and tokens.is_capital(at + 2):
            break
        if tokens.keys[at] in ("of", "for", "the", "at") and (linked or tokens.keys[at] in ("of", "for")):
            linked = True
        elif linked and tokens.is_capital(at) and not tokens.in_capitals(at) and tokens.keys[at] not in word_list("lead-words"):
            end = at
        else:
            break
    return end


def _is_named(tokens: Tokens, names: list[int], *, weak: bool) -> bool:
    """Whether one of the words is a name, or, before a strong head, a word that names are made of."""
    for at in names:
        key = tokens.keys[at]
        if (
            key in _LINKS
            or key in _FORM_WORDS
            or len(key) < 2
            or key.endswith(_SPECIALTY)
            or key in word_list("demonyms")
            or key in word_list("capital-words")
        ):
            continue
        if not weak and key in word_list("place-adjectives"):
            return True
        acronym = tokens.is_upper(at) and not tokens.in_capitals(at) and len(key) <= 5
        if (
            tokens.is_capital(at)
            and not is_common(key)
            and not (weak and acronym)
            and not is_clinical(tokens.text, tokens.starts[at], tokens.ends[at])
        ):
            return True
    return False


@cache
def _known() -> tuple[Gazetteer, dict[str, tuple[str, bool]]]:
    labels = {" ".join(read_tokens(row[0]).keys): (row[1], "cue" in row[2:]) for row in word_rows("known-bodies")}
    return make_gazetteer(labels), labels


def _find_known(tokens: Tokens) -> Iterator[Span]:
    known, labels = _known()
    for at in known.starts(tokens):
        if (tokens.is_capital(at) or (at > 0 and tokens.keys[at - 1] in _TO_KNOWN)) and (length := known.match(tokens, at)):
            if not tokens.is_capital(at) and length == 1 and is_common(tokens.keys[at]):
                continue
            label, cued = labels[" ".join(tokens.keys[at : at + length])]
            end = tokens.ends[at + length - 1]
            # An insurer pays 50%; a hospital with a share is a method.
            if _METHOD.match(tokens.text, end) or (label == "HOSPITAL" and _SHARE.match(tokens.text, end)):
                continue
            if not cued or tokens.left(at, 1) in _TO_KNOWN or tokens.text[max(0, tokens.starts[at] - 3) : tokens.starts[at]] == "w/ ":
                yield Span(tokens.starts[at], tokens.ends[at + length - 1], label, 0.8, "rules.organization.known")


def _find_veterans(tokens: Tokens) -> Iterator[Span]:
    """The hospitals of the Department of Veterans Affairs, named by their city: VA Boston."""
    for at in tokens.index.get("va", ()):
        if tokens.word(at) == "VA" and at + 1 < len(tokens) and tokens.close(at) and tokens.is_capital(at + 1):
            length = cities().match(tokens, at + 1)
            # VA OD 20/40 is what the right eye sees.
            if length and len(tokens.keys[at + 1]) > 2 and not is_common(tokens.keys[at + 1]) and not tokens.in_capitals(at):
                yield Span(tokens.starts[at], tokens.ends[at + length], "HOSPITAL", 0.7, "rules.organization.veterans")


def _find_acronyms(text: str, spans: list[Span]) -> Iterator[Span]:
    """The short form given in brackets after a full name, wherever it stands in the text."""
    short: dict[str, str] = {}
    for span in spans:
        match = _ACRONYM.match(text, span.end)
        if match and match["phi"] not in _WARDS and match["phi"][0] == text[span.start].upper():
            short.setdefault(match["phi"], span.label)
    if short:
        for match in re.finditer(rf"\b(?:{'|'.join(short)})\b", text):
            yield Span(*match.span(), short[match[0]], 0.8, "rules.organization.acronym")
