from pathlib import Path

import pytest

from incognote.document import Document
from incognote.errors import CorpusError
from incognote.lab.audit.alignment import Aligned, align
from incognote.lab.audit.labels import find_labels


def make(labels: list[object]) -> Aligned:
    return align([Document(f"n{at}", "x", meta={"kind": label}) for at, label in enumerate(labels)], {})


def test_a_column_beside_the_notes_gives_the_classes() -> None:
    found = find_labels(make(["b", "a", "b", "a", None, ""]), "kind")
    assert (found.classes, found.targets, found.unlabelled) == (("a", "b"), (1, 0, 1, 0), 2)


@pytest.mark.parametrize(
    ("name", "content"), [("l.csv", "id,label\nn0,a\nn1,b\nn2,a\nn3,b\n"), ("l.jsonl", '{"id":"n0","label":"a"}\n' * 1)]
)
def test_a_table_gives_the_classes(name: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content)
    if name == "l.csv":
        assert find_labels(make([None] * 5), str(path)).targets == (0, 1, 0, 1)
    else:
        with pytest.raises(CorpusError, match="every labelled note has the class a"):
            find_labels(make([None] * 5), str(path))


def test_blanks_around_a_label_make_no_other_class() -> None:
    assert find_labels(make(["a", "b", "a ", " b"]), "kind").classes == ("a", "b")


def test_an_unknown_column_is_named_beside_those_there_are() -> None:
    with pytest.raises(CorpusError, match="speciality is neither a file nor a column; the extra columns are: kind"):
        find_labels(make(["a", "b"]), "speciality")


def test_a_class_with_one_example_is_refused_or_left_out() -> None:
    with pytest.raises(CorpusError, match=r"1 class\(es\) have notes of one patient only \(rare\)"):
        find_labels(make(["a", "b", "a", "b", "rare"]), "kind")
    found = find_labels(make(["a", "b", "a", "b", "rare"]), "kind", least=2)
    assert (found.classes, found.left_out, found.places) == (("a", "b"), ("rare",), (0, 1, 2, 3))


def test_two_notes_of_one_patient_cannot_be_learned_from_and_tested_on() -> None:
    notes = align([Document(f"n{at}", "x", patient=f"p{at // 2}", meta={"kind": "ab"[at // 2 % 2]}) for at in range(6)], {})
    with pytest.raises(CorpusError, match=r"one patient only \(b\)"):
        find_labels(notes, "kind")


def test_one_class_is_refused() -> None:
    with pytest.raises(CorpusError, match="two classes or more"):
        find_labels(make(["a", "a"]), "kind")
    with pytest.raises(CorpusError, match="no note has a label"):
        find_labels(make([None, ""]), "kind")


def test_classes_that_are_all_too_small_are_not_called_missing() -> None:
    with pytest.raises(CorpusError, match=r"kind: 1 of 2 classes have 2 notes or more; .* lower least"):
        find_labels(make(["a", "a", "b"]), "kind", least=2)


def test_a_list_is_no_label() -> None:
    with pytest.raises(CorpusError, match="document n0: column kind holds a list"):
        find_labels(make([["a", "b"], "a"]), "kind")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("id,label\nn0,a\nn0,b\n", "two labels"),
        ("id,label\nn0,a\nzz,b\n", r"1 labels are for notes that are not in the corpora \(zz\)"),
        ("id,class\nn0,a\n", "no label here; each row needs: id, label"),
        ("id,label\n", "no row"),
    ],
)
def test_a_bad_table_is_refused(content: str, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(content)
    with pytest.raises(CorpusError, match=fault):
        find_labels(make(["a", "b"]), str(path))
