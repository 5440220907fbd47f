"""Rooms, beds, bays, theatres and wards: where in a house a patient lies, read from a number or a letter and the word beside it.

What a span covers, after the i2b2-2014 guidelines: of a room its number only (``Rm 412``), of a ward its whole name (``Ward 3 East``).
"""

import re
from collections.abc import Iterator

from incognote.document import Span
from incognote.find.rules.engine.pattern import Check, Pattern, PatternTable, find_patterns
from incognote.find.rules.engine.reading import FOUR, SHORT, THREE, Reading
from incognote.find.rules.engine.tokens import is_common
from incognote.lexicon.context import left_of
from incognote.lexicon.lazy import lazy
from incognote.lexicon.wards import is_operated

_UNIT = (
    r"(?![./,:-]\d| of \d)"
    r"(?!\s?(?:%|mg|ml|cc|cm|mm|days?|hours?|hrs?|x\b|times|minutes|mins?|feet|ft|meters|m\b|weeks?|months?|min\b|[CF]\b|degrees))"
)
_NUMBER = (
    r"\d{1,2}[A-Za-z]-?\d{1,3}[A-Za-z]?\b|\d{1,2}[A-Z]{1,2}-\d{1,3}[A-Z]?\b|\d{1,4}(?:-?[A-Za-z]|-\d{1,3}[A-Za-z]?)?\b|"
    r"(?![xX]\d)[A-Za-z]{1,2}-?\d{1,4}[A-Za-z]?\b"
)
_ROOM = rf"(?P<phi>(?!\d{{4}}h\b)(?:{_NUMBER})){_UNIT}"
_LETTER = r"(?P<phi>[A-Z])(?=[ \t]*(?:[.,;:)|\t]|$|[ \t]{2}))(?!\.[A-Z])"
_LINK = r"(?:\.?[ \t]?(?:[Nn]o\.?[ \t]?|#[ \t]?|:[ \t]{0,3}|-[ \t]))?"
_WING = r"(?:[Ee]ast|[Ww]est|[Nn]orth|[Ss]outh|EAST|WEST|NORTH|SOUTH|Tower|TOWER|Pavilion|Wing)"
_PLACE = (
    "room|rm|bed|bay|cubicle|cube|chair|isolette|crib|cot|bunk|berth|cell|cabin|theatre|theater|stretcher|gurney|booth|lane|bedroom|cooler"
    "|resus|majors|minors|trolley"
)
_PLACES = tuple(_PLACE.split("|"))
# A bay, a chair or a lane with a number may be many things: these words before them say that it is not in a hospital.
_NO_PLACE = lazy(
    r"\b(?:thunder|green|tampa|hudson|san francisco|chesapeake|bass|palm|penny|cherry|fast|walks?|drum|tanning|memory|transfers?) $"
)
_GRADED = lazy(r"\b(?:stage|grade|ckd|class|type|level|birads|staged?|progress\w*|figo)\b")
_UNITS = (
    "CCU|ICU|MICU|SICU|CICU|NICU|PICU|CVICU|NSICU|TICU|PACU|Tele|TELE|Telemetry|Stepdown|Step-?down|Neuro|Ortho|"
    "Oncology|Onc|Med|Surg|Medicine|Surgery|"
    "Labor (?:&|and) Delivery|L&D|Maternity|Postpartum|Peds|Pediatrics|Psych|Rehab|Infusion|Endoscopy|Dialysis|Cardiology|Transplant"
)
_NO_NAMES = frozenset(
    "hospital the a this that our general each every any post medical surgical same open other inpatient on per "
    "home center centre clinic care code trauma stroke morse braden".split()
)


def _is_place(match: re.Match[str]) -> bool:
    """``bay 3``, not ``Thunder Bay 3``; a lower-case letter and two digits after ``bed`` are a bed, ``room 5 min`` is not."""
    return not _NO_PLACE.search(left_of(match.string, match.start()))


def _is_operated(match: re.Match[str]) -> bool:
    return is_operated(match.string, match.start())


def _is_no_grade(match: re.Match[str]) -> bool:
    """``then to 3B`` is a ward, unless a stage or a grade went up."""
    return not _GRADED.search(left_of(match.string, match.start()))


def _may_name(word: str) -> bool:
    """Whether a capitalised word may name a ward or a floor: ``Kestrel Ward``, ``Gold Team``, ``Blake 7``; no common word but a colour."""
    return word.lower() in _COLOURS or (word.lower() not in _NO_NAMES and not is_common(word.lower()))


_COLOURS = frozenset("gold blue red green teal silver purple orange yellow white black gray grey".split())


def _row(
    name: str,
    label: str,
    regex: str,
    score: float,
    check: Check | None = None,
    *,
    starts: tuple[str, ...] = (),
    hints: tuple[str, ...] = (),
) -> Pattern:
    return Pattern(name, label, lazy(regex, re.MULTILINE), score, check, hints, starts)


_UNIT_STARTS = tuple(dict.fromkeys(re.findall("[a-z]+", _UNITS.lower().replace("labor (?:&|and) delivery", "labor").replace("l&d", "l"))))


