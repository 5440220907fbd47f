"""Hospitals, employers, schools, insurers and landmarks: by head word, by well-known name, by field, and by the words before them."""

import re
from collections.abc import Iterator
from functools import cache

from incognote.document import Span
from incognote.lexicon import word_list, word_rows
from incognote.rules.employers import find_employers
from incognote.rules.guard import is_clinical
from incognote.rules.reading import Reading, read
from incognote.rules.tokens import Gazetteer, Tokens, gazetteer, is_common, make_gazetteer, read_tokens

_LINKS = frozenset("of the and & for de la del y".split())
_INNER = re.compile(r" |  | & |\. |[ \t]?\n[ \t]{0,4}")
_ACRONYM = re.compile(r"\s?\((?P<phi>[A-Z]{3,6})\)")
_WARDS = frozenset("ICU CCU MICU SICU NICU PICU PACU".split())
_SAINT = re.compile(
    r"\b(?:St\.?|Saint|ST\.?|SAINT)[ \t](?P<name>[A-Z][A-Za-z]+)(?:['’][sS]|(?<=s)['’])(?![ \t](?:[Ww]ort|[Dd]ay|[Ff]ire)\b)"
)
_VETERANS = re.compile(r"\b(?:at|to|from|through|by|with)[ \t]the[ \t](?P<phi>VA|VAMC)\b(?!-)")
# Bodies of medicine that notes cite; they say nothing about the patient.
_PUBLIC = re.compile(r"(?:american|national|international|world|european|canadian|british|u\.s|united states|federal)\b")
# Endings of the names of specialties, which make no name of the clinic after them.
_SPECIALTY = ("ology", "iatry", "iatric", "iatrics", "surgery", "surgical", "therapy", "care", "metry", "ostomy")
_TITLES = frozenset("dr drs doctor mr mrs ms miss prof professor".split())


def find_organizations(text: str | Reading) -> Iterator[Span]:
    """Hospitals (and clinics, practices, nursing homes), organizations and other places of the text.

    >>> [(span.label, span.start, span.end) for span in find_organizations("Seen at Harrow Heart Clinic; retired from Delta Freight.")]
    [('HOSPITAL', 8, 27), ('ORGANIZATION', 42, 55)]
    """
    reading = read(text)
    found = [*_find_headed(reading.tokens), *_find_known(reading.tokens), *_find_veterans(reading.tokens)]
    yield from found
    yield from _find_acronyms(reading.text, found)
    yield from find_employers(reading)
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


def _find_headed(tokens: Tokens) -> Iterator[Span]:
    heads = _heads()
    for last in [at for at, key in enumerate(tokens.keys) if key in heads]:
        if not tokens.is_capital(last):
            continue
        key = tokens.keys[last]
        head = max((words for words in heads[key] if tokens.keys[max(0, last - len(words) + 1) : last + 1] == words), key=len, default=None)
        if head is None:
            continue
        label, weak = heads[key][head]
        first = _read_left(tokens, last - len(head) + 1)
        end = _read_right(tokens, last)
        names = [*range(first, last - len(head) + 1), *range(last + 1, end + 1)]
        if _is_named(tokens, names, weak=weak and not _is_institution(tokens, last, end)) and not _is_public(tokens, first, head):
            yield Span(tokens.starts[first], tokens.ends[end], label, 0.85, "rules.organization.head")


def _is_institution(tokens: Tokens, last: int, end: int) -> bool:
    return end > last and tokens.keys[last] in ("institute", "bank", "temple", "school")


def _is_public(tokens: Tokens, first: int, head: tuple[str, ...]) -> bool:
    return head[-1] in ("association", "society", "college", "institute", "foundation", "agency") and bool(
        _PUBLIC.match(tokens.keys[first])
    )


def _read_left(tokens: Tokens, head: int) -> int:
    """The first word of the name that ends just before ``head``: capitalised words and the links between them."""
    at = first = head
    while at > 0 and head - at < 6 and _joins(tokens, at - 1):
        at -= 1
        key = tokens.keys[at]
        if key in _LINKS:
            continue
        lead = key in word_list("lead-words") or (tokens.shouts(at) and is_common(key) and key not in word_list("place-adjectives"))
        if not tokens.is_capital(at) or not key[-1].isalpha() or (lead and key not in word_list("place-adjectives")):
            break
        first = at
    if first > 0 and tokens.keys[first - 1] in _TITLES:
        return head
    return first


def _joins(tokens: Tokens, at: int) -> bool:
    gap = tokens.gap(at)
    if gap[:1] == ".":
        return tokens.keys[at] in ("st", "mt", "ft") and gap == ". "
    return gap == " " or (bool(_INNER.fullmatch(gap)) and ("\n" not in gap or tokens.wraps(at)))


def _read_right(tokens: Tokens, head: int) -> int:
    """The last word of the name: University of New Mexico, Hospital for Special Surgery."""
    at = end = head
    linked = False
    while at + 1 < len(tokens) and at - head < 5 and tokens.gap(at) == " ":
        at += 1
        if tokens.keys[at] in ("of", "for", "the", "at") and (linked or tokens.keys[at] in ("of", "for")):
            linked = True
        elif linked and tokens.is_capital(at) and not tokens.shouts(at) and tokens.keys[at] not in word_list("lead-words"):
            end = at
        else:
            break
    return end


def _is_named(tokens: Tokens, names: list[int], *, weak: bool) -> bool:
    """Whether one of the words is a name, or, before a strong head, a word that names are made of."""
    for at in names:
        key = tokens.keys[at]
        if key in _LINKS or key.endswith(_SPECIALTY) or key in word_list("demonyms"):
            continue
        if not weak and key in word_list("place-adjectives"):
            return True
        acronym = tokens.is_upper(at) and not tokens.shouts(at) and len(key) <= 5
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
    labels = {" ".join(read_tokens(row[0]).keys): (row[1], len(row) > 2) for row in word_rows("known-bodies")}
    return make_gazetteer(labels), labels


def _find_known(tokens: Tokens) -> Iterator[Span]:
    known, labels = _known()
    for at in known.starts(tokens):
        if tokens.is_capital(at) and (length := known.match(tokens, at)):
            label, cued = labels[" ".join(tokens.keys[at : at + length])]
            if not cued or tokens.left(at, 1) in ("at", "from", "to", "by", "for", "with"):
                yield Span(tokens.starts[at], tokens.ends[at + length - 1], label, 0.8, "rules.organization.known")


def _find_veterans(tokens: Tokens) -> Iterator[Span]:
    """The hospitals of the Department of Veterans Affairs, named by their city: VA Boston."""
    for at in [at for at, key in enumerate(tokens.keys) if key == "va"]:
        if tokens.word(at) == "VA" and at + 1 < len(tokens) and tokens.close(at) and tokens.is_capital(at + 1):
            length = gazetteer("cities-us", "cities-world").match(tokens, at + 1)
            if length and not is_common(tokens.keys[at + 1]) and not tokens.shouts(at):
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
