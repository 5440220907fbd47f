"""What is written like a date, an age, a room, a phone or an identifier and is none: times, ratios, shifts, school grades, item codes.

Rules and models both take these for PHI; what stands beside them says what they are. Each label has one check, which looks at the line
around the value; a value that nothing explains stays.
"""

import re
from collections.abc import Callable, Mapping

from incognote.document import Span
from incognote.lexicon import word_list
from incognote.rules.context import left_of, right_of, starts_line
from incognote.rules.word_lists import read_word_lists

_WORDS = read_word_lists("lookalikes")
_RATIO = re.compile(r"\d{1,3}:\d{1,4}")
_CLOCK = re.compile(r"(?:[01]\d|2[0-3])[0-5]\d")
_CLOCK_BEFORE = re.compile(
    r"(?:\b(?:at|arrival|arrived|onset|called|dispatched|scene|departed|by me|mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun|\w{3,6}day)|@|~)"
    r"\.?,? ?$"
)
_CLOCK_NEXT = re.compile(r"\s?(?:h|hrs?|hours)\b")
_POINTED_CLOCK = re.compile(r"(?:[01]\d|2[0-3])\.(?:00|15|30|45)")
_WEEKS = re.compile(r"\d{1,2}/52")
_TRIPLE = re.compile(r"\d-\d-\d")
_LETTERED = re.compile(r"[A-Za-z]+(?=-?\d)")
_WHOLE = re.compile(r"[a-z] \d $")
_DATED = re.compile(rf"\b(?:{read_word_lists('dates')['evidence']})[.:,;)(@~–-]{{0,2}}\s{{0,3}}(?:the\s)?[(~]?$|^\s*$")
_SMALL_RANGE = re.compile(r"\d{1,2}\s?[-–]\s?\d{1,2}")
_RANGE_BEFORE = re.compile(rf"\b(?:{_WORDS['counted']})[ :#]{{0,2}}$")
_SHIFT = re.compile(r"(?<![\d/-])(?:7-3|3-11|11-7|7-7|7-19|19-7|8-4|4-12|12-8)(?![\d/-])")
_NEAR_DATE = re.compile(r"\d[/-]\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|(?:st|nd|rd|th)\b|\bthe \d|\d \d")
_CALENDAR = re.compile(rf"\b(?:{_WORDS['calendar']})", re.IGNORECASE)
_LEADING = re.compile(r"the|early|mid|late|around|about|week|beginning|end|of|and|on", re.IGNORECASE)
_VERB_BEFORE = re.compile(r"\b(?:will|to|would|usually|often|they|we|and then|then|he|she|pt|patient|who|(?:can|could) not) $")
_SUN_BEFORE = re.compile(r"\b(?:art?ctic|the|direct|full|afternoon|much|avoid|from) $")
_SCORE = re.compile(r"(\d{1,2})\s?/\s?(\d{1,2})")
_SCORED = re.compile(
    r"\b(?:goals met|iop|iop ta|murmur|strength|power|reflexes|dtrs?|pulses?|gallop|pain|nrs|vas|cranial|apgars?|gcs|rass)\b[^.;]{0,16}$"
)
# "pain 6/10, given Tylenol, recheck 4/10".
_RATED_AGAIN = re.compile(
    r"\b(?:pain|nrs|vas)\b[^.;]{0,12}\d/10\b.*\b(?:recheck|now|after|later|then|down to|to|improved\w*|repeat|reassess\w*)\b[^.;]{0,8}$"
)