SIDE_ROOMS = PatternTable(
    _row("room.side", "ROOM", rf"\bS/R{_LINK}[ \t]?(?P<phi>[A-Z]|\d{{1,2}})(?=[ \t]*(?:[.,;:)|\t]|$|[ \t]{{2}}))", 0.85, starts=("s",))
)
PATTERNS = PatternTable(
    _row("room.bd", "ROOM", r"(?<![^\n])bd (?P<phi>\d{1,2})(?= [“\"A-Z]| empty)", 0.7, starts=("bd",)),
    _row("room.room", "ROOM", rf"(?i:\b(?:{_PLACE})\b){_LINK}[ \t]?{_ROOM}", 0.85, _is_place, starts=_PLACES),
    _row(
        "room.lettered",
        "ROOM",
        rf"(?i:\b(?:rm|room|bed|bay|chair|office|s/r|side room)\b){_LINK}[ \t]?{_LETTER}",
        0.8,
        _is_place,
        starts=("rm", "room", "bed", "bay", "chair", "office", "s", "side"),
    ),
    _row(
        "room.suite",
        "ROOM",
        rf"\b(?:Apt|apt|APT|Ste|STE|Suite|SUITE|LDR|ldr|OPD)\b{_LINK}[ \t]?(?P<phi>\d{{1,4}}[A-Z]?)\b{_UNIT}",
        0.75,
        starts=("apt", "ste", "suite", "ldr", "opd"),
    ),
    # "OR 6" is a room after a comma, a preposition, a gap or a colon; elsewhere it may be an odds ratio or the word.
    _row(
        "room.theatre",
        "ROOM",
        r"(?:^|(?<=[,:] )|(?<=[Ii]n )|(?<=[Tt]o )|(?<=  )|(?<=→ ))(?:OR|IR|OP|[Oo]perating [Rr]oom|OPERATING ROOM)(?::[ ]?)?[ ]?(?:#[ ]?)?"
        r"(?P<phi>\d{1,2})\b(?![./,:]\d|-)(?![ ]?[(%]|[ ](?:cm|cases?|rooms|mg|ml|pain|days?|weeks?|hours?|times|more|out)\b)",
        0.8,
        starts=("or", "ir", "op", "operating"),
    ),
    # A theatre on the sheet of an operation; elsewhere OT is a therapy.
    _row(
        "room.operated",
        "ROOM",
        r"(?:^|(?<=[,:] )|(?<=[Ii]n )|(?<=[Tt]o )|(?<=  ))(?:OT|Theatre|THEATRE)(?: ?#| [Nn]o\.?)?[ ]?"
        r"(?P<phi>\d{1,2})(?=[ ]*(?:$|[,;.)]|  ))(?!\.\d)",
        0.85,
        _is_operated,
        starts=("ot", "theatre"),
    ),
    _row(
        "room.unit-bed",
        "ROOM",
        r"\b(?:[A-Z]{0,3}ICU|PACU|ED|ER|ED-RESUS|RESUS|Preop|PREOP|Triage)(?:-| (?<=Preop |RESUS ))(?P<phi>\d{1,2})\b(?![./,:]\d|-)",
        0.75,
        starts=("icu", "micu", "sicu", "cicu", "nicu", "picu", "cvicu", "ccu", "pacu", "ed", "er", "resus", "preop", "triage"),
    ),
    _row(
        "room.moved",
        "ROOM",
        r"\b(?:[Tt]ransferred|[Mm]oved|[Tt]ransfer) from (?P<phi>\d{3,4}(?:-?[A-Z])?)(?= to )",
        0.85,
        starts=("transferred", "moved", "transfer"),
    ),
    _row(
        "room.moved-to",
        "ROOM",
        r"\b(?:[Tt]ransferred|[Mm]oved|[Tt]ransfer) (?:from [\w-]{2,8} )?to (?P<phi>\d{3,4}-?[A-Z]|(?<=\d to )\d{3,4})\b(?![./,:]\d)",
        0.85,
        starts=("transferred", "moved", "transfer"),
    ),
    _row(
        "department.moved",
        "DEPARTMENT",
        r"\b(?:[Tt]ransfer(?:red)?|[Mm]oved?|[Aa]dmit(?:ted)?|[Ss]ent|[Bb]ack|[Uu]p|then|returned?)"
        r" to (?P<phi>\d{1,2}[A-Z])(?=[.,;)]|[ ]?$)",
        0.7,
        _is_no_grade,
        starts=("transfer", "transferred", "move", "moved", "admit", "admitted", "sent", "back", "up", "then", "return", "returned"),
    ),
    _row("room.in", "ROOM", r"\b(?:in|to|from) (?P<phi>\d{3,4}[A-Z])(?=[?.,;)]|$)", 0.7, starts=("in", "to", "from")),
    _row("room.person", "ROOM", r"(?<![\w/.,:$#-])(?P<phi>\d{3,4}[A-Z]?)(?= (?:Mrs|Mr|Ms|Miss)\b)", 0.7, starts=(THREE, FOUR)),
    _row(
        "room.field", "ROOM", r"\b(?:RM|ROOM)/BED\b[ \t:|]{1,4}(?:\w{1,8}/)?(?P<phi>\d{1,4}[A-Z]?[/-]\w{1,2})\b", 0.9, starts=("rm", "room")
    ),
    _row("room.ward-bed", "ROOM", r"\b(?i:ward/bed)[ \t:|]{1,4}[^\n/]{1,30} ?/ ?(?P<phi>\d{1,4}(?:-?[A-Z])?)\b", 0.85, starts=("ward",)),
    _row(
        "department.ward",
        "DEPARTMENT",
        rf"\b(?:(?:[Ww]ard|WARD)\s(?:\d{{1,2}}[A-Za-z]?|[A-Z]-?\d{{1,2}}|(?:II|III|IV|V|VI)\b)|(?:[Uu]nit|UNIT|Clinic|Pod)\s\d{{1,2}}[A-Z])(?:\s{_WING})?\b(?![./,:]\d)",
        0.8,
        starts=("ward", "unit", "clinic", "pod"),
    ),
    _row(
        "department.lettered",
        "DEPARTMENT",
        rf"\b(?:(?:{_UNITS}) (?:Pod|Suite)|Pod) (?:[A-Z]|\d{{1,2}})\b(?= ?[.,;|]|\s|$)",
        0.7,
        starts=(*_UNIT_STARTS, "pod"),
    ),
    _row("department.housing", "DEPARTMENT", r"(?<=[Hh]ousing: )Unit [A-Z]\b", 0.85, starts=("unit",)),
    _row(
        "department.wing",
        "DEPARTMENT",
        rf"(?<![\w.,/:$-])(?<!\d )\d{{1,2}} ?{_WING}\b(?![ \t](?:of|side|end|[A-Z0-9]))",
        0.8,
        starts=(SHORT,),
    ),
    _row("department.named-wing", "DEPARTMENT", rf"\b(?:{_UNITS}) \d{{1,2}} {_WING}\b", 0.85, starts=_UNIT_STARTS),
    _row("department.unit-field", "DEPARTMENT", rf"\bUnit: (?P<phi>[A-Z][a-z]+ \d{{1,2}}(?: {_WING})?)\b", 0.85, starts=("unit",)),
    _row("department.unit-number", "DEPARTMENT", rf"\b(?:{_UNITS}) (?:Stepdown )?\d{{1,2}}[A-Z]\b", 0.75, starts=_UNIT_STARTS),
)
_NAME = lazy(r"(?<![\w'’-])([A-Z][a-z]{2,15}) $")
_WARD_END = lazy(r"(?:Ward|Team)\b(?: (?:\d{1,2}|II|III|IV)\b)?")
_FLOOR = lazy(r"(?<![\w'’-])([A-Z][a-z]{3,15}) (\d{1,2}),? $")
_LIST_LINE = lazy(r"(?<![^\n])(?:\d{1,2}-\d{3}[A-Za-z]?|\d{1,2}[A-Z]\d{2}[A-Za-z]?)(?=[ \t]+\(?[A-Z])")


