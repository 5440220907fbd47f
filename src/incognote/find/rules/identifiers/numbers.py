"""Identifying numbers of every HIPAA kind: after a label (labelled), foreign (foreign_ids), or by their own shape.

Which label, after i2b2-2014: DEA, NPI, medical and driver's licences are LICENSE; a visit or encounter number (CSN), accessions,
cases, orders and passports IDNUM; health-plan, Medicare and foreign health numbers HEALTHPLAN. A lot is DEVICE; that of a
vaccine, a drug or a kit, catalogue and model numbers stay (filters/product_lots): they name a product, not a patient. Where no word and
no check digit speaks, a long bare number is still taken, with a low score: what cannot be explained is safer gone.
"""

import re
from collections.abc import Iterator

from incognote.document import Span
from incognote.find.rules.engine.pattern import Check, Pattern, PatternTable, find_patterns
from incognote.find.rules.engine.reading import FOUR, INNER, LETTERED, LONG, MARKED, SHORT, THREE, Reading
from incognote.find.rules.identifiers.foreign import find_foreign_ids
from incognote.find.rules.identifiers.labelled import find_labelled
from incognote.lexicon.check_digits import is_dea, is_luhn, is_ssn, is_vin
from incognote.lexicon.context import left_of
from incognote.lexicon.degrees import PLAIN_DEGREES
from incognote.lexicon.lazy import lazy
from incognote.lexicon.units import is_quantity

_OPEN, _SHUT = r"(?<![A-Za-z0-9.-])", r"(?![A-Za-z0-9-]|\.\d)"
_MBI_LETTER = "[AC-HJKMNP-RT-Y]"
_OTHER_NUMBER = lazy(
    r"\b(?:mrn|mr|med(?:ical)? rec(?:ord)?|unit|chart|acct|account|phone|tel|fax)\b[^a-z0-9]{0,3}(?:no\.?|number|#)?[ :#.]{0,3}$"
)
_SSN_WORD = lazy(r"\b(?:ssn|ss ?#|social security|soc\.? sec\.?|social|ss no|ssan)\b[^\d\n]{0,20}$|\bss#?:? ?$")
_MEASURED = lazy(r"\b(?:viral load|vl|copies|count|counts|hcg|bhcg|ferritin|ldh|wbc|rbc|plt|platelets?|titer|cfu|dose|units)\b[^.;]{0,20}$")


def _digits(match: re.Match[str]) -> str:
    return re.sub(r"\D", "", match[0])


def _is_plain_ssn(match: re.Match[str]) -> bool:
    return is_ssn(_digits(match)) and not _OTHER_NUMBER.search(left_of(match.string, match.start()))


def _is_named_ssn(match: re.Match[str]) -> bool:
    """Nine digits after a word for social security, whatever their area: a typing error is still the patient's number."""
    return bool(_SSN_WORD.search(left_of(match.string, match.start())))


def _is_odd_ssn(match: re.Match[str]) -> bool:
    return not is_ssn(_digits(match)) and not _OTHER_NUMBER.search(left_of(match.string, match.start()))


def _is_unexplained(match: re.Match[str]) -> bool:
    """A long number that measures nothing, is not round, and is no trial's public number."""
    value = match["phi"]
    harmless = value.endswith("000") or len(set(value)) == 1 or value.startswith("NCT")
    return not harmless and not is_quantity(match.string, match.end()) and not _MEASURED.search(left_of(match.string, match.start()))


def _is_iban(match: re.Match[str]) -> bool:
    from stdnum import iban

    return bool(iban.is_valid(match[0]))


def _is_accession(match: re.Match[str]) -> bool:
    return match["prefix"].upper() not in ("ICD", "CPT", "DSM", "NDC", "HLA", "CD", "IL", "PD", "CA", "RCA", "AHA")


def _is_vehicle(match: re.Match[str]) -> bool:
    """``8KV 417`` after a word for a vehicle: capitals and digits, five to eight of them, and no measurement."""
    value = match["phi"]
    letters = re.match("[A-Z]*", value)
    shaped = 5 <= len(re.sub("[ -]", "", value)) <= 8 and any(map(str.isupper, value)) and sum(map(str.isdigit, value)) >= 2
    return shaped and not (letters and letters[0] in _VITALS)


