"""Drops text that looks like a date, an age, a room, a phone or an identifier but is not: times, scores, shifts, grades, public codes.

Rules and models both take these for PHI; their context shows what they are. Each label has one check, which looks at the line around
the value; a value that no check explains is kept.
"""

import re
from collections.abc import Callable, Mapping

from incognote.document import Span
from incognote.filters.age_lookalikes import is_no_age
from incognote.filters.date_lookalikes import is_no_date, is_result
from incognote.filters.decision import Decision, Layer, Note, drop, keep
from incognote.filters.product_lots import is_product_lot, tells_product
from incognote.filters.public_codes import is_public_code
from incognote.lexicon import word_list
from incognote.lexicon.context import left_of, line_around, right_of, starts_line
from incognote.lexicon.fractions import TOLD, may_be_day
from incognote.lexicon.hours import CLOCK, is_hour_by_room
from incognote.lexicon.lazy import lazy
from incognote.lexicon.relation_cues import KIN
from incognote.lexicon.wards import DISTRICT, is_operated
from incognote.lexicon.word_lists import read_word_lists
from incognote.merge import Role

_WORDS = read_word_lists("lookalikes")
_SURE_WORDS, _SURE_DAY = 0.75, 0.92
_LAST_WORD = lazy(r"([^\W\d_]+)[ \t]$")
_RATED = lazy(r"\bpain[ :]{1,2}\d{1,2}/10\b[^.;]{0,25}$")

_NO_ROOM_BEFORE = lazy(rf"(?:\b(?:{_WORDS['no_rooms']})|\b[io])[ :#\t]{{1,2}}$")
_THEATRE = lazy(r"\bot[ #]{1,2}$")
# A laboratory test, its value, a flag, and the reference range: "AST  115  H  10-40".
_RESULT_ROW = lazy(
    r"[ \t]{0,80}(?!(?:bed|room|rm|bay|ward|unit|suite|ste|or|ot|theatre|pod|cell|chair|flat|apt)\b)[a-z][\w %/().-]{0,30}[ \t]{1,80}"
    r"[<>]?\d+(?:\.\d+)?[ \t]{1,80}(?P<flag>[HL]{1,2}[ \t]{1,80})?\(?\d+(?:\.\d+)? ?-+ ?\d",
    re.IGNORECASE,
)
# "bed 25 in, fine", "visit 13/11/1999, number 5".
_WIDE, _COUNT_BEFORE = lazy(r" (?:in[,.;)]|inch)"), lazy(r"\b(?:visit|treatment|session)\b.{0,30}[ ,](?:number|no\.) $")
# "due for B12" is a vitamin; "pt in B12" is a bed.
_VITAMIN, _LIES_IN = lazy(r"B-?12"), lazy(r"\b(?:bed|bay|room|rm|chair|cubicle|pod|cell|pt|patient|in|to|from)\W{1,2}$")
# A temperature, an isotope.
_NO_ROOM = lazy(r"(?:9[4-9]|10[0-5]|3[4-9]|4[01])\.\d(?!\d)|(?:F-18|I-1(?:23|24|25|31)|C-11|Ga-68|Tc-99m?)\b")
_BLOCK = lazy(r"\bblocks? [A-Z]\d{1,2}", re.IGNORECASE)
_BLOCK_USED = lazy(r",? (?:(?:was|were|is|are|has|have) |sent\b|for\b|shows?\b|stain|contain|by\b|\()", re.IGNORECASE)
# Emergency numbers.
_EVERYONES, _EXTENSION = frozenset({"911", "988", "999", "112", "111", "000"}), lazy(r"\b(?:x|ext\w*|pager?|pgr|bleep|beeper)\W{0,3}$")
_PHONE_DATE = lazy(r"\d{1,2}([./-])\d{1,2}\1(?:19|20|21)\d\d(?:\s\d{3,4})?")

