"""Codes that name a thing and nobody: items of forms, diagnoses, procedures, products, trials, variants of genes and models of devices."""

from incognote.rules.context import left_of
from incognote.rules.lazy import lazy
from incognote.rules.lots import is_product_number
from incognote.rules.word_lists import read_word_lists

_WORDS = read_word_lists("lookalikes")
_TITLE_CODE = lazy(r"\d{3}\.\d{3}-\d{3}")
_CLOCKS = lazy(r"(?:[01]\d|2[0-3])[0-5]\d ?[-–] ?(?:[01]\d|2[0-3])[0-5]\d")
_ITEM = lazy(r"[A-Z]\d{4}[A-Z]?\d?")
_FORMS = ("OASIS", "oasis", "Oasis", "MDS ")
_DIAGNOSIS = lazy(r"[A-TV-Z]\d[0-9A-Z]\.[0-9A-Z]{1,4}(?![\w-])")
# LOINC codes in messages, and ICD codes, alone.
_LISTED = lazy(r"\d{4,5}-\d(?=\^)|[A-TV-Z]\d[0-9A-Z]\.[0-9A-Z]{1,4}")
# What says that a number is somebody's, whatever it looks like.
_TOLD = lazy(
    r"(?:\b(?:x|ext|pager?|bleep|tel|ph|phone|fax|mrn|mr|id|ids|acct|account|no|nos|num|number|nr|case|ref|reference|claim|order|accession|acc|file"
    r"|chart|policy|member|group|grp|auth\w*|ticket|batch|specimen|spec|sample|study|trial|subject|encounter|visit|csn|fin|har|unit|badge|permit"
    r"|docket|report|rpt|run|incident|invoice|receipt|rx|script|serial|sn|s/n|lot|tag|band|bracelet|passport|licen[cs]e|cert\w*|reg\w*|udi)\b\.?"
    r"|#)\W{0,3}$|[A-Za-z]-?$"
)
_BILLED = lazy(r"992(?:0[1-5]|1[1-5]|2[1-3]|3[1-9]|8[1-5]|9[12])|G\d{4}|D[01]\d{3}")
# A change of one amino acid, after its gene: "KIT D816V".
_VARIANT, _GENE = lazy(r"[AC-IK-NP-TVWY]\d{2,4}[AC-IK-NP-TVWY]"), lazy(r"\b[A-Z][A-Z0-9]{2,5},? $")
_PRODUCT = lazy(r"E\d{4}[VA-D]\d\d|NCT\d{8}")
_CODED = lazy(rf"\b(?:{_WORDS['coded']})(?: codes?)?[ :#=\"]{{1,3}}$")
# Form 1500 is everybody's, form XM25R48478 somebody's.
_FORM, _LONG = lazy(r"\bforms?[ :#]{1,2}$"), 6
_MADE_BY = lazy(rf"\b(?:{_WORDS['makers']})[ (]{{1,2}}$")
_MODEL = lazy(r"[A-Z]{1,4}-?[0-9A-Z]{1,4}-?[0-9A-Z]{0,6}")


def is_public_code(text: str, start: int, end: int) -> bool:
    """Item codes of forms, codes of diagnoses, procedures, products and trials, models of devices and lots of drugs name nobody."""
    if is_product_number(text, start, end):
        return True
    if (_CLOCKS.fullmatch(text, start, end) or _is_listed(text, start, end)) and not _TOLD.search(left_of(text, start)):
        return True
    if _PRODUCT.fullmatch(text, start, end) or _DIAGNOSIS.match(text, start) or _TITLE_CODE.fullmatch(text, start, end):
        return True
    if is_billed(text, start, end) or (_VARIANT.fullmatch(text, start, end) and _GENE.search(text, max(0, start - 12), start)):
        return True
    if _ITEM.fullmatch(text, start, end) and any(form in text for form in _FORMS):
        return True
    before = left_of(text, start)
    return bool(_CODED.search(before) or (end - start < _LONG and _FORM.search(before))) or is_made(text, start, end)


def is_made(text: str, start: int, end: int) -> bool:
    """The model of a device after its maker."""
    return _MODEL.fullmatch(text, start, end) is not None and bool(_MADE_BY.search(left_of(text, start)))


def is_billed(text: str, start: int, end: int) -> bool:
    """A code of a visit that every office bills, where no word says that it is somebody's number."""
    return _BILLED.fullmatch(text, start, end) is not None and not _TOLD.search(left_of(text, start))


def _is_listed(text: str, start: int, end: int) -> bool:
    found = _LISTED.match(text, start)
    return found is not None and found.end() == end
