"""JSON lines: ``{"id", "patient", "text", "spans": [{"start", "end", "label"}]}``, one document a line.

Other keys are kept in ``meta`` and written back; ids that are numbers are written as numbers. Where columns are named, a line has its
note, id and patient under those names, or else under the ones above. The lines of obi and Prodigy, with ``note_id`` and ``patient_id``
under ``meta``, are read too, and so is ``.jsonl.gz``.
"""

import json
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from incognote.corpora.files import decode, draft, list_files, open_whole, write_parts
from incognote.corpora.format import SPANS, Columns, Format, ReadOptions, WriteOptions, make_each
from incognote.corpora.gold import Mark, choose_reading, make_document
from incognote.corpora.packed import Unpacking
from incognote.document import Document, Span
from incognote.errors import CorpusError
from incognote.shown import show_extra_column, show_text

SUFFIXES = (".jsonl", ".jsonl.gz")
# Under this key ``meta`` keeps how the document stood in its file: the header of a table, or the ids of a line that are no strings.
# It is for the file's own format only, and no column has such a name.
HEADER = "\0header"
_STANDARD = Columns()


class RawIds(NamedTuple):
    """The ids of a line as JSON has them, where one is a number, or a patient that is null."""

    id: object
    patient: object


def read(path: Path, options: ReadOptions) -> Iterator[Document]:
    for _, file in list_files(path, SUFFIXES):
        yield from make_each(read_lines(file), partial(_parse, path=file, options=options), options.quarantine)