# An ambulance's log: "1808 EN ROUTE".
_EN_ROUTE = lazy(r"\d{3,4}h?:? en ?route\b.*", re.IGNORECASE)
_NO_WARD = lazy(rf"(?:{_WORDS['no_wards']})\b", re.IGNORECASE)
_NO_JOB = lazy(_WORDS["no_jobs"])
# "transgender man", "Spanish speaker", "homeless": traits, not occupations.
_TRAIT = rf"(?:{_WORDS['traits']})"
_TRAITS = lazy(rf"(?=.*(?<![a-z]){_TRAIT}(?![a-z]))(?:(?:{_TRAIT}|{_WORDS['trait_nouns']})(?:[ ,/-]+|\Z))+")
_SURNAME_NEXT = lazy(r",")  # "SON, MINH"
_SPEAKER_NEXT = lazy(r"-speaking\b| speakers?\b")
_GAY, _TRAIT_NEXT = lazy(r"gay", re.IGNORECASE), lazy(rf"[ -](?:{_WORDS['trait_nouns']}|relationship|marriage)\b")
_NO_HOME = lazy(_WORDS["no_homes"])
_BEFORE_NAME = lazy(_WORDS["before_names"])
_NAME_NEXT = lazy(r"[ ,]{1,2}(?:(?:Mr|Mrs|Ms|Miss|Dr|Father|Pastor|Rev|Dep|Mx|Rabbi)\b\.?|[A-Z][a-z]+ [A-Z]|[A-Z]\. ?[A-Z])")
_EMPLOYED = lazy(
    r"(?<!has )(?<!have )(?<!needs )(?<!had )"
    r"\b(?:retired|former(?:ly)?|ex|as|is|was|an?|works?|worked|occupation|job|employed)[ :-]{1,3}(?:an? )?(?:[a-z]+ )?$"
)

# The injection site of a vaccine.
_SITE = lazy(r"[LR](?:D|A|T|VL|G|DELT)")
_RIGHT_EYE = lazy(r"\bRE\b[^\n]*$")
# Levels of assistance with mobility: "Min A", "CGA".
_ASSIST = lazy(r"(?:Min|Mod|Max|Tot|CG|SB|MIN|MOD|MAX)(?:[/-](?:Mod|Max|MOD|MAX))?[ ]?(?:A|I|Assist)\.?")
# "Interpreter needed: No", at the end of its cell.
_ASKED, _ANSWER, _ANSWERED = lazy(r":[ \t]{0,4}$"), lazy(r"(?:no|yes|none)\Z", re.IGNORECASE), lazy(r"[ \t]*(?:\n|$|[ \t]{2})")
_TITLE = lazy(r"mister|missus|mister or missus", re.IGNORECASE)
# "94% RA", "sats 95 on RA".
_ROW = 300  # characters of a row of headings, on either side of one of them
_COLUMN_NAME, _CELL_GAP = lazy(_WORDS["headings"], re.IGNORECASE), lazy(r"\t| {2,}|\|")
_ROOM_AIR = lazy(r"(?:%|\bon|\bin) ?RA\Z", re.IGNORECASE)
_ANAESTHESIA = lazy(
    r"\ban(?:a)?esth(?:esia|etic)(?: type)?[ :]{1,3}(?:general|local|spinal|epidural|regional|mac|sedation|none|ga|geta|lma)\Z"
)
# Before a plate, not before a patient's "reg no".
_PLATE_NEXT = lazy(r",? ?(?:(?:license )?plate\b|vin\b|reg(?:istration)?[ :]{1,2}[a-z]{1,3}-?\d)")
_PROFILE = lazy(r"\bpulhes[ :]{1,3}$")


def drop_lookalikes(layer: Layer, note: Note) -> list[Decision]:
    """Drops numbers and words that the context explains as something else: an hour, a ratio, a score, a lot number."""
    if layer.role is Role.KNOWN:
        return [keep(span) for span in layer.spans]
    by, reason = "look-alikes", "explained by its context as something else"
    return [
        drop(span, by, f"{reason} than {span.label}") if is_lookalike(span, note.text, learned=layer.role is Role.LEARNED) else keep(span)
        for span in layer.spans
    ]


def drop_citations(layer: Layer, note: Note) -> list[Decision]:
    """Drops authors, years and pages of literature that the note cites."""
    if layer.role is Role.KNOWN or not layer.spans or 1 not in note.cited:
        return [keep(span) for span in layer.spans]
    return [drop(span, "citations", "part of a cited publication") if _is_cited(span, note) else keep(span) for span in layer.spans]


def _is_cited(span: Span, note: Note) -> bool:
    """Whether a span lies in a citation, punctuation aside."""
    places = range(span.start, span.end)
    return 1 in note.cited[span.start : span.end] and all(note.cited[at] or not note.text[at].isalnum() for at in places)


