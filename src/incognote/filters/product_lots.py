"""Lot and catalogue numbers that identify a product and no person: lots of vaccines, drugs, tests and kits, catalogue numbers of implants.

Thousands of people get a vaccine of one lot. The lot of an implanted or attached device stays a candidate, as device identifiers are HIPAA
identifiers. The context shows which of the two a lot is; one without such context counts as a device's.
"""

import re

from incognote.lexicon import word_list
from incognote.lexicon.context import left_of, line_around, right_of
from incognote.lexicon.lazy import lazy
from incognote.lexicon.word_lists import read_word_lists

_LISTS = read_word_lists("lots")
_PRODUCT, _DEVICE = (lazy(_LISTS[name]) for name in ("products", "devices"))
_NUMBERED = r"(?:[ .]?(?:nos?\b\.?|numbers?|num\b|nr\b|code|id\b|#))?"
_LOT = lazy(rf"(?<![a-z])(?:lots?|batch(?:es)?|b/n){_NUMBERED}[ \t:#.=(\"-]{{0,4}}(?:[a-z0-9-]{{4,14}}(?:, ?| and | & |/)){{0,3}}$")
# "Lot" as a column heading: a cell of its own.
_HEAD = lazy(rf"(?:^|(?<=[|,\t])|(?<=[ ]{{2}}))[ ]?(?:lot|batch){_NUMBERED}(?=[ \t]*(?:[|,\t]|$|[ ]{{2}}))", re.IGNORECASE)
_WORD = lazy(r"[a-z]{4,}")
# Characters: no table of lots is longer.
_BLOCK = 4000
_NAMES = ("lot", "batch", "b/n")
_HEADS = ("Lot", "LOT", "lot", "Batch", "BATCH", "batch")
_REF = lazy(r"(?<![a-z])(?:ref|cat|catalog(?:ue)?)(?:[ .]{1,2}(?:nos?\b\.?|numbers?|#))?(?P<mark>[ :#.]{1,3})$")
# "Our ref", "crime ref": the reference of a letter or a case.
_WHOSE = lazy(r"\b(?:our|your|their|dwp|crime|call|police|patient|pt|hosp(?:ital)?|clinic|claim|case|gp|job|order|replacement|my) $")
_BESIDE_REF = lazy(r"\b(?:lot|sn|s/n|serial|udi|gtin)\b")
_STANDARD = lazy(r"[A-Z]{2,6}-(?:19|20)\d\d")
_REFERENCE = lazy(r"\b(?:reference|ref|predicted|equations?)(?: values?| set| equations?)?[ :]{1,2}$")


def is_product_number(text: str, start: int, end: int) -> bool:
    """Whether the value is the lot of a consumable, the catalogue number of an implant, or the name of a standard.

    >>> text = "Fluzone lot U7718AA; stent lot 2071441, REF 5515-F-402"
    >>> [is_product_number(text, text.index(value), text.index(value) + len(value)) for value in ("U7718AA", "2071441", "5515-F-402")]
    [True, False, True]
    """
    return is_product_lot(text, start, end) or _is_catalogued(text, start, end)


def tells_product(line: str) -> bool:
    """Whether a lower-case line names a vaccine, a drug, a test or a kit."""
    return _PRODUCT.search(line) is not None


def is_product_lot(text: str, start: int, end: int) -> bool:
    """Whether the value is a lot of a vaccine, a drug, a test or a kit, by the words beside it or the head of its column.

    >>> is_product_lot("Tdap (batch: C5417AA)", 13, 20), is_product_lot("Mirena (lot TU0417K)", 12, 19)
    (True, False)
    """
    before = left_of(text, start, reach=160)
    if any(name in before for name in _NAMES) and (named := _LOT.search(before)):
        return _is_product(before[: named.start()], right_of(text, end, reach=45))
    line = line_around(text, start)[0]
    head = _find_head(text, line, start, end)
    return head is not None and _is_product(head.lower(), left_of(text, start, reach=160) + right_of(text, end, reach=80), either=True)


def _is_product(before: str, after: str, *, either: bool = False) -> bool:
    """Whether the nearest word before the lot, or else the first after it, names a product; in a table, no word may name a device."""
    if either:
        row = f"{before}\n{after}"
        return not _DEVICE.search(row) and (_PRODUCT.search(row) is not None or _last_drug(row) > 0)
    product = max((found.end() for found in _PRODUCT.finditer(before)), default=0)
    device = max((found.end() for found in _DEVICE.finditer(before)), default=0)
    if device or product or _last_drug(before):
        return max(product, _last_drug(before)) > device
    told, other = _PRODUCT.search(after), _DEVICE.search(after)
    return told is not None and (other is None or told.start() < other.start())


def _last_drug(words: str) -> int:
    """The end of the last drug name, or 0."""
    drugs = word_list("drugs")
    return max((found.end() for found in _WORD.finditer(words) if found[0] in drugs), default=0)


def _find_head(text: str, line: int, start: int, end: int) -> str | None:
    """The line above, in the same block, that has a column heading for lots over the value."""
    block = max(text.rfind("\n\n", max(0, line - _BLOCK), line) + 1, line - _BLOCK, 0)
    if not any(text.find(name, block, line) >= 0 for name in _HEADS):
        return None
    for row in reversed(text[block:line].splitlines()):
        if any(_is_under(row, head, text[line:end], start - line) for head in _HEAD.finditer(row)):
            return row
    return None


def _is_under(row: str, head: re.Match[str], written: str, start: int) -> bool:
    """Whether a value that starts here in its line is under the heading: in the cell of the same number, or at the same offset."""
    for mark in "|\t,":
        if mark in row:
            return row.count(mark, 0, head.start()) == written.count(mark, 0, start)
    return start <= head.end() and head.start() < len(written)


def _is_catalogued(text: str, start: int, end: int) -> bool:
    before = left_of(text, start, reach=120)
    if _STANDARD.fullmatch(text, start, end) and _REFERENCE.search(before):
        return True
    ref = _REF.search(before) if "ref" in before or "cat" in before else None
    if ref is None or _WHOSE.search(before, 0, ref.start()):
        return False
    line = before + " " + right_of(text, end, reach=60)
    return bool(_BESIDE_REF.search(line) or (":" not in ref["mark"] and _DEVICE.search(line)))
