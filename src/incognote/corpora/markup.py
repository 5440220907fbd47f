"""Notes in inline markup, one ``.note`` file each; the file name without ``.note`` is the id.

The patient is what stands before the first dot of the name: ``kaczmarek.2-discharge.note`` is of patient kaczmarek.
"""

import re
from pathlib import Path

from incognote.corpora.files import folder_format, read_text
from incognote.corpora.format import ReadOptions, WriteOptions
from incognote.corpora.gold import make_document
from incognote.document import Document, format_markup, parse_markup
from incognote.errors import CorpusError, MarkupError, SpanError

_LABEL = re.compile("[A-Z][A-Z0-9_-]*")


def _parse(id: str, path: Path, options: ReadOptions) -> Document:
    patient, dot, _ = id.rsplit("/", 1)[-1].partition(".")
    try:
        note = parse_markup(read_text(path, document=id))
    except (MarkupError, SpanError) as error:
        what, place, fix = error.what, error.where, error.fix
    else:
        return make_document(id, note.text, note.spans, path=path, options=options, patient=patient if dot else "")
    raise CorpusError(what, path=path, document=id, place=place, fix=fix)


def _render(document: Document, _: WriteOptions) -> dict[str, str]:
    for span in document.spans:
        if not _LABEL.fullmatch(span.label):
            fix = "use labels of capitals, digits, - and _"
            raise CorpusError("a label cannot be marked up", document=document.id, fix=fix)
    return {".note": format_markup(document)}


MARKUP = folder_format("markup", (".note",), _parse, _render)
