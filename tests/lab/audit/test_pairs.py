import numpy as np
import pytest

from incognote.document import Document
from incognote.errors import CorpusError
from incognote.lab.audit.alignment import Aligned, align
from incognote.lab.audit.pairs import check_patients, draw_pairs, split_patients


def make(patients: int = 20, each: int = 3) -> Aligned:
    notes = [Document(f"p{p}-{n}", "x", patient=f"p{p}", meta={"kind": "abc"[n % 3]}) for p in range(patients) for n in range(each)]
    return align([*notes, Document("single", "x", patient="q"), Document("nobody", "x")], {})


def kinds(notes: Aligned) -> list[str]:
    return [str(meta.get("kind", "")) for meta in notes.meta]


@pytest.mark.parametrize("seed", range(4))
def test_no_patient_is_in_both_halves(seed: int) -> None:
    notes = make()
    train, test = split_patients(notes, seed)
    assert sorted([*train, *test]) == list(range(len(notes)))
    assert not {notes.clusters[at] for at in train} & {notes.clusters[at] for at in test}
    assert abs(len(train) - len(test)) <= 4


@pytest.mark.parametrize("seed", range(4))
def test_true_pairs_are_different_notes_of_one_patient_and_false_ones_of_two(seed: int) -> None:
    notes = make()
    _, test = split_patients(notes, seed)
    pairs = draw_pairs(notes, test, kinds(notes), seed)
    assert {*map(int, pairs.scrubbed), *map(int, pairs.original)} <= set(map(int, test))
    assert (pairs.scrubbed != pairs.original).all()
    same = [notes.clusters[a] == notes.clusters[b] for a, b in zip(pairs.scrubbed, pairs.original, strict=True)]
    assert same == pairs.true.tolist()
    assert (~pairs.true).sum() == 3 * pairs.true.sum()


def test_false_pairs_have_the_kind_of_the_true_pair_they_stand_beside() -> None:
    notes = make()
    pairs, of = draw_pairs(notes, np.arange(60), kinds(notes), 0), kinds(notes)
    rows = [of[at] for at in pairs.original]
    assert all(len(set(rows[at : at + 4])) == 1 for at in range(0, len(rows), 4))
    assert pairs.matched == 1.0


def test_where_nobody_else_has_the_kind_any_note_will_do() -> None:
    notes = make()
    pairs = draw_pairs(notes, np.arange(60), [f"kind {patient}" for patient in notes.patients], 0)
    assert pairs.matched == 0.0


def test_where_strangers_have_few_notes_there_are_fewer_false_pairs() -> None:
    notes = align([Document(f"n{at}", "x", patient=f"p{at // 2}") for at in range(4)], {})
    pairs = draw_pairs(notes, np.arange(4), ["letter", "report"] * 2, 0)
    assert [int(pairs.true.sum()), int((~pairs.true).sum())] == [4, 8]
    assert len(set(zip(pairs.scrubbed.tolist(), pairs.original.tolist(), strict=True))) == 12
    assert pairs.matched == 0.5


def test_a_patient_of_many_notes_does_not_outvote_the_rest() -> None:
    notes = align([Document(f"n{at}", "x", patient="many" if at < 20 else f"p{at // 2}") for at in range(40)], {})
    pairs = draw_pairs(notes, np.arange(40), [""] * 40, 0)
    assert sum(notes.patients[at] == "many" for at in pairs.scrubbed[pairs.true]) == 6


@pytest.mark.parametrize(
    ("patients", "each", "fault"),
    [(10, 1, r"more \(0\)"), (3, 2, r"more \(3\)"), (0, 0, "no note of the original corpus has a patient id")],
)
def test_too_few_patients_with_two_notes_are_refused(patients: int, each: int, fault: str) -> None:
    notes = [Document(f"{p}-{n}", "x", patient=f"p{p}") for p in range(patients) for n in range(each)]
    with pytest.raises(CorpusError, match=fault):
        check_patients(align(notes or [Document("a", "x")], {}))