_DOSED = re.compile(_WORDS["dosed"])
_GRADE_BEFORE = re.compile(rf"\b(?:{_WORDS['graded']})[ .:#=-]{{0,2}}$")
_DECADE_BEFORE = re.compile(rf"\b(?:{_WORDS['rated']})\b[^.;,\d]{{0,12}}$")
_ADVISED = re.compile(rf"\b(?:{_WORDS['advised']})\b[^.;\n]{{0,25}}$")
_GROUP = re.compile(
    r"\b(?:children|kids|adults?|patients|women|men|those|people|persons|anyone|infants|babies|girls|boys|females|males)"
    r"(?: who are| aged?| ages)? (?:under|over|below|above|younger than|older than|less than|greater than|at least|from|between)"
    r"(?: the)?(?: ages?(?: of)?)? $|\bnot (?:for \w+ )?(?:under|over|below|above)(?: age)? $"
)
_LASTED = re.compile(
    r"\b(?:partner|wife|husband|spouse|friend|married|marriage|together|widow\w*|sober|smoker|employee)(?: of| for| x|,)? $"
)
_TAKEN = re.compile(r"\b(?:took|takes|taking|ate|drank|swallowed|ingested|given)\b[^.;\w]{0,3}$")
_OF_TOTAL = re.compile(r"\d of $|#\d{1,3}/$")
_SOLDIER = re.compile(r"\b(?:mos|afsc)\b[^.;\n]{0,25}$|\b(?:army|usmc|marines?|navy|guard|corps)\b[^;\n]{0,60}\bas an? $")
_RETURNS = re.compile(r"\b(?:rtc|rto|f/?u|return|recheck|follow[ -]?up|in|x|every|q|see|visit|re-?eval\w*|repeat|review)[ :]{1,2}$")
_SMALL_NEXT = re.compile(r"\s?-?(?:mos?|months?|wks?|weeks?|days?|d)\b(?! ?-?(?:old|o\b))")
_TUBE = re.compile(
    r"\s?f(?:r|rench)?\.? (?:storz|flex|foley|coud|cath|sheath|tube|chest|pigtail|drain|stent|scope|silicone|cysto|red|dilator)"
)
_KARYOTYPE = re.compile(r",\s?x[xy]{0,3}\b|,\s?(?:del|inv|der|t)\(")
_WEEKER = re.compile(r"[- ]?(?:week|wk)e?r\b")
_HALF_DAY = re.compile(r"\s?[ap]\.?m\b")
_LAST_WORD = re.compile(r"([^\W\d_]+)[ \t]$")

_NO_ROOM_BEFORE = re.compile(rf"(?:\b(?:{_WORDS['no_rooms']})|\b[io])[ :#\t]{{1,2}}$")
_AFTER_THEATRE = re.compile(r"\bor \d{1,3} {1,3}$")
_PHONE_LETTER = re.compile(r"x\d|[A-Za-z]|[A-Za-z]{1,3}\.?")
_PHONE_DATE = re.compile(r"\d{1,2}([./-])\d{1,2}\1(?:19|20|21)\d\d(?:\s\d{3,4})?")

_FLOOR = re.compile(r"\d{1,2}(?:st|nd|rd|th)(?: fl(?:oor|r)?)?(?: apt| apartment| unit)?,?", re.IGNORECASE)
_NO_WARD = re.compile(rf"(?:{_WORDS['no_wards']})\b", re.IGNORECASE)
_NO_JOB = re.compile(_WORDS["no_jobs"])
_NO_HOME = re.compile(_WORDS["no_homes"])
_BEFORE_NAME = re.compile(_WORDS["before_names"])
_NAME_NEXT = re.compile(r"[ ,]{1,2}(?:(?:Mr|Mrs|Ms|Miss|Dr|Father|Pastor|Rev|Dep|Mx|Rabbi)\b\.?|[A-Z][a-z]+ [A-Z]|[A-Z]\. ?[A-Z])")
_EMPLOYED = re.compile(
    r"(?<!has )(?<!have )(?<!needs )(?<!had )"
    r"\b(?:retired|former(?:ly)?|ex|as|is|was|an?|works?|worked|occupation|job|employed)[ :-]{1,3}(?:an? )?(?:[a-z]+ )?$"
)
_CLOCKS = re.compile(r"(?:[01]\d|2[0-3])[0-5]\d ?[-–] ?(?:[01]\d|2[0-3])[0-5]\d")
_TWIN = re.compile(r"\b(?:twin|triplet|baby) $")
_MAKE_BEFORE = re.compile(rf"\b(?:{_WORDS['cars']}) $")
_PLATE_NEXT = re.compile(r",? ?(?:plate|vin|reg\b|license plate|registration)")
_ITEM = re.compile(r"[A-Z]\d{4}[A-Z]?\d?")
_FORMS = ("OASIS", "oasis", "Oasis", "MDS ")
_DIAGNOSIS = re.compile(r"[A-TV-Z]\d[0-9A-Z]\.[0-9A-Z]{1,4}(?![\w-])")
# LOINC codes in messages, and ICD codes, alone.
_LISTED = re.compile(r"\d{4,5}-\d(?=\^)|[A-TV-Z]\d[0-9A-Z]\.[0-9A-Z]{1,4}")
# What says that a number is somebody's, whatever it looks like.
_TOLD = re.compile(
    r"(?:\b(?:x|ext|pager?|bleep|tel|ph|phone|fax|mrn|mr|id|ids|acct|account|no|nos|num|number|nr|case|ref|reference|claim|order|accession|acc|file"
    r"|chart|policy|member|group|grp|auth\w*|ticket|batch|specimen|spec|sample|study|trial|subject|encounter|visit|csn|fin|har|unit|badge|permit"
    r"|docket|report|rpt|run|incident|invoice|receipt|rx|script|serial|sn|s/n|lot|tag|band|bracelet|passport|licen[cs]e|cert\w*|reg\w*|udi)\b\.?"
    r"|#)\W{0,3}$|[A-Za-z]-?$"
)
_PRODUCT = re.compile(r"E\d{4}[VA-D]\d\d|NCT\d{8}")
_CODED = re.compile(rf"\b(?:{_WORDS['coded']})(?: codes?)?[ :#=\"]{{1,3}}$")
_MADE_BY = re.compile(rf"\b(?:{_WORDS['makers']})[ (]{{1,2}}$")
_MODEL = re.compile(r"[A-Z]{1,4}-?[0-9A-Z]{1,4}-?[0-9A-Z]{0,6}")


