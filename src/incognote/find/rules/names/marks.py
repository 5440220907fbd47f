"""Names by the marks around them: quotes, brackets, a couple's "and", a dash or thanks before a signature, initials before a degree."""

import re
from collections.abc import Iterator

from incognote.document import Span
from incognote.find.rules.engine.reading import INNER, SHORT, Reading
from incognote.find.rules.names.shape import CAPITALISED, name_before, read_name, words_of
from incognote.lexicon.clinical_terms import is_clinical, opens_term
from incognote.lexicon.degrees import BEDSIDE_DEGREES, DEGREE
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import (
    is_capital_word,
    is_city,
    is_city_word,
    is_common,
    is_foreign_to_names,
    is_frequent_given,
    is_given,
    is_name,
    is_never_name,
    is_surname,
)

SOURCE = "rules.name.mark"

_QUOTED = lazy(rf"[\"“](?P<name>{CAPITALISED}(?: {CAPITALISED})?)[\"”]")
_NICKNAMED = lazy(
    r"\b(?:a\.?k\.?a\.?|alias|nickname:?|called|goes by|known as|ice|cellie|cellmate|bf|gf|boyfriend|girlfriend|rep|twin "
    r"\w|acquaintance|friend|"
    r"tattoo|named|roommate)[ \t]*$|[^\W\d_][ \t]?\($",
    re.IGNORECASE,
)
_COUPLE = lazy(rf"(?P<one>{CAPITALISED}) (?:and|&) (?P<other>{CAPITALISED}) (?P<family>{CAPITALISED})")
_NAME_LEFT = lazy(r"[A-Z][\w'’-]+ $")
_BRACKETED = lazy(r"\((?P<one>[A-Z][a-zà-ÿ]+(?:-[A-Z][a-z]+)?)(?:/(?P<other>[A-Z][a-zà-ÿ]+(?:-[A-Z][a-z]+)?))?\)")
# A service or a grade in brackets after the one who has it.
_SERVICE = lazy(
    r" \((?:path|pathology|neuro\w*|ir|nir|rad ?onc|med ?onc|surg ?onc|onc|pall\w*(?: care)?|cards|cardiology|id|gi|renal|"
    r"nephro\w*|heme\w*|ent|ortho\w*|"
    r"plastics|anesth\w*|anaesth\w*|ed|em|peds|psych\w*|pt|ot|sw|cm|pharm\w*|nutrition|st[1-8]|fy[12]|f[12]|sho|reg|registrar|consultant|cpn|rn|np|pa|md|"
    r"resident|fellow|attending|intern|pgy-?\d|support worker|social worker|nurse|care co\w*|case manager|chaplain|"
    r"interpreter|surgery|vascular|urology|icu|"
    r"picu|nicu|ob|gyn|derm|endo|rheum|pulm|hospitalist|np student|med student|ms[34])\b[^()\n]{0,40}\)",
    re.IGNORECASE,
)
_GRADED = lazy(rf"(?:F[12]|FY[12]|ST[1-8]|CT[1-3]|PGY-?\d) (?P<name>{CAPITALISED})(?= ?(?:[\d,;.)]|bleep|pager|$))", re.MULTILINE)
_THANKS = lazy(r"(?i:thanks|thank you|thx|tx|cheers|best|regards|many thanks|ta)\b[,.!]{0,2}(?:[ ]|[ ]?\n[ ]{0,4})[-–—~]?(?=[A-Z])")
_THANKS_STARTS = ("thanks", "thank", "thx", "tx", "cheers", "best", "regards", "many", "ta")
_DASH = lazy(r"[-–—~][ ]?(?=[A-Z])")
_SIGN_END = lazy(rf"[ ]?(?:$|[,.;]|x\d|\n|{DEGREE}|SW\b)", re.MULTILINE)
_INITIALS = lazy(r"(?<![\w./-])(?P<name>[A-Z]{2,3}),? $")
_SMALL_INITIALS = lazy(r"(?:^|[.!#] |\n[ ]*)(?P<name>[a-z]{2,3}|[a-z] (?P<family>[a-z]{4,})) $")
_TITLED_NEXT = lazy(r"[A-Za-z-]{2,6} (?P<name>[A-Z][a-z]+)\b")
_LINE_END = lazy(r"\w+\.?[ ]*(?:$|\n)")
_BY_INITIALS = lazy(r"(?:by|upd|updated|per|sig|initials?|init)[.:]?[ ](?P<name>[A-Z]{2,3})[ ]?$", re.MULTILINE)
# The one who took the vital signs, in the last cell of a row that opens with a time.
_ROW_INITIALS = lazy(r"^[ \t|]*\d{1,2}:?\d\d[ \t]*\|[^\n]*\|[ \t]*(?P<name>[A-Z]{2,3})[ \t|]*$", re.MULTILINE)
# After these a person stands, known to the lists or not.
_AWAITED = lazy(
    rf"(?:1:1[ ](?:with|w/)|asked[ ]for|asking[ ]for|d/w|s/w|signed[ ]out[ ]to|same[ ]leg)[ ]?[ ](?P<name>{CAPITALISED})"
    r"(?=[.,;)\n]|$|[ ](?:fixed|at|on|who|re|and|about|by)\b)",
    re.MULTILINE,
)
_TURNED = lazy(rf"(?P<name>{CAPITALISED})[ ](?:just[ ])?(?:turned|turns|will[ ]turn)[ ]\d{{1,3}}\b")
# Children and their ages: "Ezra 6 + Temi 3".
_AGED_PAIR = lazy(
    r"(?P<one>[A-Z][a-zà-ÿ]+) \d{1,2} (?:\+|&|and) (?P<other>[A-Z][a-zà-ÿ]+) \d{1,2}(?![\d/%:.]|[ ]?(?:mg|ml|mcg|g|units?)\b)(?=[\s,;)]|$)"
)
_LAST_LINE = lazy(r"(?P<name>[A-Z]\. ?(?P<family>[A-Z][\w'’-]{3,}))[ \t]*$", re.MULTILINE)
_CLOSES = lazy(r"(?:^|\n[ ]*|[.!?)] )$")


