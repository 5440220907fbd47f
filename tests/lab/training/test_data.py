from dataclasses import replace
from pathlib import Path

import pytest

from incognote.corpora import read_corpus, split_corpus, write_corpus, write_split
from incognote.errors import ConfigError, CorpusError
from incognote.lab.training.data import SPLITS, describe_shared, load_splits
from incognote.lab.training.recipe import Recipe, Source, SplitSettings
from tests.fakes import template_notes


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    write_corpus(template_notes(40), tmp_path / "notes.jsonl", format="jsonl")
    return tmp_path / "notes.jsonl"


def test_a_corpus_without_a_split_is_an_error_that_says_how_to_give_one(notes: Path) -> None:
    with pytest.raises(CorpusError, match=r"no split; .*\[split\] table"):
        load_splits(Recipe(model="m", data=(Source(str(notes)),)))


def test_a_recipe_without_data_says_so() -> None:
    with pytest.raises(ConfigError, match="with data"):
        load_splits(Recipe(model="m"))


def test_a_ratio_keeps_patients_together(notes: Path) -> None:
    splits = load_splits(Recipe(model="m", data=(Source(str(notes)),), split=SplitSettings()))
    assert [len(splits.train), len(splits.validation), len(splits.test)] == [20, 4, 16]
    homes = [{document.patient for document in splits.of(part)} for part in ("train", "validation", "test")]
    assert sum(map(len, homes)) == len(set().union(*homes))


def test_a_record_of_a_split_is_followed(notes: Path, tmp_path: Path) -> None:
    split = split_corpus(template_notes(40), ratio=(2, 1, 1), by="note", seed=5)
    write_split(split, tmp_path / "split.json")
    recipe = Recipe(model="m", data=(Source(str(notes)),), split=SplitSettings(record=str(tmp_path / "split.json")))
    assert {document.id for document in load_splits(recipe).test} == set(split.ids["test"])


def test_folders_named_for_parts_are_the_parts(tmp_path: Path) -> None:
    found = template_notes(12)
    for name, some in (("train", found[:6]), ("dev", found[6:9]), ("test", found[9:])):
        write_corpus(some, tmp_path / "corpus" / name, format="brat")
    splits = load_splits(Recipe(model="m", data=(Source(str(tmp_path / "corpus")),)))
    assert [len(splits.train), len(splits.validation), len(splits.test)] == [6, 3, 3]


def test_a_note_named_for_two_parts_is_an_error(notes: Path, tmp_path: Path) -> None:
    some = list(read_corpus(notes))[3:5]
    write_corpus(some, tmp_path / "some.jsonl", format="jsonl")
    sources = (Source(str(notes), part="train"), Source(str(tmp_path / "some.jsonl"), part="validation"))
    with pytest.raises(CorpusError, match=f"document {some[0].id}: is in the splits train and validation"):
        load_splits(Recipe(model="m", data=sources))


def test_patients_in_two_parts_are_told(notes: Path) -> None:
    def describe(by: str) -> list[str]:
        splits = load_splits(Recipe(model="m", data=(Source(str(notes)),), split=SplitSettings(by=by)))
        return describe_shared({part: splits.of(part) for part in SPLITS})

    assert describe("patient") == []
    assert [line.split(":")[0] for line in describe("note")] == ["validation", "test"]


def test_several_corpora_meet_in_one_scheme(notes: Path, tmp_path: Path) -> None:
    spanish = [n.with_spans(replace(s, label="FECHAS") for s in n.spans if s.label == "DATE") for n in template_notes(10, seed=2)]
    write_corpus(spanish, tmp_path / "other.jsonl", format="jsonl")
    sources = (Source(str(notes)), Source(str(tmp_path / "other.jsonl"), scheme="meddocan", part="train", map={"DATE": "AGE"}))
    splits = load_splits(Recipe(model="m", scheme="i2b2-2014", data=sources, split=SplitSettings()))
    assert len(splits.train) == 30
    assert len({document.id for part in ("train", "validation", "test") for document in splits.of(part)}) == 50
    assert {span.label for document in splits.train[20:] for span in document.spans} == {"AGE"}


def test_the_digest_follows_every_change(notes: Path) -> None:
    recipe = Recipe(model="m", data=(Source(str(notes)),), split=SplitSettings())
    splits = load_splits(recipe)
    assert splits.digest == load_splits(recipe).digest
    assert splits.digest != load_splits(replace(recipe, split=SplitSettings(seed=1))).digest
    assert splits.digest != replace(splits, train=(splits.train[0].with_spans(()), *splits.train[1:])).digest
