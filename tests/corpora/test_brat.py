"""brat: odd annotation files that exist in the wild."""

from pathlib import Path

from incognote.corpora import read_corpus, write_corpus
from incognote.document import Document, Span


def read_one(folder: Path, text: bytes, annotations: bytes | None) -> Document:
    (folder / "a.txt").write_bytes(text)
    if annotations is not None:
        (folder / "a.ann").write_bytes(annotations)
    return next(read_corpus(folder, format="brat"))


def test_a_discontinuous_annotation_becomes_one_span_per_fragment(tmp_path: Path) -> None:
    note = read_one(tmp_path, b"Ann and Bob Lee", b"T1\tPATIENT 0 3;12 15\tAnn Lee\n")
    assert note.spans == (Span(0, 3, "PATIENT"), Span(12, 15, "PATIENT"))


def test_other_kinds_of_lines_are_read_over(tmp_path: Path) -> None:
    lines = b"T1\tDATE 0 4\t2067\nA1\tSure T1\nR1\tSame Arg1:T1 Arg2:T1\nE1\tX:T1\n#1\tNotes T1\thm\nN1\tRef T1 A:1\tx\n*\tSame T1 T1\n"
    assert read_one(tmp_path, b"2067", lines).spans == (Span(0, 4, "DATE"),)


def test_a_text_column_may_break_over_lines_or_show_breaks_as_blanks(tmp_path: Path) -> None:
    note = read_one(tmp_path, b"1 Elm St\nBoston x", b"T1\tSTREET 0 15\t1 Elm St\nBoston\nT2\tCITY 16 17\tx\n")
    assert note.spans == (Span(0, 15, "STREET"), Span(16, 17, "CITY"))
    assert read_one(tmp_path, b"1 Elm St\nBoston x", b"T1\tSTREET 0 15\t1 Elm St Boston\n").spans == (Span(0, 15, "STREET"),)


def test_a_note_without_annotations_has_no_spans(tmp_path: Path) -> None:
    assert read_one(tmp_path, b"x", None).spans == ()


def test_crlf_counts_two_unless_only_one_fits(tmp_path: Path) -> None:
    two = read_one(tmp_path, b"a\r\n2067", b"T1\tDATE 3 7\t2067\r\n")
    assert (two.text, two.spans) == ("a\r\n2067", (Span(3, 7, "DATE"),))
    one = read_one(tmp_path, b"a\r\n2067", b"T1\tDATE 2 6\t2067\r\n")
    assert (one.text, one.spans) == ("a\n2067", (Span(2, 6, "DATE"),))


def test_files_are_exact(tmp_path: Path) -> None:
    write_corpus([Document("w/n1", "\ufeffAnn\r\nLee", spans=(Span(1, 9, "PATIENT"),))], tmp_path / "out", format="brat")
    assert (tmp_path / "out/w/n1.txt").read_bytes() == b"\xef\xbb\xbfAnn\r\nLee"
    assert (tmp_path / "out/w/n1.ann").read_bytes() == b"T1\tPATIENT 1 9\tAnn  Lee\n"
