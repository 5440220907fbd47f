"""Normalizes look-alike and zero-width characters, keeping offsets.

Notes copied from a web page or a word processor have no-break spaces and soft hyphens; notes from East Asian keyboards have full-width
letters and digits. Rules and models see the normalized text.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from incognote.document.document import Document
from incognote.document.span import Span

# U+2010 hyphen and U+2011 non-breaking hyphen.
_HYPHENS = {0x2010: "-", 0x2011: "-"}
# The soft hyphen, joiners and other zero-width characters, direction marks, the byte order mark.
_UNSEEN = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]")


@dataclass(frozen=True, slots=True)
class NormalizedDocument:
    """A note with normalized text. ``places`` has the original offset of each character, or is None where the offsets agree."""

    document: Document
    places: Sequence[int] | None = field(default=None, repr=False)

    def restore(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        """The spans at their places in the original note."""
        if self.places is None:
            return tuple(spans)
        return tuple(replace(span, start=self.places[span.start], end=self.places[span.end - 1] + 1) for span in spans)


def normalize_document(document: Document) -> NormalizedDocument:
    """The note with normalized text and moved spans.

    >>> reading = normalize_document(Document("n1", "Dr.\\u00a0Re\\u00adyes, ２２", spans=[Span(4, 10, "DOCTOR")]))
    >>> reading.document.text, reading.document.value(reading.document.spans[0]), reading.restore(reading.document.spans)[0].end
    ('Dr. Reyes, 22', 'Reyes', 10)
    """
    if document.text.isascii():
        return NormalizedDocument(document)
    text = normalize_text(document.text)
    if not _UNSEEN.search(text):
        return NormalizedDocument(document if text == document.text else replace(document, text=text))
    places = [at for at, character in enumerate(text) if not _UNSEEN.match(character)]
    visible = (span for span in document.spans if _UNSEEN.sub("", text[span.start : span.end]))
    moved = (replace(span, start=bisect_left(places, span.start), end=bisect_left(places, span.end)) for span in visible)
    return NormalizedDocument(replace(document, text=_UNSEEN.sub("", text), spans=tuple(moved)), places)


def normalize_text(text: str) -> str:
    """The text with plain characters for full-width, styled and no-break ones, at the same length; superscripts stay, as 10² is not 102.

    >>> normalize_text("Dr.\\u00a0Ａｎａ at ٣, 10²")
    'Dr. Ana at 3, 10²'
    """
    return text if text.isascii() else text.translate(_PLAIN)


def normalize_value(value: str) -> str:
    """The normalized text of a value.

    >>> normalize_value("Re\\u00adyes"), normalize_value("０３/０４/２０６１")
    ('Reyes', '03/04/2061')
    """
    return value if value.isascii() else _UNSEEN.sub("", normalize_text(value))


class _Plain(dict[int, str | int]):
    """A translation table: the plain character for each code point, computed on first use."""

    def __missing__(self, code: int) -> str | int:
        self[code] = found = _HYPHENS.get(code) or _plain_character(chr(code)) or code
        return found


def _plain_character(character: str) -> str:
    if (digit := unicodedata.decimal(character, None)) is not None:
        return str(digit)
    if unicodedata.category(character) == "Zs":
        return " "
    kind, _, _ = unicodedata.decomposition(character).partition(" ")
    plain = unicodedata.normalize("NFKC", character) if kind in ("<wide>", "<font>") else ""
    return plain if plain.isascii() and len(plain) == 1 else ""


_PLAIN = _Plain()