def _row(
    name: str,
    label: str,
    regex: str,
    score: float,
    check: Check | None = None,
    *,
    hints: tuple[str, ...] = (),
    starts: tuple[str, ...],
    flags: int = 0,
) -> Pattern:
    return Pattern(f"identifiers.{name}", label, lazy(regex, flags), score, check, hints, starts)


_VITALS = frozenset("BP HR RR GCS SBP DBP INR BAC ETOH CT MRI XR EKG ECG WBC HGB PT ED ER ICU ISS".split())
_LICENSED = (*sorted(PLAIN_DEGREES), "emt", "aemt", "paramedic")
_LICENSED_STARTS = tuple({re.split("[-/]", degree)[0] for degree in _LICENSED})
_POLICE = ("ofc", "officer", "det", "detective", "sgt", "trooper", "deputy", "constable", "agent")
_CARS = tuple("car cars van truck vehicle suv motorcycle taxi pickup sedan reg registration plate driving".split())
_PLATE = r"(?P<phi>[A-Z0-9]{2,4}[ -]?[A-Z0-9]{2,4})(?![A-Za-z0-9/%-]|\.\d)"
_LAST_FOUR = r"last (?:four|4)(?: digits)?"
_SSN = r"(?:ssn|social(?: security)?(?: number| no\.?| #)?|ss#?)"
_SSN_ENDS = rf"\b{_SSN}\b[^\d\n]{{0,15}}(?:{_LAST_FOUR}|ending(?: in)?|ends(?: in)?)[^\d\n]{{0,8}}(?P<phi>\d{{4}})(?!\d)"
_ENDS_OF_SSN = rf"\b{_LAST_FOUR}(?: of| of the| of his| of her)? {_SSN}\W{{0,4}}(?:is |are )?(?P<phi>\d{{4}})(?!\d)"
_ARC = r"[-+−]?\d{1,3}\.\d{4,}°?(?: ?[NSEW]\b)?"
PATTERNS = PatternTable(
    _row("ssn", "SSN", rf"{_OPEN}\d{{3}}-\d{{2}}-\d{{4}}{_SHUT}", 0.95, _is_plain_ssn, starts=(THREE,)),
    _row("ssn-odd", "SSN", rf"{_OPEN}\d{{3}}-\d{{2}}-\d{{4}}{_SHUT}", 0.6, _is_odd_ssn, starts=(THREE,)),
    _row("ssn-named", "SSN", rf"{_OPEN}\d{{3}}[ .-]?\d{{2}}[ .-]?\d{{4}}{_SHUT}", 0.97, _is_named_ssn, starts=(THREE, LONG)),
    _row("ssn-last-four", "SSN", _SSN_ENDS, 0.92, flags=re.IGNORECASE, starts=("ssn", "ss", "social")),
    _row("ssn-last-four-of", "SSN", _ENDS_OF_SSN, 0.92, flags=re.IGNORECASE, starts=("last",)),
    _row("ssn-masked", "SSN", r"(?<![A-Za-z0-9])[xX*#]{3}-[xX*#]{2}-(?P<phi>\d{4})(?!\d)", 0.95, hints=("x-", "*-", "#-"), starts=()),
    _row("ssn-half-masked", "SSN", rf"{_OPEN}\d{{3}}-[xX*]{{2}}-\d{{4}}{_SHUT}", 0.95, starts=(THREE,)),
    _row(
        "ssn-last-four-lettered", "SSN", r"\blast ?(?:4|four)[ :#]{1,3}(?P<phi>[a-z]\d{4})(?![a-z0-9-])", 0.9, flags=re.I, starts=("last",)
    ),
    _row("gb-nino", "SSN", rf"{_OPEN}[A-CEGHJ-PQR-TW-Z][A-CEGHJ-NPQR-TW-Z]\d\d ?\d\d ?\d\d ?[A-D]{_SHUT}", 0.93, starts=(LETTERED,)),
    _row(
        "degree-licence",
        "LICENSE",
        rf"\b(?:{'|'.join(_LICENSED)})(?:-[a-z]{{1,2}})?[ ,]{{0,2}}(?:#|\((?-i:[A-Z]{{2}}) )"
        rf"(?P<phi>[A-Z]?\d{{6,9}}|\d{{3}}-\d{{6}}|[A-Z]{{1,3}}-?\d{{4,8}}){_SHUT}",
        0.85,
        flags=re.I,
        starts=_LICENSED_STARTS,
    ),
    _row(
        "officer",
        "IDNUM",
        rf"\b(?:{'|'.join(_POLICE)})\.?(?: [a-z.'’-]{{1,20}}){{1,3}},? (?:#|badge ?#?) ?(?P<phi>\d{{3,6}})(?!\d)",
        0.85,
        flags=re.I,
        starts=_POLICE,
    ),
    _row("constable", "IDNUM", r"\bW?[PD]C (?P<phi>\d{3,5})(?= [A-Z][a-z])", 0.8, starts=("pc", "wpc", "dc")),
    _row(
        "beside-sex",
        "MEDICALRECORD",
        r"\d{1,3} ?[MF],? #(?P<phi>[A-Z]{0,3}-?\d[\d-]{4,11})(?![A-Za-z0-9])",
        0.85,
        starts=(SHORT, INNER, THREE),
    ),
    _row(
        "beside-sex-lettered",
        "MEDICALRECORD",
        r"\d{1,3} ?[MF] {1,4}(?P<phi>[A-Z]{1,2} ?\d{2,3}-\d{2,3}-\d{2,4}|[A-Z]{1,3}-?\d{6,9})(?![A-Za-z0-9-])",
        0.85,
        starts=(SHORT, INNER, THREE),
    ),
    _row(
        "gb-plate",
        "VEHICLE",
        rf"(?i:{'|'.join(_CARS)})[,:. (]{{1,3}}(?P<phi>[A-Z]{{2}}\d{{2}} [A-Z]{{3}})(?![A-Za-z0-9])",
        0.9,
        starts=_CARS,
    ),
    _row(
        "vehicle-plate",
        "VEHICLE",
        rf"(?i:car|van|truck|vehicle|suv|motorcycle|taxi|pickup|sedan)(?:: ?(?:[A-Z][a-z]+ )?| ?\(|, (?:reg )?){_PLATE}",
        0.8,
        _is_vehicle,
        starts=_CARS,
    ),
    _row(
        "medicare-old", "HEALTHPLAN", rf"{_OPEN}\d{{3}}-?\d{{2}}-?\d{{4}}-?(?:[A-DTM]\d?|[WH][A-Z0-9]?){_SHUT}", 0.8, starts=(THREE, LONG)
    ),
    _row(
        "mbi",
        "HEALTHPLAN",
        rf"{_OPEN}[1-9]{_MBI_LETTER}(?:{_MBI_LETTER}|\d)\d-?{_MBI_LETTER}(?:{_MBI_LETTER}|\d)\d-?{_MBI_LETTER}{{2}}\d\d{_SHUT}",
        0.95,
        starts=(SHORT,),
    ),
    _row("dea", "LICENSE", rf"{_OPEN}[ABCDEFGHJKLMPRSTUX][A-Z9]\d{{7}}{_SHUT}", 0.96, lambda match: is_dea(match[0]), starts=(LETTERED,)),
    _row(
        "driver-gb", "LICENSE", rf"{_OPEN}[A-Z]{{2}}[A-Z9]{{3}}\d[0156]\d[0-3]\d\d[A-Z][A-Z9]\d[A-Z]{{2}}{_SHUT}", 0.9, starts=(LETTERED,)
    ),
    _row(
        "vin",
        "VEHICLE",
        rf"{_OPEN}(?=\d{{0,16}}[A-Z])[A-HJ-NPR-Z0-9]{{17}}{_SHUT}",
        0.97,
        lambda match: any(map(str.isdigit, match[0])) and is_vin(match[0]),
        starts=(SHORT, THREE, FOUR, LONG, LETTERED),
    ),
    _row(
        "card",
        "ACCOUNT",
        rf"{_OPEN}\d{{4}}([ -]?)\d{{4}}\1\d{{4}}\1\d{{4}}{_SHUT}",
        0.92,
        lambda match: is_luhn(_digits(match)),
        starts=(FOUR, LONG),
    ),
    _row(
        "iban",
        "ACCOUNT",
        rf"{_OPEN}[A-Z]{{2}}\d{{2}}(?: ?[A-Z0-9]{{4}}){{3,7}}(?: ?[A-Z0-9]{{1,3}})?{_SHUT}",
        0.97,
        _is_iban,
        starts=(LETTERED,),
    ),
    # A unit of blood, as banks number them: facility, year, number.
    _row("blood-unit", "IDNUM", rf"{_OPEN}[A-Z]\d{{4}}([ -]?)\d\d\1\d{{6}}(?:\1[0-9A-Z]{{2}})?{_SHUT}", 0.9, starts=(LETTERED,)),
    _row("udi", "DEVICE", r"\(01\)\d{14}(?:\(\d{2,3}\)[A-Za-z0-9]{1,20}){0,6}", 0.98, starts=(MARKED,)),
    # A picture, a study or a machine, as DICOM numbers them.
    _row("uid", "IDNUM", rf"{_OPEN}[0-2]\.\d{{1,3}}(?:\.\d+){{4,}}{_SHUT}", 0.97, starts=(SHORT,)),
    # HIPAA names geocodes: visits at home and ambulances write them.
    _row(
        "geocode",
        "LOCATION-OTHER",
        rf"\b(?:lat(?:itude)?|lon(?:g(?:itude)?)?|lng|gps|coordinates?|geocode)\b[ .:=(]{{0,3}}(?P<phi>{_ARC}(?:,? ?{_ARC})?)",
        0.95,
        flags=re.I,
        starts=("lat", "latitude", "lon", "long", "longitude", "lng", "gps", "coordinates", "coordinate", "geocode"),
    ),
    # Three words for a square of three metres, as ambulances give them.
    _row(
        "geocode-words",
        "LOCATION-OTHER",
        r"(?:\b(?:what3words|w3w)\W{0,3}(?:(?:is|address|location)\W{1,2})?/{0,3}|(?<!/)///)(?P<phi>[a-z]{3,}\.[a-z]{3,}\.[a-z]{3,})\b",
        0.95,
        flags=re.I,
        starts=(),
        hints=("what3words", "w3w", "///"),
    ),
    _row("geocode-lettered", "LOCATION-OTHER", r"\d{1,2}\.\d{3,}°? ?[NS],? ?\d{1,3}\.\d{3,}°? ?[EW]\b", 0.95, starts=(SHORT, INNER)),
    _row(
        "accession",
        "IDNUM",
        rf"(?<![A-Za-z0-9./-])(?P<prefix>[A-Z]{{1,3}})-?\d{{2}}-\d{{4,8}}{_SHUT}",
        0.85,
        _is_accession,
        starts=(LETTERED,),
    ),
    _row("grouped-record", "MEDICALRECORD", rf"{_OPEN}\d{{3}}-\d{{2}}-\d{{2}}(?:-\d)?{_SHUT}", 0.7, starts=(THREE,)),
    _row("alone-on-line", "MEDICALRECORD", r"^[ \t]*#?(?P<phi>\d{6,10})[ \t]*$", 0.55, flags=re.MULTILINE, starts=()),
    _row(
        "unexplained",
        "IDNUM",
        r"(?<![A-Za-z0-9.,/$+-])(?P<phi>(?:[A-Z]{1,3}-?)?\d{7,20})(?![A-Za-z0-9%]|[.,/-]\d)",
        0.5,
        _is_unexplained,
        starts=(LONG, LETTERED),
    ),
)


def find_identifiers(reading: Reading) -> Iterator[Span]:
    """Spans of SSN, MEDICALRECORD, HEALTHPLAN, ACCOUNT, LICENSE, VEHICLE, DEVICE, BIOID and IDNUM in the text, and of geocodes, which are
    numbers of a place; they may overlap.

    >>> [(s.label, s.start, s.end) for s in find_identifiers(Reading("MRN: 00482-71-9, NPI 1234567893"))]
    [('MEDICALRECORD', 5, 15), ('LICENSE', 21, 31), ('IDNUM', 21, 31)]
    """
    yield from find_labelled(reading)
    yield from find_foreign_ids(reading)
    yield from find_patterns(PATTERNS, reading)
