"""Writing a corpus: whole or not at all, never into the input, never over something unasked."""

import os
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from incognote.corpora import FORMATS, detect_format, read_corpus, write_corpus
from incognote.corpora.files import draft
from incognote.corpora.output import check_output
from incognote.document import Document, Span
from incognote.errors import CorpusError, OutputError

NOTE = Document("n1", "Ann came", patient="p", spans=(Span(0, 3, "PATIENT"),))


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def broken() -> Iterator[Document]:
    yield NOTE
    raise CorpusError("broken on the way", document="n2")


def target_of(folder: Path, name: str) -> Path:
    return folder / (f"out{FORMATS[name].suffixes[0]}" if FORMATS[name].layout == "file" else "out")


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "meddocan"])
def test_an_error_on_the_way_leaves_nothing_behind(name: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="broken on the way"):
        write_corpus(broken(), target_of(tmp_path, name), format=name)
    assert files(tmp_path) == []


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "meddocan"])
def test_an_error_on_the_way_leaves_the_older_output_as_it_was(name: str, tmp_path: Path) -> None:
    target = target_of(tmp_path, name)
    write_corpus([NOTE, Document("old", "x")], target, format=name)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(CorpusError, match="broken on the way"):
        write_corpus(broken(), target, format=name, overwrite=True)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "meddocan"])
def test_overwrite_leaves_only_the_new_documents(name: str, tmp_path: Path) -> None:
    target = target_of(tmp_path, name)
    write_corpus([NOTE, Document("old/one", "x")], target, format=name)
    with pytest.raises(OutputError, match="allow it with overwrite"):
        write_corpus([NOTE], target, format=name)
    write_corpus([Document("n2", "new")], target, format=name, overwrite=True)
    assert [note.id for note in read_corpus(target)] == ["n2"]


def test_overwrite_spares_files_of_other_kinds(tmp_path: Path) -> None:
    write_corpus([NOTE], tmp_path / "out", format="brat")
    (tmp_path / "out/readme.md").write_bytes(b"mine")
    write_corpus([Document("n2", "")], tmp_path / "out", format="brat", overwrite=True)
    assert files(tmp_path / "out") == ["n2.ann", "n2.txt", "readme.md"]


def test_no_older_note_stays_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "out" / "sub").mkdir(parents=True)
    for name in ("a.txt", "a.TXT", "sub/b.txt"):
        (tmp_path / "out" / name).write_bytes(b"old")
    write_corpus([NOTE], tmp_path / "out", format="text", overwrite=True)
    assert files(tmp_path / "out") == ["n1.txt", "sub"]


def test_a_folder_that_another_run_has_filled_since_is_left_alone(tmp_path: Path) -> None:
    def slow() -> Iterator[Document]:
        yield NOTE
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "n2.txt").write_text("first")

    with pytest.raises(OutputError, match="not empty"):
        write_corpus(slow(), tmp_path / "out", format="text")
    assert files(tmp_path) == ["out", "out/n2.txt"]


def test_an_empty_folder_may_be_written_into(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert write_corpus([NOTE], tmp_path / "out", format="text") == 1
    assert files(tmp_path) == ["out", "out/n1.txt"]


def test_a_bad_document_can_be_set_aside_while_writing(tmp_path: Path) -> None:
    for name in ("i2b2", "i2b2-2006"):
        faults: list[CorpusError] = []
        notes = [NOTE, Document("bad", "\x00"), Document("n3", "x")]
        assert write_corpus(notes, target_of(tmp_path, name), format=name, aside=faults) == 2
        assert [fault.document for fault in faults] == ["bad"]


def test_two_documents_of_one_id_are_not_written_over_each_other(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="document n1: a second document has this id"):
        write_corpus([NOTE, NOTE], tmp_path / "out", format="text")


def test_output_may_not_touch_the_input(tmp_path: Path) -> None:
    source = tmp_path / "notes"
    source.mkdir()
    (source / "a.txt").write_bytes(b"x")
    for target, words in [
        (source, "same"),
        (source / "clean", "inside the input"),
        (source / ".." / "notes" / "clean", "inside the input"),
        (tmp_path, "lies inside the output"),
    ]:
        with pytest.raises(OutputError, match=words):
            check_output(source, target, overwrite=True)
    (tmp_path / "link").symlink_to(source)
    with pytest.raises(OutputError, match="inside the input"):
        check_output(source, tmp_path / "link" / "clean")
    check_output(source, tmp_path / "clean")


def test_output_may_not_be_full_unless_asked(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x").write_bytes(b"")
    for target in ("full", "full/x"):
        with pytest.raises(OutputError, match="allow it with overwrite"):
            check_output(tmp_path / "notes", tmp_path / target)
        check_output(tmp_path / "notes", tmp_path / target, overwrite=True)


def test_output_must_be_of_the_layout_of_its_format(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError, match="is a folder"):
        write_corpus([NOTE], tmp_path / "folder", format="jsonl", overwrite=True)
    with pytest.raises(OutputError, match="is a file"):
        write_corpus([NOTE], tmp_path / "file", format="text", overwrite=True)
    with pytest.raises(OutputError, match="is a file, not a folder"):
        write_corpus([NOTE], tmp_path / "file/out", format="text")


def test_output_is_never_put_in_the_place_of_a_pipe_or_a_device(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OutputError, match="device or a pipe"):
        write_corpus([NOTE], pipe, format="jsonl", overwrite=True)
    with pytest.raises(OutputError, match="device or a pipe"):
        check_output(tmp_path / "notes", pipe, overwrite=True)
    assert pipe.is_fifo()


def test_output_is_a_file_and_never_called_dash(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="files"):
        check_output(tmp_path / "notes", "-")


def test_output_must_be_writable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(OutputError, match="not writable"):
        check_output("notes", tmp_path / "new" / "out")


def test_a_file_name_that_is_not_utf8_is_a_fault_of_that_note(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Well.")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt")).write_text("Ill.")
    with pytest.raises(CorpusError, match=r"caf\\udce9\.txt: the file name is not UTF-8.*rename the file"):
        list(read_corpus(tmp_path))
    faults: list[CorpusError] = []
    assert [note.id for note in read_corpus(tmp_path, quarantine=faults.append)] == ["a"]
    assert faults[0].path.encode("utf-8").endswith(b"caf\\udce9.txt")


def test_the_longest_file_name_there_can_be_is_written(tmp_path: Path) -> None:
    for id in ("n" * 251, "\N{GRINNING FACE}" * 62):
        write_corpus([Document(id, "Well.")], tmp_path / "out", format="text", overwrite=True)
        assert [note.id for note in read_corpus(tmp_path / "out")] == [id]
    write_corpus([Document("n", "Well.")], tmp_path / ("n" * 249 + ".jsonl"), format="jsonl")
    assert [note.id for note in read_corpus(tmp_path / ("n" * 249 + ".jsonl"))] == ["n"]


@pytest.mark.parametrize(
    ("name", "format", "said"),
    [
        ("out.csv", "jsonl", "what is written is jsonl, but the name ends in .csv; name it out.jsonl, or"),
        ("out.txt", "parquet", "the name ends in .txt; name it out.parquet"),
        ("out.txt", "text", "text notes go into a folder"),
        ("out.XML", "i2b2", "i2b2 notes go into a folder"),
    ],
)
def test_a_name_that_promises_another_format_is_refused(tmp_path: Path, name: str, format: str, said: str) -> None:
    with pytest.raises(OutputError, match=said):
        write_corpus([NOTE], tmp_path / name, format=format)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "format"), [("out", "jsonl"), ("out.v2", "csv"), ("out.iob2", "conll"), ("out.v2", "text")])
