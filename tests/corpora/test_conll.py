"""CoNLL: our own files with offsets, and plain files of others."""

from pathlib import Path

import pytest

from incognote.corpora import read_corpus, write_corpus
from incognote.document import Document, Span
from incognote.errors import CorpusError


def read(folder: Path, content: str) -> list[Document]:
    (folder / "gold.conll").write_bytes(content.encode())
    return list(read_corpus(folder / "gold.conll"))


def test_our_lines_have_token_offsets_and_tag(tmp_path: Path) -> None:
    write_corpus([Document("n1", "Ann  Lee\ncame", patient="p", spans=(Span(0, 8, "PATIENT"),))], tmp_path / "a.conll", format="conll")
    assert (tmp_path / "a.conll").read_text(encoding="utf-8").split("\n") == [
        "-DOCSTART-\tn1\tp", "", "Ann\t0\t3\tB-PATIENT", "Lee\t5\t8\tI-PATIENT", "", "came\t9\t13\tO", "", "",
    ]  # fmt: skip


def test_a_token_that_gold_cuts_is_two_lines(tmp_path: Path) -> None:
    note = Document("n1", "3May", spans=(Span(0, 1, "AGE"), Span(1, 4, "DATE")))
    write_corpus([note], tmp_path / "a.conll", format="conll")
    assert next(read_corpus(tmp_path / "a.conll")).spans == note.spans


def test_plain_files_are_joined_by_blanks_and_newlines(tmp_path: Path) -> None:
    (note,) = read(tmp_path, "Ann B-PATIENT\r\nLee I-PATIENT\r\n\r\ncame O\r\n")
    assert (note.id, note.text, note.spans) == ("gold", "Ann Lee\ncame", (Span(0, 7, "PATIENT"),))


@pytest.mark.parametrize("blank", [" ", "\t"])
@pytest.mark.parametrize("columns", ["-X- O O", "-X- -X- O", "O", ""])
def test_documents_of_conll_2003_are_numbered(tmp_path: Path, columns: str, blank: str) -> None:
    start = f"-DOCSTART- {columns}\n\n"
    notes = read(tmp_path, f"{start}EU NNP B-NP B-ORG\n\n{start}no DT O O\n".replace(" ", blank))
    assert [(note.id, note.text, note.spans) for note in notes] == [("gold-1", "EU", (Span(0, 2, "ORG"),)), ("gold-2", "no", ())]


def test_a_stray_inside_tag_begins_a_span(tmp_path: Path) -> None:
    assert read(tmp_path, "Ann\tI-PATIENT\n")[0].spans == (Span(0, 3, "PATIENT"),)


@pytest.mark.parametrize(
    "note",
    [
        Document("a\tb", "x"),
        Document("a", "x", patient="p\n"),
        Document("a", "x ", spans=(Span(0, 2, "AGE"),)),
        Document("a", "x", spans=(Span(0, 1, "A B"),)),
    ],
)
def test_what_the_format_cannot_hold_is_refused(note: Document, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="CoNLL"):
        write_corpus([note], tmp_path / "a.conll", format="conll")
    assert list(tmp_path.iterdir()) == []
