"""What a format can hold comes back from it unchanged, to the character."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.corpora import FORMATS, WriteOptions, detect_format, read_corpus, write_corpus
from incognote.document import Document, Span
from tests.strategies import documents

LABELS = {"meddocan": ("FECHAS", "CALLE"), "i2b2-2006": ("PATIENT", "LOCATION")}
FORBIDDEN_IN_XML = "\x00\x0b\ufffe"
# Ends of CDATA, entities, quotes, line separators that are no newlines, and a bare carriage return.
AWKWARD = st.sampled_from(["]]>", "]]", ">", "&amp;", '"', '""', ",", "\r\n", "\r", "\n", "\t", " ", "\x85", "\u2028", "😀", "é", "a"])


@st.composite
def awkward_documents(draw: st.DrawFn, labels: tuple[str, ...], extra: str) -> Document:
    """A document of the characters that files find hard to hold; its spans may begin or end with white space."""
    text = "".join(draw(st.lists(AWKWARD | st.sampled_from(extra or "a"), max_size=25)))
    edges = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    spans = [Span(start, end, draw(st.sampled_from(labels))) for start, end in zip(edges[::2], edges[1::2], strict=False)]
    return Document(
        draw(st.text("abc/1", min_size=1, max_size=5)), text, patient=draw(st.sampled_from(["", "p 1", "é"])), spans=tuple(spans)
    )


def trip(corpus: list[Document], name: str) -> list[Document]:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, f"corpus{FORMATS[name].suffixes[0]}" if FORMATS[name].layout == "file" else "corpus")
        assert write_corpus(corpus, target, format=name) == len(corpus)
        if corpus:
            assert detect_format(target).name == name
        elif FORMATS[name].layout == "folder":
            return []
        return list(read_corpus(target, format=name))


def expected(document: Document, name: str) -> tuple[str, str, str, tuple[Span, ...]]:
    spans = () if name == "text" else document.spans
    patient = "" if name in ("text", "brat", "markup") else document.patient
    return document.id, document.text, patient, spans


def corpora(name: str) -> st.SearchStrategy[list[Document]]:
    labels = LABELS.get(name, ("PATIENT", "DATE"))
    extra = "" if name in ("i2b2", "i2b2-2006", "meddocan") else FORBIDDEN_IN_XML
    kinds = documents(labels=labels) | awkward_documents(labels, extra)
    if FORMATS[name].layout == "folder":
        kinds = kinds.filter(lambda document: all(document.id.split("/")))
    return st.lists(kinds, max_size=4, unique_by=lambda document: document.id)


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "conll"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_documents_come_back_unchanged(name: str, data: st.DataObject) -> None:
    corpus = data.draw(corpora(name))
    order = corpus if FORMATS[name].layout == "file" else sorted(corpus, key=lambda document: document.id)
    back = trip(corpus, name)
    assert [(note.id, note.text, note.patient, note.spans) for note in back] == [expected(document, name) for document in order]


@settings(max_examples=80, deadline=None)
@given(st.lists(documents(), max_size=4, unique_by=lambda document: document.id))
def test_spans_and_visible_characters_come_back_from_conll(corpus: list[Document]) -> None:
    back = trip(corpus, "conll")
    assert [(note.id, note.patient, note.spans) for note in back] == [(note.id, note.patient, note.spans) for note in corpus]
    assert [_visible(note) for note in back] == [_visible(note) for note in corpus]


def _visible(document: Document) -> list[tuple[int, str]]:
    return [(at, character) for at, character in enumerate(document.text) if not character.isspace()]


@pytest.mark.parametrize("name", [name for name, format in FORMATS.items() if format.join is not None])
@pytest.mark.parametrize("sizes", [(0, 0), (3, 0, 4), (0, 2), (1500, 700, 1), (1,)])
def test_joined_parts_are_the_file_written_at_once(name: str, sizes: tuple[int, ...], tmp_path: Path) -> None:
    format = FORMATS[name]
    notes = [Document(f"n{at}", f"note\r\n{at}", patient=f"p{at % 3}", spans=(Span(0, 4, "DATE"),)) for at in range(sum(sizes))]
    format.write(notes, tmp_path / "whole", WriteOptions())
    rest, parts = iter(notes), []
    for number, size in enumerate(sizes):
        parts.append(tmp_path / f"part{number}")
        format.write([next(rest) for _ in range(size)], parts[-1], WriteOptions())
    assert format.join is not None
    format.join(parts, tmp_path / "joined")
    assert (tmp_path / "joined").read_bytes() == (tmp_path / "whole").read_bytes()


def test_reading_twice_gives_the_same_order(tmp_path: Path) -> None:
    notes = [Document(name, "x") for name in ("b", "a/2", "a-1", "a/10", "B")]
    write_corpus(notes, tmp_path / "notes", format="text")
    ids = [note.id for note in read_corpus(tmp_path / "notes")]
    assert ids == sorted(ids) == [note.id for note in read_corpus(tmp_path / "notes")]