def is_lookalike(span: Span, text: str) -> bool:
    """Whether the value of a span is explained by what stands beside it, as something else than its label.

    >>> text = "titer 1:64, grade 9, seen 1/6"
    >>> [is_lookalike(Span(*place), text) for place in ((6, 10, "DATE"), (18, 19, "AGE"), (26, 29, "DATE"))]
    [True, True, False]
    """
    check = _CHECKS.get(span.label)
    return check is not None and check(text, span.start, span.end)


def is_calendar(word: str) -> bool:
    """Whether a date may hold the word.

    >>> is_calendar("Sept"), is_calendar("gave")
    (True, False)
    """
    return _CALENDAR.match(word) is not None or _LEADING.fullmatch(word) is not None


def _is_no_date(text: str, start: int, end: int) -> bool:
    value = text[start:end]
    if not any(map(str.isdigit, value)):
        return not _CALENDAR.search(value) or _is_word(text, start, value)
    if _RATIO.fullmatch(value) or _TRIPLE.fullmatch(value) or _POINTED_CLOCK.fullmatch(value) or _WEEKS.fullmatch(value):
        return True
    if (word := _LETTERED.match(value)) and not _CALENDAR.search(value):
        return len(word[0]) > 2
    if _CLOCK.fullmatch(value):
        word = _LAST_WORD.search(left_of(text, start))
        if word is not None and (word[1] in word_list("drugs") or _DOSED.fullmatch(word[1])):
            return True
        return bool(_CLOCK_BEFORE.search(left_of(text, start)) or _CLOCK_NEXT.match(right_of(text, end)))
    if _SMALL_RANGE.fullmatch(value):
        return bool(_RANGE_BEFORE.search(left_of(text, start))) or _is_shift(text, start, end)
    score = _SCORE.fullmatch(value)
    if score and (
        _WHOLE.search(left_of(text, start)) or (score[1] == score[2] in ("3", "4", "5") and not _DATED.search(left_of(text, start)))
    ):
        return True
    if score and int(score[1]) <= int(score[2]) <= 10:
        return bool(_SCORED.search(left_of(text, start)) or (score[2] == "10" and _RATED_AGAIN.search(left_of(text, start, reach=60))))
    return value.isdigit() and len(value) < 3 and not _NEAR_DATE.search(f"{left_of(text, start, reach=16)}|{right_of(text, end, reach=16)}")


def _is_word(text: str, start: int, value: str) -> bool:
    """``will winter in``, ``then sat``, ``Arctic Sun``: the word is what somebody does, or a thing."""
    before = left_of(text, start)
    if value.lower() == "sun":
        return bool(_SUN_BEFORE.search(before))
    return value in ("winter", "summer", "fall", "spring", "sat", "may", "march") and bool(_VERB_BEFORE.search(before))


def _is_shift(text: str, start: int, end: int) -> bool:
    """``7-3, 3-11, 11-7``: one shift among others."""
    return bool(_SHIFT.fullmatch(text, start, end)) and len(_SHIFT.findall(text[max(0, start - 14) : end + 14])) > 1


def _is_no_age(text: str, start: int, end: int) -> bool:
    before, after = left_of(text, start), right_of(text, end)
    if _WEEKER.match(after) or _TUBE.match(after) or _KARYOTYPE.match(after):
        return True
    if (
        _GRADE_BEFORE.search(before)
        or _HALF_DAY.match(after)
        or _OF_TOTAL.search(before)
        or _SOLDIER.search(left_of(text, start, reach=80))
    ):
        return True
    if text[end - 1] == "s" or after.startswith("s"):
        return bool(_DECADE_BEFORE.search(before))
    if _GROUP.search(before) or _ADVISED.search(before) or _LASTED.search(before) or _TAKEN.search(before):
        return True
    if _RETURNS.search(before) and _SMALL_NEXT.match(after):
        return True
    word = _LAST_WORD.search(before)
    return word is not None and word[1] in word_list("drugs") and word[1] not in word_list("given-names")


