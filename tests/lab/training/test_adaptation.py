import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from incognote.corpora import write_corpus
from incognote.document import Document, Span
from incognote.errors import CheckpointError, CorpusError, LabelError, OutputError
from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.weights import start_model
from incognote.lab.training.adaptation import adapt, load_notes
from incognote.lab.training.adaptation_report import Plan
from incognote.lab.training.loop import Progress
from incognote.lab.training.recipe import Recipe, Source, SplitSettings
from tests.fakes import template_notes, tiny_checkpoint

PLAN = Plan(head_epochs=1, head_rate=3e-3, held_out=20)


@pytest.fixture
def words(recipe: Recipe, tmp_path: Path) -> Recipe:
    write_corpus(template_notes(60), tmp_path / "notes.jsonl", format="jsonl")
    return replace(recipe, task="words", data=(Source(str(tmp_path / "notes.jsonl")),))


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "model.safetensors")


def test_adapting_lowers_the_perplexity_of_held_out_notes(words: Recipe, tmp_path: Path) -> None:
    lines: list[str] = []
    longer = replace(words, epochs=20, learning_rate=1e-2, dropout=0.0, warmup=1, validate_every=5)
    report = adapt(longer, tmp_path / "out", plan=PLAN, say=lines.append)
    assert list(report.perplexity) == ["before", "head", "after"]
    assert report.perplexity["after"]["value"] < 0.8 * report.perplexity["head"]["value"]
    assert report.change["high"] < 1
    assert report.counts["notes"] + report.counts["held_out"] == 60
    assert any("a new one begins" in line for line in lines)
    assert any("parted by special tokens" in line for line in lines)
    assert json.loads((tmp_path / "out" / "adaptation.json").read_text())["perplexity"] == report.perplexity
    assert not (tmp_path / ".out.training").exists()