def _is_heading_cell(text: str, start: int, end: int) -> bool:
    """Whether a value is one of the headings of a table: ``Name  Loc  Dept  Unit``.

    >>> _is_heading_cell("Name  Loc  Dept", 6, 9), _is_heading_cell("Loc Nguyen, Unit 3", 0, 3)
    (True, False)
    """
    if not _COLUMN_NAME.fullmatch(text, start, end):
        return False
    line = slice(*line_around(text, start, reach=_ROW))
    cells = [cell for cell in _CELL_GAP.split(text[line].strip()) if cell]
    return len(cells) > 2 and sum(_COLUMN_NAME.fullmatch(cell.strip(" :*")) is not None for cell in cells) > len(cells) / 2


def is_lookalike(span: Span, text: str, *, learned: bool = False) -> bool:
    """Whether the context explains the value of a span as something other than its label.

    >>> text = "photos 1-8, grade 9, seen 1/6"
    >>> [is_lookalike(Span(*place), text) for place in ((7, 10, "DATE"), (18, 19, "AGE"), (26, 29, "DATE"))]
    [True, True, False]
    """
    check = _CHECKS.get(span.label)
    explained = check is not None and check(text, span.start, span.end) and not (learned and _is_sure_day(span, text))
    return explained or _is_flagged(span, text) or _is_heading_cell(text, span.start, span.end)


def _is_flagged(span: Span, text: str) -> bool:
    """Whether the span is the test or the range in a row of laboratory results with a flag.

    >>> [_is_flagged(Span(*place), "AST  115  H  10-40") for place in ((0, 3, "DOCTOR"), (13, 18, "DATE"))]
    [True, True]
    """
    row = _RESULT_ROW.match(text, text.rfind("\n", 0, span.start) + 1)
    if row is None or row["flag"] is None or span.start >= row.end():
        return False
    return span.start > row.start("flag") or text[span.start : span.end].casefold() in word_list("capital-words")


def _is_sure_day(span: Span, text: str) -> bool:
    """Whether the value can be a day and the model's score is high: then the context misleads too often.

    No list holds all holidays. Models take scores for days, but one in nine values that look like a score is a day.

    >>> [is_lookalike(Span(3, 12, "DATE", score=score), "by Hari Raya", learned=True) for score in (0.5, 0.9)]
    [True, False]
    """
    if span.label != "DATE":
        return False
    value = text[span.start : span.end]
    if any(map(str.isdigit, value)):
        return span.score >= _SURE_DAY and may_be_day(value) and not (_is_rated(text, span.start, span.end) or is_result(text, span.start))
    return span.score >= _SURE_WORDS and not word_list("common-words").issuperset(value.casefold().split())


def _is_rated(text: str, start: int, end: int) -> bool:
    """``pain 5/10, eff 2/10``: the second of two ratings, without a word such as "on" before it."""
    before = left_of(text, start)
    return text.endswith("/10", start, end) and _RATED.search(before) is not None and not TOLD.search(before)


def _is_no_room(text: str, start: int, end: int) -> bool:
    before = left_of(text, start)
    if _RESULT_ROW.match(text, text.rfind("\n", 0, start) + 1):
        return True
    if _NO_ROOM.match(text, start):
        return True
    if _VITAMIN.fullmatch(text, start, end) and not starts_line(text, start) and not _LIES_IN.search(before):
        return True
    if (word := _LAST_WORD.search(before)) and word[1] in word_list("drugs"):
        return True
    if _is_heading(text, start, end) or _is_block(text, start, end):
        return True
    if _THEATRE.search(before) and is_operated(text, start):
        return False
    if _WIDE.match(text, end) or _COUNT_BEFORE.search(before):
        return True
    return _NO_ROOM_BEFORE.search(before) is not None or is_hour_by_room(text, start, end)


def _is_heading(text: str, start: int, end: int) -> bool:
    """The letter that heads a section of a SOAP note, at the start of its line or between double spaces."""
    if end - start > 1 or text[start] not in "SOAP":
        return False
    opens = starts_line(text, start) and text[end : end + 2] in ("  ", ": ", " -", "\t")
    return opens or (text[start - 2 : start] == "  " and text[end : end + 2] == "  ")


def _is_block(text: str, start: int, end: int) -> bool:
    """A tissue block: ``block A5 was sent for``."""
    block = _BLOCK.search(text, max(0, start - 7), end)
    return block is not None and block.end() == end and _BLOCK_USED.match(text, end) is not None


def _is_no_address(text: str, start: int, end: int) -> bool:
    """An IP or MAC address has full stops, colons or hyphens."""
    return not any(mark in text[start:end] for mark in ".:-")


def _is_no_street(text: str, start: int, end: int) -> bool:
    return _EN_ROUTE.fullmatch(text, start, end) is not None or _is_no_home(text, start, end) or _is_block(text, start, end)


