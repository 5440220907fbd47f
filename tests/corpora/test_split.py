"""Splits: patients stay together, the order of files does not matter, and a record can be used again."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.corpora import Corpus, Split, apply_split, extend_split, parse_ratio, read_split, split_corpus, write_split
from incognote.document import Document
from incognote.errors import CorpusError


def notes(count: int, per_patient: int = 1, first: int = 0) -> list[Document]:
    return [Document(f"n{at}", "", patient=f"p{at // per_patient}") for at in range(first, first + count)]


corpora = st.lists(st.sampled_from(["", *(f"p{at}" for at in range(12))]), min_size=30, max_size=80).map(
    lambda patients: [Document(f"n{at}", "", patient=patient) for at, patient in enumerate(patients)]
)


@given(corpora, st.integers(0, 5), st.sampled_from(["50:10:40", "80:20", "1:1:1"]))
def test_no_patient_is_in_two_splits_and_no_note_is_lost(documents: list[Document], seed: int, ratio: str) -> None:
    split = split_corpus(documents, ratio=parse_ratio(ratio), seed=seed)
    corpus = apply_split(split, documents)
    assert sorted(split.home()) == sorted(document.id for document in documents)
    homes = [{document.patient or document.id for document in members} for members in corpus.splits.values()]
    assert sum(map(len, homes)) == len(set().union(*homes))
    assert all(corpus.splits.values())


@given(corpora, st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_matter(documents: list[Document], random: object) -> None:
    shuffled = list(documents)
    random.shuffle(shuffled)
    assert split_corpus(shuffled) == split_corpus(documents)


@pytest.mark.parametrize("per_patient", [1, 2])
def test_shares_are_of_notes(per_patient: int) -> None:
    split = split_corpus(notes(1304, per_patient), by="note" if per_patient == 1 else "patient")
    assert {name: len(ids) for name, ids in split.ids.items()} == {"train": 652, "validation": 130, "test": 522}


def test_another_seed_is_another_split() -> None:
    assert split_corpus(notes(50)).ids == split_corpus(notes(50)).ids != split_corpus(notes(50), seed=1).ids


def test_by_note_patients_may_part() -> None:
    documents = notes(40, 4)
    split = split_corpus(documents, by="note", ratio=(50, 50))
    assert apply_split(split, documents).by == "note"
    with pytest.raises(CorpusError, match="patient is also in another split"):
        Corpus(apply_split(split, documents).splits)


def test_a_record_comes_back_and_is_small_json(tmp_path: Path) -> None:
    split = split_corpus(notes(10), ratio=(80, 20), seed=3)
    write_split(split, tmp_path / "split.json")
    assert read_split(tmp_path / "split.json") == split
    assert set(json.loads((tmp_path / "split.json").read_text(encoding="utf-8"))) == {"seed", "ratio", "by", "splits"}


def test_a_record_used_again_moves_nothing_and_new_notes_follow_their_patient() -> None:
    old = split_corpus(notes(40, 2))
    more = [*notes(40, 2), Document("extra", "", patient="p3"), *notes(10, 1, first=100)]
    new = extend_split(old, more)
    assert new.home().items() >= old.home().items()
    assert new.home()["extra"] == old.home()["n6"]
    assert len(new.home()) == 51
    assert extend_split(new, more) == new
    fewer = extend_split(old, notes(20, 2))
    assert fewer.home().items() <= old.home().items()
    assert len(fewer.home()) == 20


def test_a_document_that_the_record_does_not_know_is_named() -> None:
    with pytest.raises(CorpusError, match="document n5: the split record does not know"):
        apply_split(split_corpus(notes(5)), notes(6))


def test_few_patients_still_fill_every_split_or_it_is_said() -> None:
    assert all(split_corpus(notes(3)).ids.values())
    with pytest.raises(CorpusError, match=r"too few patients \(2\) for 3 splits"):
        split_corpus(notes(2))


@pytest.mark.parametrize("ratio", ["100", "50:50:0", "a:b", "1:2:3:4", "50:-50", ""])
def test_a_ratio_is_two_or_three_whole_numbers(ratio: str) -> None:
    with pytest.raises(CorpusError, match="ratio"):
        parse_ratio(ratio)


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        "{",
        '{"seed": 0, "ratio": "80:20", "by": "moon", "splits": {"train": [], "test": []}}',
        '{"seed": 0, "ratio": "80:20", "by": "note", "splits": {"train": ["a"], "test": ["a"]}}',
        '{"seed": 0, "ratio": "80:20", "by": "note", "splits": {"train": ["a"], "dev": ["a"]}}',
    ],
)
def test_a_damaged_record_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "split.json").write_text(content, encoding="utf-8")
    with pytest.raises(CorpusError, match=r"split\.json: not a split record"):
        read_split(tmp_path / "split.json")


def test_a_split_is_immutable() -> None:
    split: Split = split_corpus(notes(10))
    with pytest.raises(AttributeError):
        split.seed = 1