def test_the_adapted_encoder_is_the_model_of_a_recipe_and_has_its_own_head(words: Recipe, tmp_path: Path) -> None:
    adapt(words, tmp_path / "out", plan=PLAN)
    model, _ = start_model(tmp_path / "out", ("O",))
    body = {name: value for name, value in weights(tmp_path / "out").items() if name.startswith("bert.")}
    found = model.state_dict()
    assert body
    assert all(torch.equal(found[name], value) for name, value in body.items())
    again = adapt(replace(words, model=str(tmp_path / "out"), epochs=1), tmp_path / "more", plan=PLAN)
    assert not again.fresh_head
    assert list(again.perplexity) == ["before", "after"]


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_stopped_adaptation_goes_on_to_the_same_weights(share: float, words: Recipe, tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    steps = 0

    def stop(progress: Progress) -> None:
        nonlocal steps
        steps += 1
        if steps > share * 4:  # one report for each epoch: the head's, then three
            raise Stop

    whole = adapt(words, tmp_path / "whole", plan=PLAN)
    with pytest.raises(Stop):
        adapt(words, tmp_path / "parts", plan=PLAN, watch=stop)
    assert not (tmp_path / "parts").exists()
    with pytest.raises(OutputError, match="an earlier training was stopped"):
        adapt(words, tmp_path / "parts", plan=PLAN)
    report = adapt(words, tmp_path / "parts", plan=PLAN, resume=True)
    one, two = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert report.perplexity == whole.perplexity


def test_what_is_there_is_not_written_over(words: Recipe, tmp_path: Path) -> None:
    adapt(replace(words, epochs=1), tmp_path / "out", plan=PLAN)
    before = (tmp_path / "out" / "model.safetensors").read_bytes()
    with pytest.raises(OutputError, match="exists already"):
        adapt(replace(words, epochs=1), tmp_path / "out", plan=PLAN)
    with pytest.raises(OutputError, match="other settings"):
        adapt(replace(words, epochs=2), tmp_path / "out", plan=PLAN, resume=True)
    assert (tmp_path / "out" / "model.safetensors").read_bytes() == before
    assert adapt(replace(words, epochs=1), tmp_path / "out", plan=PLAN, resume=True).epoch == 1


def test_an_adaptation_that_was_to_overwrite_another_and_was_stopped_is_gone_on_with(words: Recipe, tmp_path: Path) -> None:
    def stop(progress: Progress) -> None:
        if progress.step == progress.total:
            raise KeyboardInterrupt

    plan = replace(PLAN, head_epochs=0)
    adapt(replace(words, epochs=1), tmp_path / "out", plan=plan)
    with pytest.raises(KeyboardInterrupt):
        adapt(replace(words, epochs=2), tmp_path / "out", plan=plan, overwrite=True, watch=stop)
    assert len(adapt(replace(words, epochs=2), tmp_path / "out", plan=plan, resume=True).history) == 2
    assert not (tmp_path / ".out.training").exists()


def test_gold_tells_what_adapting_does_to_f1(words: Recipe, recipe: Recipe, tmp_path: Path) -> None:
    gold = replace(recipe, data=words.data, epochs=2, split=SplitSettings(ratio="6:2:2"))
    lines: list[str] = []
    report = adapt(replace(words, epochs=1), tmp_path / "out", plan=PLAN, gold=gold, seeds=(0, 1), say=lines.append)
    assert report.gold is not None
    assert set(report.gold["f1"]) == {"plain", "adapted"}
    assert len(report.gold["f1"]["plain"]) == 2
    assert report.gold["part"] == "test"
    assert report.gold["seen"] > 0  # the same notes, without their labels, were adapted to; the report says so
    assert [line.partition(":")[0] for line in lines[-4:]] == [f"{arm}, seed {seed}" for seed in (0, 1) for arm in ("plain", "adapted")]
    assert json.loads((tmp_path / "out" / "adaptation.json").read_text())["gold"] == report.gold


def test_gold_that_cannot_be_learned_is_told_before_anything_is_adapted(words: Recipe, recipe: Recipe, tmp_path: Path) -> None:
    write_corpus([Document("odd", "Seen on Monday.", spans=(Span(8, 14, "ODD"),))], tmp_path / "odd.jsonl", format="jsonl")
    gold = replace(recipe, data=(replace(words.data[0], part="train"), Source(str(tmp_path / "odd.jsonl"), part="validation")))
    with pytest.raises(LabelError, match="ODD"):
        adapt(words, tmp_path / "out", plan=PLAN, gold=gold)
    assert not (tmp_path / "out").exists()


def test_gold_is_learned_by_an_encoder_with_pickled_weights_that_is_trusted(words: Recipe, recipe: Recipe, tmp_path: Path) -> None:
    pickled = Path(shutil.copytree(words.model, tmp_path / "pickled"))
    torch.save(load_file(pickled / "model.safetensors"), pickled / "pytorch_model.bin")
    (pickled / "model.safetensors").unlink()
    gold = replace(recipe, data=words.data, epochs=1, split=SplitSettings(ratio="6:2:2"))
    report = adapt(replace(words, model=str(pickled), epochs=1), tmp_path / "out", plan=PLAN, gold=gold, seeds=(0,), unsafe=True)
    assert report.gold is not None


def test_a_tagger_can_be_adapted_and_is_no_tagger_then(words: Recipe, tmp_path: Path) -> None:
    tagger = tiny_checkpoint(tmp_path / "tagger")
    report = adapt(replace(words, model=str(tagger), epochs=1), tmp_path / "out", plan=PLAN)
    assert report.fresh_head
    with pytest.raises(CheckpointError, match="bare encoder"):
        load_checkpoint(tmp_path / "out")


def test_held_out_notes_are_whole_patients(words: Recipe) -> None:
    splits = load_notes(words, held_out=20)
    assert len(splits.validation) == 12
    assert not {d.patient for d in splits.train} & {d.patient for d in splits.validation}


def test_a_test_part_is_not_learned_from(words: Recipe, tmp_path: Path) -> None:
    notes = template_notes(30)
    for name, some in (("train", notes[:20]), ("dev", notes[20:24]), ("test", notes[24:])):
        write_corpus(some, tmp_path / "corpus" / f"{name}.jsonl", format="jsonl")
    splits = load_notes(replace(words, data=(Source(str(tmp_path / "corpus")),)), held_out=10)
    assert (len(splits.train), len(splits.validation), len(splits.test)) == (20, 4, 0)


def test_notes_learned_from_are_not_held_out_too(words: Recipe, tmp_path: Path) -> None:
    path = words.data[0].path
    with pytest.raises(CorpusError, match="in the splits train and validation"):
        load_notes(replace(words, data=(Source(path, part="train"), Source(path, part="validation"))), held_out=10)


def test_notes_without_a_word_are_left_out_and_counted(words: Recipe, tmp_path: Path) -> None:
    write_corpus([*template_notes(30), Document("blank", " \n")], tmp_path / "some.jsonl", format="jsonl")
    report = adapt(replace(words, data=(Source(str(tmp_path / "some.jsonl")),), epochs=1), tmp_path / "out", plan=PLAN)
    assert report.counts["without_words"] == 1


def test_one_note_is_too_few_and_nothing_is_written(words: Recipe, tmp_path: Path) -> None:
    write_corpus(template_notes(1), tmp_path / "one.jsonl", format="jsonl")
    with pytest.raises(CorpusError, match="fewer than two patients"):
        adapt(replace(words, data=(Source(str(tmp_path / "one.jsonl")),)), tmp_path / "out", plan=PLAN)
    assert not (tmp_path / "out").exists()


def test_a_place_that_is_a_file_is_an_error(words: Recipe, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError):
        adapt(words, tmp_path / "file" / "out", plan=PLAN)