def find_marked(reading: Reading) -> Iterator[Span]:
    """Names by quotes, brackets, couples and the ways of signing.

    >>> text = 'Pam & Bob Kittredge; rep "Shonda"; (Sandhu/Weems). -Mel, x12'
    >>> [text[span.start : span.end] for span in find_marked(Reading(text))]
    ['Pam & Bob Kittredge', 'Shonda', 'Sandhu', 'Weems', 'Mel']
    """
    yield from _find_couples(reading)
    yield from _find_quoted(reading.text)
    yield from _find_bracketed(reading.text)
    yield from _find_signed(reading)
    yield from _find_initials(reading)
    yield from _find_awaited(reading)
    for match in reading.matches_at(_AGED_PAIR, reading.pairs):
        pair = (match["one"], match["other"])
        if any(map(is_given, pair)) and not any(map(_is_other, pair)):
            yield Span(*match.span("one"), "PATIENT", 0.7, SOURCE)
            yield Span(*match.span("other"), "PATIENT", 0.7, SOURCE)


def _is_other(word: str) -> bool:
    return is_common(word) or is_capital_word(word) or is_foreign_to_names(word) or is_never_name(word) or opens_term(word)


def _find_awaited(reading: Reading) -> Iterator[Span]:
    """``1:1 with Regla``, ``asked for Grisel``, ``Irungu turned 63``: whatever stands there with a capital and is no word is a person."""
    text = reading.text
    turned = reading.starts(("turned", "turns"))
    named = [max(text.rfind(" ", 0, at - 1), text.rfind("\n", 0, at - 1)) + 1 for at in turned]
    starts = (SHORT, INNER, "asked", "asking", "d", "s", "signed", "same")
    for match, label in (
        *((match, "DOCTOR") for match in reading.matches(_AWAITED, starts)),
        *((match, "PATIENT") for match in reading.matches_at(_TURNED, named)),
    ):
        word = match["name"]
        plain = (
            is_never_name(word) or is_capital_word(word) or is_foreign_to_names(word) or (is_common(word) and not is_frequent_given(word))
        )
        if not plain and not is_clinical(text, *match.span("name")):
            yield Span(*match.span("name"), label, 0.6, SOURCE)


def _find_couples(reading: Reading) -> Iterator[Span]:
    text = reading.text
    ands = [place - 1 for place in reading.starts(("and",)) if text[place + 4 : place + 5].isupper()]
    ands += [match.start() for match in re.finditer(r" & (?=[A-Z])", text)] if " & " in text else []
    for place in ands:
        match = _COUPLE.match(text, max(floor := max(0, place - 40), text.rfind(" ", floor, place) + 1, text.rfind("\n", floor, place) + 1))
        led = match and _NAME_LEFT.search(text, max(0, match.start() - 24), match.start())
        if match and match.end("one") == place and not led and _is_couple(match):
            yield Span(*match.span(), "PATIENT", 0.7, SOURCE)


def _is_couple(match: re.Match[str]) -> bool:
    frequent = is_frequent_given(match["one"]) or is_frequent_given(match["other"])
    given = all(is_given(match[part]) and not is_never_name(match[part]) and not is_common(match[part]) for part in ("one", "other"))
    return (
        (given or (is_frequent_given(match["one"]) and is_frequent_given(match["other"])))
        and frequent
        and not is_common(match["family"])
        and not is_capital_word(match["family"])
        and not match[0].isupper()
    )


def _find_quoted(text: str) -> Iterator[Span]:
    for match in _QUOTED.finditer(text) if '"' in text or "“" in text else ():
        words = match["name"].split()
        cued = _NICKNAMED.search(text, max(0, match.start() - 24), match.start())
        known = is_given(words[0]) or (is_name(words[0]) and len(words) == 1)
        if is_never_name(words[0]) or is_capital_word(words[0]) or is_clinical(text, *match.span("name")):
            continue
        if (known and not is_common(words[0])) or (cued and (known or len(words) == 1)):
            yield Span(*match.span("name"), "PATIENT", 0.6, SOURCE)