def _is_no_home(text: str, start: int, end: int) -> bool:
    """What a form has in place of an address, such as "no fixed abode"."""
    return _NO_HOME.fullmatch(text[start:end].lower()) is not None


def _is_no_town(text: str, start: int, end: int) -> bool:
    return _is_no_name(text, start, end) or _is_no_home(text, start, end)


def _is_no_phone(text: str, start: int, end: int) -> bool:
    if CLOCK.fullmatch(text, start, end) and starts_line(text, start):
        return True
    if is_public_code(text, start, end) or (text[start:end] in _EVERYONES and not _EXTENSION.search(left_of(text, start))):
        return True
    if end - start < 4 and text[end : end + 1] == "." and text[end + 1 : end + 2].isdigit():
        return True
    return _PHONE_DATE.fullmatch(text, start, end) is not None


def _is_no_zip(text: str, start: int, end: int) -> bool:
    """A lot number, or a PULHES profile (US military)."""
    return is_product_lot(text, start, end) or _PROFILE.search(left_of(text, start)) is not None


def _is_no_ward(text: str, start: int, end: int) -> bool:
    """A word with a number that is not a ward, a district of a city, or a tissue block."""
    no_ward = _NO_WARD.match(text, start, end) or DISTRICT.fullmatch(text, start, end)
    return no_ward is not None or _is_block(text, start, end)


def _is_no_place(text: str, start: int, end: int) -> bool:
    """A single letter is neither a state nor a country."""
    return end - start == 1


def _is_no_name(text: str, start: int, end: int) -> bool:
    """A level of assistance, room air (``RA``), a kind of anaesthesia, a title, an injection site, a kinship word (``HOME WITH SON``),
    the left eye (``LE`` after ``RE``), or one word before a number plate (``(Harley, plate``)."""
    if _ASSIST.fullmatch(text, start, end) or _TITLE.fullmatch(text, start, end):
        return True
    if _ANSWER.match(text, start, end) and _ANSWERED.match(text, end) and _ASKED.search(text, max(0, start - 6), start):
        return True
    if _ROOM_AIR.search(text, max(0, start - 8), end) or _ANAESTHESIA.search(left_of(text, start) + text[start:end].lower()):
        return True
    if _SITE.fullmatch(text, start, end) and tells_product(left_of(text, start, reach=80)):
        return True
    value = text[start:end]
    if " " in value:
        return value.rpartition(" ")[2].islower() and _TRAITS.fullmatch(value.lower()) is not None
    if _SPEAKER_NEXT.match(text, end):
        return True
    if value.casefold() in KIN and not value.istitle() and not _SURNAME_NEXT.match(text, end):
        return True
    if value == "LE" and _RIGHT_EYE.search(text, max(0, start - 40), start):
        return True
    if _GAY.fullmatch(text, start, end) and _TRAIT_NEXT.match(right_of(text, end)):
        return True
    return _PLATE_NEXT.match(right_of(text, end)) is not None


def _is_no_job(text: str, start: int, end: int) -> bool:
    """A trait, a role in an event (``passenger``), or a role before a name (``teacher Mrs. Byler``)."""
    value = text[start:end].lower()
    if _TRAITS.fullmatch(value):
        return True
    if _NO_JOB.fullmatch(value):
        return not _EMPLOYED.search(left_of(text, start))
    return (
        _NAME_NEXT.match(text, end) is not None and _BEFORE_NAME.fullmatch(value) is not None and not _EMPLOYED.search(left_of(text, start))
    )


_CHECKS: Mapping[str, Callable[[str, int, int], bool]] = {
    "DATE": is_no_date,
    "AGE": is_no_age,
    "ROOM": _is_no_room,
    "PHONE": _is_no_phone,
    "IPADDR": _is_no_address,
    "STREET": _is_no_street,
    "PROFESSION": _is_no_job,
    **dict.fromkeys(("DEPARTMENT", "LOCATION-OTHER"), _is_no_ward),
    **dict.fromkeys(("STATE", "COUNTRY"), _is_no_place),
    "CITY": _is_no_town,
    **dict.fromkeys(("PATIENT", "DOCTOR"), _is_no_name),
    **dict.fromkeys(("MEDICALRECORD", "IDNUM", "DEVICE", "HEALTHPLAN", "ACCOUNT", "LICENSE", "SSN"), is_public_code),
    "ZIP": _is_no_zip,
    **dict.fromkeys(("FAX", "VEHICLE", "BIOID", "USERNAME"), is_product_lot),
}
