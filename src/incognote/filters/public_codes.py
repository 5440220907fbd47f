"""Codes that identify no person: products, trials and entries of public lists."""

from incognote.filters.product_lots import is_product_number
from incognote.lexicon.context import left_of
from incognote.lexicon.lazy import lazy
from incognote.lexicon.word_lists import read_word_lists

_WORDS = read_word_lists("lookalikes")
_CLOCKS = lazy(r"(?:[01]\d|2[0-3])[0-5]\d ?[-–] ?(?:[01]\d|2[0-3])[0-5]\d")
# Words before a number that make it a personal identifier, whatever its form.
_TOLD = lazy(
    r"(?:\b(?:x|ext|pager?|bleep|tel|ph|phone|fax|mrn|mr|id|ids|acct|account|no|nos|num|number|nr|case|ref|reference|claim|order|accession|acc|file"
    r"|chart|policy|member|group|grp|auth\w*|ticket|batch|specimen|spec|sample|study|trial|subject|encounter|visit|csn|fin|har|unit|badge|permit"
    r"|docket|report|rpt|run|incident|invoice|receipt|rx|script|serial|sn|s/n|lot|tag|band|bracelet|passport|licen[cs]e|cert\w*|reg\w*|udi)\b\.?"
    r"|#)\W{0,3}$|[A-Za-z]-?$"
)
_PRODUCT = lazy(r"E\d{4}[VA-D]\d\d|NCT\d{8}")
_CODED = lazy(rf"\b(?:{_WORDS['coded']})(?: codes?)?[ :#=\"]{{1,3}}$")


def is_public_code(text: str, start: int, end: int) -> bool:
    """Whether the value is a product or trial code, a code after the name of a public list, duty hours (``0700-1900``) or a drug lot."""
    if is_product_number(text, start, end) or _PRODUCT.fullmatch(text, start, end):
        return True
    before = left_of(text, start)
    if _CLOCKS.fullmatch(text, start, end) and not _TOLD.search(before):
        return True
    return _CODED.search(before) is not None