def _find_bracketed(text: str) -> Iterator[Span]:
    """One name alone in brackets, or before brackets that hold a service."""
    at = text.find("(")
    while at >= 0:
        if match := _BRACKETED.match(text, at):
            yield from _read_bracket(match)
        elif at > 1 and text[at - 1] == " " and text[at - 2].isalpha() and _SERVICE.match(text, at - 1):
            yield from _read_holder(text, at - 1)
        at = text.find("(", at + 1)


def _read_bracket(match: re.Match[str]) -> Iterator[Span]:
    for part in ("one", "other"):
        word = match[part]
        if not word or not is_name(word) or is_capital_word(word) or is_foreign_to_names(word) or is_city_word(word):
            continue
        if not is_clinical(match.string, *match.span(part)):
            yield Span(*match.span(part), "PATIENT" if is_frequent_given(word) else "DOCTOR", 0.55, SOURCE)


def _read_holder(text: str, end: int) -> Iterator[Span]:
    found = name_before(text, end)
    if found is None or is_city(text[slice(*found)]) or text[slice(*found)].isupper() or is_clinical(text, *found):
        return
    words = words_of(text, found)
    plain = any(is_never_name(word) or is_capital_word(word) or is_common(word) for word in words)
    if not plain and any(is_name(word) for word in words):
        yield Span(*found, "DOCTOR", 0.65, SOURCE)


def _find_signed(reading: Reading) -> Iterator[Span]:
    text = reading.text
    dashes = [match for at in reading.capitals if (match := _DASH.match(text, _before_dash(text, at))) and match.end() == at]
    for match in (*reading.matches(_THANKS, _THANKS_STARTS), *dashes):
        found = read_name(text, match.end())
        if found is None or not _SIGN_END.match(text, found[1]):
            continue
        words = words_of(text, found)
        if words[0].isupper() and is_capital_word(words[0]):
            continue
        if is_given(words[0]) and not is_common(words[0]) and not is_clinical(text, *found) and not is_foreign_to_names(words[0]):
            yield Span(*found, "DOCTOR", 0.65, SOURCE)
    for match in reading.matches_at(_LAST_LINE, [at for at in reading.capitals if text[at + 1 : at + 2] == "."]):
        family = match["family"]
        closes = _CLOSES.search(text, max(0, match.start() - 12), match.start())
        if (
            closes
            and not is_common(family)
            and not is_capital_word(family)
            and is_surname(family)
            and not is_clinical(text, *match.span("name"))
        ):
            yield Span(*match.span("name"), "DOCTOR", 0.6, SOURCE)
    for match in reading.matches(_GRADED, ("f", "fy", "st", "ct", "pgy")):
        short = match["name"].isupper() and len(match["name"]) < 4
        if is_name(match["name"]) and not is_capital_word(match["name"]) and not short:
            yield Span(*match.span("name"), "DOCTOR", 0.65, SOURCE)


def _before_dash(text: str, at: int) -> int:
    """Where a dash that stands free before the word starts; the word itself where none does."""
    start = at - 2 if text[at - 1 : at] == " " else at - 1
    return start if start > 0 and text[start] in "-–—~" and text[start - 1] in " \n-–" else at


def _find_initials(reading: Reading) -> Iterator[Span]:
    """``JM RN``, ``kc md`` at the end of a line, ``m ferrante md``, ``upd by HB``."""
    text = reading.text
    for place in reading.starts(BEDSIDE_DEGREES):
        small = text[place].islower()
        match = (_SMALL_INITIALS if small else _INITIALS).search(text, max(0, place - 24), place)
        if match is None or (small and not match["family"] and not _LINE_END.match(text, place)):
            continue
        # "EI OT Maria", "HTC RN Lincoln": the degree is the title of the one who follows.
        if not small and (titled := _TITLED_NEXT.match(text, place)) and is_name(titled["name"]):
            continue
        family = match["family"] if small else None
        if family and is_surname(family) and not is_common(family):
            yield Span(*match.span("name"), "DOCTOR", 0.65, SOURCE)
        elif not family and _are_initials(match["name"]):
            yield Span(*match.span("name"), "DOCTOR", 0.6, SOURCE)
    for match in _ROW_INITIALS.finditer(text) if "|" in text else ():
        if _are_initials(match["name"]):
            yield Span(*match.span("name"), "DOCTOR", 0.6, SOURCE)
    for match in reading.matches(_BY_INITIALS, ("by", "upd", "updated", "per", "sig", "initial", "initials", "init")):
        if _are_initials(match["name"]):
            yield Span(*match.span("name"), "DOCTOR", 0.6, SOURCE)


def _are_initials(letters: str) -> bool:
    return not is_capital_word(letters) and not is_common(letters) and not is_never_name(letters)