# The place of a patient in a message: unit, room, bed.
_HL7 = lazy(r"^PV1\|[^|\n]{0,8}\|[^|\n]{0,8}\|[^|^\n]{0,20}\^\w{1,8}\^(?P<bed>\w{1,4})(?=[|^])", re.MULTILINE)


def find_side_rooms(reading: Reading) -> Iterator[Span]:
    """Rooms after S/R, which is short for nothing but a side room."""
    return find_patterns(SIDE_ROOMS, reading)


def find_rooms(reading: Reading) -> Iterator[Span]:
    """Spans of ROOM and DEPARTMENT in the text.

    >>> [(span.label, span.start, span.end) for span in find_rooms(Reading("Blake 7 bed 11, then OR 6"))]
    [('ROOM', 12, 14), ('DEPARTMENT', 0, 7)]
    """
    yield from find_patterns(PATTERNS, reading)
    yield from _find_named(reading)
    # A handover list has a patient on each line, the room first; one line alone may be anything.
    if "PV1|" in reading.text:
        for match in _HL7.finditer(reading.text):
            yield Span(*match.span("bed"), "ROOM", 0.85, "rules.room.hl7")
    lines = list(reading.matches(_LIST_LINE, (SHORT,)))
    if len(lines) > 1:
        yield from (Span(*line.span(), "ROOM", 0.8, "rules.room.list") for line in lines)


def _find_named(reading: Reading) -> Iterator[Span]:
    """Wards, teams and floors by the name before them; the common word that follows is looked up and the name is read backwards."""
    text = reading.text
    for place in reading.starts(("ward", "team")):
        name = _NAME.search(text, max(0, place - 18), place)
        end = _WARD_END.match(text, place)
        if name and end and _may_name(name[1]):
            yield Span(name.start(), end.end(), "DEPARTMENT", 0.75, "rules.department.named")
    for place in reading.starts(("bed", "rm", "room")):
        name = _FLOOR.search(text, max(0, place - 22), place)
        if name and _may_name(name[1]):
            yield Span(name.start(), name.end(2), "DEPARTMENT", 0.75, "rules.department.floor")