def _is_no_room(text: str, start: int, end: int) -> bool:
    before = left_of(text, start)
    if (word := _LAST_WORD.search(before)) and word[1] in word_list("drugs"):
        return True
    if end - start == 1 and text[start] in "SOAP" and starts_line(text, start) and text[end : end + 2] in ("  ", ": ", " -", "\t"):
        return True
    return bool(_NO_ROOM_BEFORE.search(before)) or (_CLOCK.fullmatch(text, start, end) is not None and bool(_AFTER_THEATRE.search(before)))


def _is_no_address(text: str, start: int, end: int) -> bool:
    """An address on a network has points, colons or strokes."""
    return not any(mark in text[start:end] for mark in ".:-")


def _is_no_street(text: str, start: int, end: int) -> bool:
    return _FLOOR.fullmatch(text, start, end) is not None or _is_no_home(text, start, end)


def _is_no_home(text: str, start: int, end: int) -> bool:
    """What a form says where no address is."""
    return _NO_HOME.fullmatch(text[start:end].lower()) is not None


def _is_no_town(text: str, start: int, end: int) -> bool:
    return _is_no_name(text, start, end) or _is_no_home(text, start, end)


def _is_no_phone(text: str, start: int, end: int) -> bool:
    if _CLOCK.fullmatch(text, start, end) and starts_line(text, start):
        return True
    if _is_public_code(text, start, end):
        return True
    if end - start < 4 and text[end : end + 1] == "." and text[end + 1 : end + 2].isdigit():
        return True
    return _PHONE_LETTER.fullmatch(text, start, end) is not None or _PHONE_DATE.fullmatch(text, start, end) is not None


def _is_public_code(text: str, start: int, end: int) -> bool:
    """Item codes of forms, codes of diagnoses, procedures, products and trials, and models of devices name nobody."""
    if (_CLOCKS.fullmatch(text, start, end) or _is_listed(text, start, end)) and not _TOLD.search(left_of(text, start)):
        return True
    if _PRODUCT.fullmatch(text, start, end) or _DIAGNOSIS.match(text, start):
        return True
    if _ITEM.fullmatch(text, start, end) and any(form in text for form in _FORMS):
        return True
    before = left_of(text, start)
    return bool(_CODED.search(before)) or (_MODEL.fullmatch(text, start, end) is not None and bool(_MADE_BY.search(before)))


def _is_listed(text: str, start: int, end: int) -> bool:
    found = _LISTED.match(text, start)
    return found is not None and found.end() == end


def _is_no_ward(text: str, start: int, end: int) -> bool:
    return _NO_WARD.match(text, start, end) is not None


def _is_no_place(text: str, start: int, end: int) -> bool:
    """One letter is no state."""
    return end - start == 1


def _is_no_name(text: str, start: int, end: int) -> bool:
    """One word after the maker, or before the plate, of a car (``Skoda Octavia``, ``(Harley, plate``), the letter of a twin, or a word that
    spells another (``D as in David``)."""
    if " " in text[start:end]:
        return False
    if end - start == 1 and _TWIN.search(left_of(text, start)):
        return True
    if text.startswith("as in ", max(0, start - 6)) and start > 5:
        return True
    return bool(_MAKE_BEFORE.search(left_of(text, start)) or _PLATE_NEXT.match(right_of(text, end)))


def _is_no_job(text: str, start: int, end: int) -> bool:
    """Who looks after the patient, or had a part in what happened, is told by a role that is nobody's occupation; so is the role before
    a name (``teacher Mrs. Byler``)."""
    value = text[start:end].lower()
    if _NO_JOB.fullmatch(value):
        return not _EMPLOYED.search(left_of(text, start))
    return (
        _NAME_NEXT.match(text, end) is not None and _BEFORE_NAME.fullmatch(value) is not None and not _EMPLOYED.search(left_of(text, start))
    )


_CHECKS: Mapping[str, Callable[[str, int, int], bool]] = {
    "DATE": _is_no_date,
    "AGE": _is_no_age,
    "ROOM": _is_no_room,
    "PHONE": _is_no_phone,
    "IPADDR": _is_no_address,
    "STREET": _is_no_street,
    "PROFESSION": _is_no_job,
    **dict.fromkeys(("DEPARTMENT", "LOCATION-OTHER"), _is_no_ward),
    **dict.fromkeys(("STATE", "COUNTRY"), _is_no_place),
    "CITY": _is_no_town,
    **dict.fromkeys(("PATIENT", "DOCTOR"), _is_no_name),
    **dict.fromkeys(("MEDICALRECORD", "IDNUM", "DEVICE", "HEALTHPLAN", "ACCOUNT", "LICENSE", "SSN"), _is_public_code),
}
