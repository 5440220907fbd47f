"""Phones, pagers, extensions and faxes: North American and international numbers, and the short forms of hospitals.

Candidates come from narrow expressions and only those are given to the ``phonenumbers`` library: its own matcher is far too slow
for whole notes. A number is FAX when the nearest word that says what it is says fax. A span covers the number with its extension
(``617-555-0199 x4471``), not the word before it; an ``x`` glued to an extension belongs to it.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from incognote.document import Span
from incognote.find.rules.engine.pattern import Check, Pattern, PatternTable, find_patterns
from incognote.find.rules.engine.reading import FOUR, INNER, LETTERED, LONG, MARKED, SHORT, THREE, Reading
from incognote.lexicon.context import left_of, right_of
from incognote.lexicon.degrees import DEGREE
from incognote.lexicon.lazy import lazy
from incognote.lexicon.units import is_quantity
from incognote.lexicon.word_lists import read_word_lists

_SEP = r"[ .·‐‑–-]"
_LOCAL = r"(?:x|ext\.?|extension|option|opt\.?|poste)[ :#.]{0,2}\d{1,6}"
_EXT = rf"(?:,? ?(?:\({_LOCAL}\)|{_LOCAL})| #\d{{3,6}}(?!\d))?"
_FREE = r"(?<![A-Za-z0-9/])(?<!\d[.,-])(?<!\+)"
# A line may break after the last hyphen; after an area code in brackets the rest may be glued.
_NANP = rf"(?:\+?1{_SEP}?)?(?:\(\d{{3}}\) ?\d{{7}}|(?:\(\d{{3}}\){_SEP}?|\d{{3}}(?:{_SEP}|/))\d{{3}}(?:{_SEP}|-\n)\d{{4}})"
_END = r"(?![A-Za-z0-9]|[.,-]\d|/\d|%)"
_WORDS = read_word_lists("phones")
_CALL = lazy(rf"\b(?:{_WORDS['call']})\b\W{{0,3}}(?:number |no\.? |is |was |at |: ?|# ?|\(?[chwm]\)? ?){{0,2}}$|(?:☎|📞)\s?$")
_NUMBERED = lazy(rf"\b(?:{_WORDS['numbered']})\b[^a-z0-9]{{0,3}}(?:no\.?|number|num|#|id)?[ :#.]{{0,3}}$")
_KIND = lazy(r"\b(fax|faxed|facsimile|fx|f|phone|ph|tel|telephone|cell|mobile|call|voice|pager|beeper|office|p|t|direct|home|work)\b")
_FAX_NEXT = lazy(r"\s?(?:[(\[]\s?(?:fax|f)\s?[)\]]|fax\b(?!\W{0,4}\d))")
_CLINICIAN = lazy(rf"\b(?:{DEGREE}|attending|resident|intern|fellow),? ?[#(]{{1,2}}$", re.IGNORECASE)
_REGIONS = ("GB", "AU", "NZ", "IE", "ZA", "IN", "KE", "NG", "FR", "DE", "NL", "ES", "IT", "BE", "PK")
_HEALTH_NUMBER = lazy(r"\b(?:nhs|chi|medicare|ihi|nino|abn|acn|tfn|aadhaar|upi|crn)\b[^a-z]{0,12}$")
# "03.12.2077 19:25": a day and its hour.
_DAY_AND_HOUR = lazy(r"[\[(]?\d{1,2}([.-])\d{1,2}\1(?:19|20|21)\d\d [0-2]?\d:[0-5]\d")
_WORD_DIGIT = r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"


def _is_called(match: re.Match[str]) -> bool:
    """A number without the shape of a phone needs a word that says it is one."""
    return bool(_CALL.search(left_of(match.string, match.start("phi")))) and not is_quantity(match.string, match.end("phi"))


def _is_north_american(match: re.Match[str]) -> bool:
    """Ten digits the numbering plan allows; others (a fictional 123 area) need a word that says phone."""
    before = left_of(match.string, match.start())
    if _NUMBERED.search(before) or (not _CALL.search(before) and _in_series(match)):
        return False
    digits = re.sub(r"\D", "", re.split(r"[A-Za-z,]", match[0])[0])[-10:]
    return bool(re.fullmatch(r"[2-9]\d\d[2-9]\d{6}", digits)) or bool(_CALL.search(before))


def _is_bare_local(match: re.Match[str]) -> bool:
    """``Birchwood Drug, 555-0188``: a laboratory range ends on a round number, and most phones do not."""
    before = left_of(match.string, match.start())
    odd = match["phi"][-1] != "0" and int(match["phi"][-4:]) != int(match["phi"][:3])
    ranged = re.search(r"\b(?:normal|range|ref|reference|nl|limits?|between)\W{0,3}(?:is |of )?$", before)
    return odd and not ranged and not _NUMBERED.search(before) and not is_quantity(match.string, match.end()) and not _in_series(match)


def _in_series(match: re.Match[str]) -> bool:
    """Whether the digits are part of a row of numbers, as in a flowsheet."""
    text = match.string
    return bool(
        re.search(r"\d[ ,]$", text[max(0, match.start() - 2) : match.start()]) or re.match(r" \d", text[match.end() : match.end() + 2])
    )


def _is_international(match: re.Match[str]) -> bool:
    """A number that can exist in the country of its prefix, as the ``phonenumbers`` library knows them."""
    import phonenumbers

    try:
        number = phonenumbers.parse(match["number"], None)
    except phonenumbers.NumberParseException:
        return False
    return phonenumbers.is_possible_number(number)


def _is_national(match: re.Match[str]) -> bool:
    """A trunk-prefixed number (``020 7946 0958``) that is valid in one of a few countries: in ten digits or more of two groups or more
    wherever it stands, else after a word that says phone."""
    before = left_of(match.string, match.start())
    if _NUMBERED.search(before) or _HEALTH_NUMBER.search(before) or _DAY_AND_HOUR.match(match.string, match.start()):
        return False
    number = match["number"]
    spaced = len(re.sub(r"\D", "", number)) >= 10 and " " in number and not _in_series(match)
    clocks = all(re.fullmatch(r"(?:[01]\d|2[0-3])[0-5]\d", group) for group in number.split(" "))
    return not clocks and (spaced or _is_called(match)) and any(_valid_in(region, number) for region in _REGIONS)


def _valid_in(region: str, value: str) -> bool:
    import phonenumbers

    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(value, region))
    except phonenumbers.NumberParseException:
        return False


def _is_extension(match: re.Match[str]) -> bool:
    return not is_quantity(match.string, match.end("phi"))


def _is_glued_extension(match: re.Match[str]) -> bool:
    """``x54321``, not ``x1000 mL`` nor a matrix size."""
    return _is_extension(match) and not re.search(r"\d\s?$", left_of(match.string, match.start()))


def _follows_clinician(match: re.Match[str]) -> bool:
    return _CLINICIAN.search(left_of(match.string, match.start())) is not None


def _row(name: str, regex: str, score: float, check: Check | None = None, *, starts: tuple[str, ...]) -> Pattern:
    return Pattern(f"contacts.{name}", "PHONE", lazy(regex, re.IGNORECASE), score, check, starts=starts)


_VANITY = r"(?-i:(?:1-)?8(?:00|33|44|55|66|77|88)-(?:\d{3}-[A-Z]{4}|[A-Z]{7,9}|[A-Z]{2,4}-[A-Z]{3,6})|[2-9]\d\d-[2-9]\d\d-[A-Z]{4})"
_LINK = r"(?: ?(?:number|num|no\.?|id|#|at|to|is|on|:|-|\()){0,3} {0,2}#?"
_SHORT = r"(?:\d-\d{4}|\d{4,5}|\d{3}-\d{4}|\d{2}-\d{3})"
_PAGERS = tuple("pager pagers pgr beeper bpr bleep bleeper page paged vocera spectralink spectra ascom dect".split())
_SPOKEN = tuple("zero oh one two three four five six seven eight nine".split())
PATTERNS = PatternTable(
    _row("phone", rf"{_FREE}{_NANP}{_EXT}{_END}", 0.95, _is_north_american, starts=(SHORT, THREE, FOUR, MARKED)),
    _row("phone-glued", rf"(?<![A-Za-z0-9.-])(?P<phi>1?[2-9]\d{{9}}{_EXT}){_END}", 0.85, _is_called, starts=(LONG,)),
    _row("phone-local", rf"(?<![A-Za-z0-9/.-])(?P<phi>[2-9]\d{{2}}[-.·‐‑–]\d{{4}}{_EXT}){_END}", 0.8, _is_called, starts=(THREE,)),
    _row("phone-local-bare", rf"(?<![A-Za-z0-9/.#-])(?P<phi>[2-9]\d{{2}}-\d{{4}}){_END}", 0.55, _is_bare_local, starts=(THREE,)),
    _row("phone-vanity", rf"(?<![A-Za-z0-9-])(?:{_VANITY})(?![A-Za-z0-9-])", 0.85, starts=(SHORT, INNER, THREE)),
    _row(
        "phone-international",
        rf"(?<![A-Za-z0-9+])(?P<number>(?:\+|\b00)[1-9]\d{{0,2}}[ .()-]{{0,2}}\d[\d .()-]{{5,16}}\d){_EXT}(?![A-Za-z0-9])",
        0.95,
        _is_international,
        starts=(THREE, FOUR, LONG, MARKED),
    ),
    _row(
        "phone-national",
        r"(?<![A-Za-z0-9.-])(?P<phi>(?P<number>(?:\(0\d{1,4}\)|0\d{1,4})[ .-]?\d{2,4}(?:[ .-]?\d{2,4}){1,3})"
        rf"{_EXT})(?![A-Za-z0-9-])",
        0.8,
        _is_national,
        starts=(SHORT, THREE, FOUR, LONG, MARKED),
    ),
    _row(
        "extension",
        r"\b(?:ext|extn|extension)(?:\.|:| number| no\.?| is|#)?[ :#]{0,2}(?P<phi>\d-\d{4}|\d{3,6}|\d{2,3}-\d{3,4})(?![A-Za-z0-9-]|\.\d)",
        0.9,
        _is_extension,
        starts=("ext", "extn", "extension"),
    ),
    _row(
        "extension-glued",
        r"(?<![A-Za-z0-9)])(?P<phi>x\d-\d{4}|x\d{4,6})(?![A-Za-z0-9-]|\.\d)",
        0.85,
        _is_glued_extension,
        starts=(LETTERED,),
    ),
    _row("pager", rf"\b(?:{_WORDS['pagers']}){_LINK}(?P<phi>{_SHORT})(?![A-Za-z0-9-]|\.\d)", 0.9, _is_extension, starts=_PAGERS),
    _row("bleep", r"\bbleep(?:er)?(?: no\.?| number|:| #)? ?(?P<phi>\d{3})(?![A-Za-z0-9-]|\.\d)", 0.85, starts=("bleep", "bleeper")),
    _row("phone-indian", r"(?<![A-Za-z0-9.-])(?P<phi>[6-9]\d{4} \d{5})(?![A-Za-z0-9-])", 0.8, _is_called, starts=(LONG,)),
    _row(
        "pager-letter",
        r"(?<![A-Za-z0-9])p(?:\.|:|#| ?#)? ?(?P<phi>\d-\d{4}|\d{5})(?![A-Za-z0-9-]|[.,]\d)",
        0.75,
        _is_extension,
        starts=(LETTERED, "p"),
    ),
    _row(
        "phone-ending",
        r"\b(?:phone|number|cell|mobile|tel|line)(?: number| no\.?)? (?:ending|ends)(?: in| with)? (?P<phi>\d{3,4})(?!\d)",
        0.85,
        starts=("phone", "number", "cell", "mobile", "tel", "line"),
    ),
    _row("pager-signed", r"(?:(?<=(?-i:MD|DO|NP|PA|RN) )|(?<=(?-i:MD|DO|NP|PA|RN)  ))(?P<phi>b\d{5})(?!\d)", 0.7, starts=(LETTERED,)),
    _row("clinician-number", r"(?<=[#(])(?P<phi>\d-\d{4}|\d{4,5})(?![A-Za-z0-9-])", 0.75, _follows_clinician, starts=(SHORT, FOUR, LONG)),
    _row("phone-spoken", rf"\b(?=[efnostz])(?:{_WORD_DIGIT}[ ,-]{{1,2}}){{6,14}}{_WORD_DIGIT}\b", 0.7, starts=_SPOKEN),
)


def find_phones(reading: Reading) -> Iterator[Span]:
    """Spans of PHONE and FAX in the text; they may overlap."""
    for span in find_patterns(PATTERNS, reading):
        start = _start_of_bracket(reading.text, span)
        yield replace(span, start=start, label="FAX" if _is_fax(reading.text, span) else "PHONE")


def _start_of_bracket(text: str, span: Span) -> int:
    """Where a number starts, with the bracket that it closes: ``(+63) 918``."""
    value = text[span.start : span.end]
    closes = value.count(")") > value.count("(") and text[span.start - 1 : span.start] == "("
    return span.start - 1 if closes else span.start


def _is_fax(text: str, span: Span) -> bool:
    """Whether the nearest word that names the line names a fax: ``Tel 555-0199, fax 555-0198``, ``555-0198 (fax)``."""
    if _FAX_NEXT.match(right_of(text, span.end)):
        return True
    kinds = _KIND.findall(left_of(text, span.start, reach=25))
    return bool(kinds) and kinds[-1] in ("fax", "faxed", "facsimile", "fx", "f")
