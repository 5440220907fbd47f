"""Names of files that hold a person or a day: ``oduya_grace_chestCT_20240917.dcm``, ``IMG_20240626_MWB_rf1.jpg``."""

import re
from collections.abc import Iterator

from incognote.document import Span
from incognote.find.rules.engine.reading import Reading
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import is_capital_word, is_common, is_given, is_surname

_ENDS = tuple("dcm jpg jpeg png pdf doc docx tif tiff heic mp4 mov xls xlsx csv txt wav mp3 zip".split())
FILE = lazy(rf"(?<![\w/.@-])[\w-]{{3,80}}(?:\.[\w-]{{1,40}}){{0,3}}\.(?:{'|'.join(_ENDS)})(?!\w)", re.IGNORECASE)
_PIECE = lazy(r"(?:19|20)\d\d-?(?:0[1-9]|1[0-2])-?(?:[0-2]\d|3[01])(?!\d)|\d+|[^\W\d_]+")
# A camera names its pictures by the day; who adds letters to that adds the patient's.
_CAMERA = lazy(r"(?:IMG|DSC|PXL|VID|SCAN|PHOTO)[_-]?\d{4,}[_-](?=.*[A-Za-z])")
_INITIALS = lazy(r"[A-Z]{2,3}")
_CAMERAS = frozenset({"IMG", "DSC", "PXL", "VID"})
_DAY = 8


def find_files(reading: Reading) -> Iterator[Span]:
    """Spans of persons and days in the names of files.

    >>> text = "see oduya_grace_chestCT_20240917.dcm and consent_form_2.pdf"
    >>> [(span.label, text[span.start : span.end]) for span in find_files(Reading(text))]
    [('PATIENT', 'oduya_grace'), ('DATE', '20240917')]
    """
    if not any(f".{end}" in reading.lower for end in _ENDS):
        return
    for file in FILE.finditer(reading.text):
        if _CAMERA.match(reading.text, *file.span()):
            yield Span(*file.span(), "IDNUM", 0.8, "rules.identifiers.file")
        else:
            yield from _read_pieces(reading.text, file)


def _read_pieces(text: str, file: re.Match[str]) -> Iterator[Span]:
    """The days, and the names with the mark between them as one."""
    pieces = list(_PIECE.finditer(text, file.start(), text.rfind(".", *file.span())))
    named = [_is_name(piece[0], first=piece is pieces[0], alone=len(pieces) < 2) for piece in pieces]
    for at in range(len(pieces) - 1):
        if _is_pair(pieces[at][0], pieces[at + 1][0]) or _is_pair(pieces[at + 1][0], pieces[at][0]):
            named[at] = named[at + 1] = True
    for at, piece in enumerate(pieces):
        if piece[0][0].isdigit():
            if sum(map(str.isdigit, piece[0])) == _DAY:
                yield Span(*piece.span(), "DATE", 0.85, "rules.dates.file")
        elif named[at] and not (at and named[at - 1]):
            last = at
            while last + 1 < len(pieces) and named[last + 1]:
                last += 1
            yield Span(piece.start(), pieces[last].end(), "PATIENT", 0.8, "rules.name.file")


def _is_pair(given: str, family: str) -> bool:
    """``grace`` and ``oduya``: a given name, though it is a word too, beside what is no word at all."""
    return (
        is_given(given)
        and len(family) > 2
        and (family.islower() or family.istitle() or family.isupper())
        and not is_common(family.casefold())
        and not is_capital_word(family)
    )


def _is_name(piece: str, *, first: bool, alone: bool) -> bool:
    """A word of the lists that is no common word; or initials that open a name of more pieces."""
    if _INITIALS.fullmatch(piece):
        return first and not alone and piece not in _CAMERAS and not is_capital_word(piece) and not is_common(piece.casefold())
    known = is_given(piece) or is_surname(piece)
    return known and len(piece) > 2 and not is_common(piece.casefold()) and not is_capital_word(piece)