def test_a_name_that_promises_nothing_else_will_do(tmp_path: Path, name: str, format: str) -> None:
    write_corpus([NOTE], tmp_path / name, format=format)
    assert next(read_corpus(tmp_path / name, format=format)).id == NOTE.id


def test_a_folder_beside_which_nothing_can_be_written_is_refused_with_a_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "theirs" / "out"
    target.mkdir(parents=True)
    monkeypatch.setattr("os.access", lambda path, _: Path(path) != target.parent)
    with pytest.raises(OutputError, match=r"theirs, where unfinished work goes, is not writable; choose a new folder in .*out$"):
        check_output(tmp_path / "notes", target, folder=True)
    check_output(tmp_path / "notes", target / "clean", folder=True)


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.txt").symlink_to(tmp_path / "gone")
    with pytest.raises(CorpusError, match=r"a\.txt: the file cannot be read: No such file"):
        list(read_corpus(tmp_path))


def test_text_reads_subfolders_and_passes_over_other_and_hidden_files(tmp_path: Path) -> None:
    for name in ("a.txt", "ward/b.txt", "ward/c.TXT", "ward/d.md", ".hidden.txt", ".git/e.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"\xef\xbb\xbfx\r\n")
    notes = list(read_corpus(tmp_path, format="text"))
    assert [note.id for note in notes] == ["a", "ward/b", "ward/c"]
    assert notes[0].text == "\ufeffx\r\n"


def test_a_single_file_is_a_corpus_of_one(tmp_path: Path) -> None:
    write_corpus([NOTE], tmp_path / "brat", format="brat")
    assert detect_format(tmp_path / "brat/n1.txt").name == "brat"
    assert [(note.id, note.spans) for note in read_corpus(tmp_path / "brat/n1.txt")] == [("n1", NOTE.spans)]


def test_patient_of_marked_up_notes_stands_before_the_first_dot(tmp_path: Path) -> None:
    (tmp_path / "lee.2-visit.note").write_text("<PATIENT>Ann</PATIENT> &amp; co", encoding="utf-8")
    (tmp_path / "plain.note").write_text("x", encoding="utf-8")
    assert [(note.id, note.patient, note.text) for note in read_corpus(tmp_path)] == [
        ("lee.2-visit", "lee", "Ann & co"),
        ("plain", "", "x"),
    ]


def test_documents_show_no_text_even_with_meta(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"id,text,author\n1,secret,Kowalczyk\n")
    assert repr(next(read_corpus(tmp_path))) == "Document(id='1', patient='', 6 characters, 0 spans)"


def test_a_file_below_another_file_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(OutputError, match=r"taken/notes\.jsonl: cannot be written"), draft(tmp_path / "taken" / "notes.jsonl") as file:
        file.write(b"never")


def test_millions_of_files_are_listed_by_their_names_alone(tmp_path: Path) -> None:
    count = 3_000
    for number in range(count):
        (tmp_path / f"note-{number:06d}.txt").touch()
    tracemalloc.start()
    notes = read_corpus(tmp_path, format="text")
    first = next(notes)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 150 * count, "a path takes some 400 bytes, a name 65"
    assert [first.id, *(note.id for note in notes)] == [f"note-{number:06d}" for number in range(count)]
