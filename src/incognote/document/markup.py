"""Inline markup, ``<PATIENT>Ann Lee</PATIENT> called``: how golden notes and examples are written."""

import re

from incognote.document.document import Document
from incognote.document.labels import is_known
from incognote.document.span import Span
from incognote.errors import MarkupError
from incognote.shown import show_id, show_text

_TAG = re.compile(r"<(/?)([A-Z][A-Z0-9_-]*)>")
_ESCAPE_IT = "write &lt; for a < that is text"
_ESCAPES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))


def parse_markup(marked: str, *, id: str = "", patient: str = "") -> Document:
    """The Document that marked text stands for. A bare ``<`` that opens no tag is text; ``&lt;`` and ``&amp;`` are escapes.

    >>> parse_markup("<PATIENT>Ann</PATIENT> &amp; co, BP < 120").spans
    (Span(start=0, end=3, label='PATIENT', score=1.0, source=''),)
    """
    text, spans, at, last = "", [], 0, 0
    begun: tuple[str, int] | None = None
    for match in _TAG.finditer(marked):
        text += _unescape(marked[at : match.start()])
        at = match.end()
        closing, label = match.groups()
        if not closing and begun is None:
            begun = label, len(text)
        elif closing and begun is not None and begun[0] == label and begun[1] < len(text):
            spans.append(Span(begun[1], len(text), label))
            begun = None
        else:
            what, fix = _explain(closing, label, begun)
            raise MarkupError(what, where=_place(id, match.start()), fix=fix)
        last = match.start()
    if begun is not None:
        raise MarkupError(f"{_show('<', begun[0])} is never closed", where=_place(id, last), fix=_ESCAPE_IT)
    return Document(id, text + _unescape(marked[at:]), patient=patient, spans=tuple(spans))


def _explain(closing: str, label: str, begun: tuple[str, int] | None) -> tuple[str, str]:
    """What is wrong with a tag, and a fix."""
    if not closing:
        return f"{_show('<', label)} opens inside {_show('<', begun[0] if begun else '')}", "close that first: tags do not nest"
    if begun is None or begun[0] != label:
        return f"{_show('</', label)} closes nothing", _ESCAPE_IT
    return f"{_show('</', label)} closes an empty span", "remove both tags"


def _show(opening: str, label: str) -> str:
    """A tag for a message; one that no scheme knows may be a name in angle brackets."""
    return show_text(opening + label + ">") if is_known(label) else "a tag"


def _place(id: str, at: int) -> str:
    shown = show_id(id)
    return (f"document {shown}, " if shown else "") + f"character {at:d}"


def format_markup(document: Document) -> str:
    """The inverse of :func:`parse_markup`.

    >>> format_markup(Document("n", "Ann & co", spans=(Span(0, 3, "PATIENT"),)))
    '<PATIENT>Ann</PATIENT> &amp; co'
    """
    parts, at = [], 0
    for span in document.spans:
        parts += [_escape(document.text[at : span.start]), f"<{span.label}>", _escape(document.value(span)), f"</{span.label}>"]
        at = span.end
    return "".join(parts) + _escape(document.text[at:])


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _unescape(text: str) -> str:
    for escape, character in _ESCAPES:
        text = text.replace(escape, character)
    return text
