"""The skeletons, patterns and fillers that ship are free of faults, and the checker names every fault of a bad one."""

import zlib
from itertools import combinations
from pathlib import Path

import pytest

from incognote.errors import ConfigError
from incognote.lab.synthetic.checks import check_library
from incognote.lab.synthetic.library import TEMPLATES, Library, part_of, read_library, template_sets


def test_all_templates_are_free_of_faults_and_every_set_fits_some() -> None:
    books = check_library()
    for patterns in template_sets().values():
        assert all(books.select(pattern) for pattern in patterns)


def test_the_order_names_every_file_of_skeletons() -> None:
    folder = TEMPLATES / "skeletons"
    ordered = [row.split("\t")[0] for row in (folder / "order.tsv").read_text().splitlines()]
    assert sorted(ordered) == sorted(path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.txt"))


def test_a_renamed_file_keeps_its_place_and_its_parts(tmp_path: Path) -> None:
    bodies = "".join(f"=== v{number}\ntext\n" for number in range(100))
    before = read_library(_write(tmp_path, skeletons__a=bodies, skeletons__m="=== x\ntext\n")).skeletons
    (tmp_path / "skeletons" / "a.txt").rename(tmp_path / "skeletons" / "z.txt")
    (tmp_path / "skeletons" / "order.tsv").write_text(f"z\t{zlib.crc32(b'a.'):08x}\n")
    after = read_library(tmp_path).skeletons
    assert [(one.name.replace("a.", "z."), one.part) for one in before] == [(one.name, one.part) for one in after]


def test_only_what_is_asked_for_is_read(tmp_path: Path) -> None:
    books = read_library(_write(tmp_path, patterns__a="One.\n", patterns__b="Two.\n"))
    (tmp_path / "patterns" / "b.txt").unlink()
    assert [line.source for line in books.patterns["a"]] == ["One."]


def _write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        kind, _, stem = name.partition("__")
        (folder / kind).mkdir(exist_ok=True)
        (folder / kind / f"{stem}.txt").write_text(text)
    return folder


def _faults(folder: Path, **files: str) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        check_library(_write(folder, **files))
    return caught.value.faults


def test_all_faults_are_told_at_once_with_file_and_line(tmp_path: Path) -> None:
    faults = _faults(
        tmp_path,
        skeletons__a="# note\n=== one\n\nfine {mrn}\n# comment\n[[open\n=== two\n{patient.lats} {>nowhere} {nosuch}\n",
        patterns__hpi="Seen 3/4/2019.\n{>hpi}\nlone }\n",
    )
    assert set(faults) == {
        "skeletons/a.txt:6: [[ is never closed by ]]",
        "skeletons/a.txt:8: {patient.lats}: slot patient has no form lats; it has: "
        "first, first_initial, full, initial_last, initials, last, last_first, last_initial, nick, title_full, title_last",
        "skeletons/a.txt:8: {>nowhere}: there is no patterns/nowhere.txt",
        "skeletons/a.txt:8: {nosuch}: there is no such slot",
        "patterns/hpi.txt:1: fixed text looks like a date; write {date.past}, or {=text} where it is plain",
        "patterns/hpi.txt:3: a lone }; write }} for the character",
        "{>hpi}: asks for itself",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("===\ntext\n", "skeletons/a.txt:1: ===: has no name"),
        ("=== one\n\n", "skeletons/a.txt:1: === one: has no text"),
        ("words\n=== one\ntext\n", "skeletons/a.txt:1: before the first === may stand @"),
        ("=== one @goat\ntext\n", "skeletons/a.txt:1: after the name may stand @child, @elder"),
        ("=== one\nx\n=== one\ny\n", "skeletons/a.txt:3: the name one is taken by line 1"),
        ("# Note.\n=== one\n\nx\n3/4/2019\n", "skeletons/a.txt:5: fixed text looks like a date; write {date.past}, or {=text} where"),
        ("=== one\nx ]]\n", "skeletons/a.txt:2: ]] closes nothing; write \\]] for the characters"),
    ],
)
def test_a_bad_skeleton_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (fault,) = _faults(tmp_path, skeletons__a=text)
    assert fault.startswith(message)


def test_a_topic_cannot_give_more_lines_than_it_has(tmp_path: Path) -> None:
    faults = _faults(tmp_path, skeletons__a="=== one\n{>b*2-5}\n", patterns__b="One.\nTwo.\nTwo.\n")
    assert set(faults) == {"patterns/b.txt:3: the same as line 2", "skeletons/a.txt:2: {>b}: 2-5 lines of a topic that has 2"}


def test_parts_share_no_skeleton_and_no_line_of_a_long_topic(tmp_path: Path) -> None:
    skeletons = "".join(f"=== v{number}\ntext\n" for number in range(120))
    lines = "".join(f"Line {number}.\n" for number in range(120))
    whole = read_library(_write(tmp_path, skeletons__a=skeletons, patterns__b=lines, patterns__c="One.\nTwo.\n"))
    parts = [whole.keep(part) for part in ("train", "tune", "test")]
    assert set().union(*map(_names, parts)) == _names(whole)
    assert all(4 <= len(part.skeletons) <= 24 for part in parts[1:])
    for one, other in combinations(parts, 2):
        assert not _names(one) & _names(other)
        assert not {line.source for line in one.patterns["b"]} & {line.source for line in other.patterns["b"]}
    assert all(part.patterns["c"] == whole.patterns["c"] for part in parts)


def _names(library: Library) -> set[str]:
    return {skeleton.name for skeleton in library.skeletons}


def test_the_part_of_a_value_does_not_depend_on_its_case() -> None:
    assert part_of("Łukasz") == part_of("ŁUKASZ")


def test_a_line_of_a_note_may_begin_with_a_number_sign(tmp_path: Path) -> None:
    written = _write(tmp_path, skeletons__a="=== one\n# left out\n\\# AKI: better\n")
    assert read_library(written).skeletons[0].template == ("# AKI: better",)