def read_lines(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Number, byte offset and content of each line that is not blank."""
    offset = 0
    with open_whole(path) as file:
        lines = Unpacking(path).read_lines(file) if path.suffix.lower() == ".gz" else file
        for number, line in enumerate(lines, 1):
            content = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            if content.strip():
                yield number, offset + len(line) - len(content), content
            offset += len(line)


def _parse(numbered: tuple[int, int, bytes], path: Path, options: ReadOptions) -> Document:
    number, offset, line = numbered
    place = f"line {number:d}"
    record = load_object(decode(line, path=path, offset=offset), path, place)
    meta = record.get("meta")
    foreign: Mapping[str, Any] = meta if isinstance(meta, dict) else {}
    keys = _find_keys(record, options.columns)
    id, patient = record.get(keys.id, foreign.get("note_id")), record.get(keys.patient, foreign.get("patient_id", ""))
    # An empty cell of a table is null here.
    text = "" if keys.note in record and record[keys.note] is None else record.get(keys.note)
    if not _names_things(id) or not (name := name_id(id)):
        fix = f'give each line an "{show_text(keys.id)}", or name the key with {{id_column}}'
        raise CorpusError("no document id", path=path, place=place, fix=fix)
    if not isinstance(text, str):
        fix = f'give each line a "{show_text(keys.note)}" that is a string, or name the key with {{note_column}}'
        raise CorpusError("no note", path=path, document=name, place=place, fix=fix)
    if not _names_things(patient):
        raise CorpusError(f'"{show_text(keys.patient)}" must be a string or a number', path=path, document=name, place=place)
    spans = parse_spans(record.get(SPANS), text, path=path, id=name, place=place) if options.spans else []
    extra = {key: value for key, value in record.items() if key not in (keys.note, keys.id, keys.patient, SPANS)}
    if not (isinstance(id, str) and isinstance(patient, str)):
        extra[HEADER] = RawIds(id, patient)
    return make_document(name, text, spans, path=path, options=options, patient=name_id(patient), place=place, meta=extra)


def _names_things(value: object) -> bool:
    return isinstance(value, str | int | float | None) and not isinstance(value, bool)


def name_id(value: object) -> str:
    """An id as text. pandas makes whole numbers 17.0 where one of the column is missing, and nan of that one.

    >>> name_id(17.0), name_id("17.0"), name_id(None), name_id(float("nan"))
    ('17', '17.0', '', '')
    """
    if value is None or value != value:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _find_keys(record: Mapping[str, Any], columns: Columns) -> Columns:
    """Under which keys a line has its note, id and patient: the named ones, or the standard ones where it lacks those."""
    named = zip((columns.note, columns.id, columns.patient), (_STANDARD.note, _STANDARD.id, _STANDARD.patient), strict=True)
    return Columns(*(name if name in record else standard for name, standard in named))


def load_object(line: str, path: Path, place: str) -> dict[str, Any]:
    record = load_json(line, path, place)
    if not isinstance(record, dict):
        raise CorpusError("not a JSON object", path=path, place=f"{place}, character 1")
    if HEADER in record:
        raise CorpusError("a key begins with the character NUL", path=path, place=place, fix="rename it")
    return record


def load_json(line: str, path: Path, place: str, *, document: str = "") -> object:
    """The value of a JSON text, where every key and character of it can be kept."""
    column = 1
    try:
        value = json.loads(line, object_pairs_hook=_make_object)
        # A lone surrogate can be spelt in JSON but is no character: no file could hold the note.
        if "\\u" in line:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        return value
    except json.JSONDecodeError as error:
        fault, column = "malformed JSON: " + _explain(error), error.pos + 1
    except KeyError:
        fault = "an object has one key twice, so that a value would be lost"
    except UnicodeEncodeError:
        fault = "a lone surrogate (\\ud800 to \\udfff) is not a character"
    except (RecursionError, ValueError):
        fault = "malformed JSON: nested too deeply, or a number too long"
    raise CorpusError(fault, path=path, document=document, place=f"{place}, character {column:d}")


def _make_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise KeyError
    return made


def _explain(error: json.JSONDecodeError) -> str:
    """The message of the parser, less the character that some of them quote."""
    return show_text(error.msg.partition(":")[0])


def parse_spans(value: object, text: str, *, path: Path, id: str, place: str) -> list[Span]:
    """The spans of a ``spans`` list, each checked against the text, and against its own ``text`` where it has one."""
    if value is None:
        return []
    marks, spans = [], []
    for index, item in enumerate(value if isinstance(value, list) else [value]):
        where = f"{place}, span {index:d}"
        try:
            start, end, label = item["start"], item["end"], item["label"]
            score, source = item.get("score"), item.get("source")
            if not (type(start) is type(end) is int and isinstance(label, str) and label):
                raise TypeError
            marks.append(Mark(((start, end),), label, item["text"] if isinstance(item.get("text"), str) else None, where))
            choose_reading([text], marks[-1:], path=path, id=id)
            spans.append(Span(start, end, label, 1.0 if score is None else float(score), source if isinstance(source, str) else ""))
        except (KeyError, TypeError, AttributeError, ValueError):
            fault = 'a span is {"start": whole number, "end": whole number, "label": string}'
        else:
            continue
        raise CorpusError(fault, path=path, document=id, place=where)
    return spans


def span_records(spans: Iterable[Span]) -> list[dict[str, object]]:
    """The spans as JSON objects; score and source only where they say something."""
    return [
        {"start": span.start, "end": span.end, "label": span.label}
        | ({"score": span.score} if span.score != 1.0 else {})
        | ({"source": span.source} if span.source else {})
        for span in spans
    ]


def write(documents: Iterable[Document], path: Path, options: WriteOptions) -> int:
    return write_parts(documents, path, options, partial(_render, keys=options.columns))


def _render(document: Document, keys: Columns) -> str:
    id, patient = _raw_ids(document)
    own = {keys.id: id, keys.patient: patient, keys.note: document.text, SPANS: span_records(document.spans)}
    return dump_json(own | plain_meta(document, own), document.id) + "\n"


def _raw_ids(document: Document) -> RawIds:
    """The ids to write: as they were read, unless the document has others by now."""
    ids, raw = RawIds(document.id, document.patient), document.meta.get(HEADER)
    if not isinstance(raw, RawIds):
        return ids
    return RawIds(*(value if name_id(value) == id else id for value, id in zip(raw, ids, strict=True)))


def plain_meta(document: Document, own: Collection[str]) -> dict[str, object]:
    """The extra columns of a document; none may have a name that the note itself needs."""
    for key in document.meta:
        if key in own:
            raise CorpusError(
                f"it carries a second {show_extra_column(key)} beside the note", document=document.id, fix="rename that column"
            )
    return {key: value for key, value in document.meta.items() if key != HEADER}


def dump_json(value: object, id: str) -> str:
    """One line of JSON; dates and decimals from a table become strings, and NaN becomes null.

    >>> dump_json({"a": float("nan"), "b": [1.5]}, "n1")
    '{"a": null, "b": [1.5]}'
    """
    try:
        return json.dumps(value, ensure_ascii=False, default=_plain, allow_nan=False)
    except ValueError:
        value = _without_nan(value)
    except TypeError:
        pass
    with suppress(TypeError, ValueError):
        return json.dumps(value, ensure_ascii=False, default=_plain, allow_nan=False)
    raise CorpusError("a value beside the note is one that JSON cannot hold", document=id, fix="drop that column")


def _without_nan(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_nan(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(each) for each in value]
    return None if value != value else value


def _plain(value: object) -> str:
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError


def join(parts: Sequence[Path], path: Path) -> None:
    """The parts one after another; also right for CoNLL."""
    with draft(path) as file:
        for part in parts:
            with part.open("rb") as lines:
                shutil.copyfileobj(lines, file)


JSONL = Format("jsonl", "file", SUFFIXES, read, write, join)
