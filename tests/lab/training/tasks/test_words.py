import json
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from incognote.corpora import write_corpus
from incognote.document import Document
from incognote.errors import CheckpointError, ConfigError, CorpusError
from incognote.find.model.quiet import quiet
from incognote.lab.encoders.masked import load_masked
from incognote.lab.training.checkpointing import train_checkpoint
from incognote.lab.training.data import Splits
from incognote.lab.training.loop import Progress, train
from incognote.lab.training.recipe import Recipe, Source, SplitSettings
from incognote.lab.training.tasks.losses import IGNORED
from incognote.lab.training.tasks.masked_language_model import FRESH, MaskedLanguageModeling, prepare_masked_language_model, total_surprise
from incognote.lab.training.tasks.masking import NO_WORD
from tests.fakes import template_notes, tiny_encoder


def weights(task: MaskedLanguageModeling) -> list[torch.Tensor]:
    return [parameter.detach().clone() for parameter in task.model.parameters()]


@pytest.mark.parametrize("family", ["bert", "roberta", "albert"])
def test_hidden_words_are_learned_by_every_family(family: str, recipe: Recipe, splits: Splits, tmp_path: Path) -> None:
    folder = tiny_encoder(tmp_path / family, family)
    recipe = replace(recipe, model=str(folder), batch=2, epochs=30, learning_rate=5e-3, dropout=0.0, warmup=1, validate_every=30)
    task = prepare_masked_language_model(recipe, splits)
    before = total_surprise(task.measure(task.model.eval()))["perplexity"]
    outcome = train(task, recipe)
    after = total_surprise(task.measure(task.model))
    assert after["perplexity"] < 0.75 * before  # which is that of word counts: some of the context was learned
    assert outcome.scores["f1"] == pytest.approx(1 / after["perplexity"])
    assert outcome.scores == pytest.approx(after)


@pytest.mark.parametrize("family", ["bert", "roberta", "albert", "distilbert", "mpnet", "modernbert", "deberta-v2"])
def test_the_loss_is_that_of_transformers(family: str, recipe: Recipe, splits: Splits, tmp_path: Path) -> None:
    task = prepare_masked_language_model(replace(recipe, model=str(tiny_encoder(tmp_path / family, family))), splits)
    task.model.eval()
    hidden = task.weigh([0, 1, 2])
    batch = task.collate([0, 1, 2])
    assert hidden == int((batch["labels"] != IGNORED).sum())
    labels = torch.full_like(batch["input_ids"], IGNORED)
    for row in range(3):
        kept = batch["labels"][row] != IGNORED
        labels[row, batch["places"][row][kept]] = batch["labels"][row][kept]
    inputs = {key: value for key, value in batch.items() if key in ("input_ids", "attention_mask")}
    with torch.inference_mode():
        theirs = task.model(**inputs, labels=labels).loss
        ours = task.loss(task.forward(task.model, batch), batch, smoothing=0.0) / hidden
    torch.testing.assert_close(ours, theirs, atol=1e-4, rtol=1e-4)


def test_every_step_hides_other_words(recipe: Recipe, splits: Splits) -> None:
    task = prepare_masked_language_model(recipe, splits)
    torch.manual_seed(1)
    places = []
    for _ in range(2):
        task.weigh([0])
        places.append(task.drawn[0].places.tolist())
    assert places[0] != places[1]


def test_a_stopped_training_resumes_with_the_same_masks(recipe: Recipe, splits: Splits, tmp_path: Path) -> None:
    whole = prepare_masked_language_model(recipe, splits)
    train(whole, recipe)

    class Stop(Exception):
        pass

    def stop_in_last_epoch(progress: Progress) -> None:
        if progress.step > 2.2 * progress.total / 3:
            raise Stop

    with pytest.raises(Stop):
        train(prepare_masked_language_model(recipe, splits), recipe, folder=tmp_path, watch=stop_in_last_epoch)
    second = prepare_masked_language_model(recipe, splits)
    train(second, recipe, folder=tmp_path, resume=True)
    assert all(torch.equal(one, two) for one, two in zip(weights(whole), weights(second), strict=True))


def test_memory_tokens_bounds_memory_and_not_the_result(recipe: Recipe, splits: Splits) -> None:
    recipe = replace(recipe, epochs=1, dropout=0.0)
    free, bound = prepare_masked_language_model(recipe, splits), prepare_masked_language_model(replace(recipe, memory_tokens=70), splits)
    train(free, recipe)
    train(bound, bound.recipe)
    for one, two in zip(weights(free), weights(bound), strict=True):
        torch.testing.assert_close(one, two, atol=2e-3, rtol=1e-2)


def test_r_drop_pairs_the_same_hidden_words(recipe: Recipe, splits: Splits) -> None:
    task = prepare_masked_language_model(replace(recipe, epochs=1, r_drop=0.5), splits)
    assert train(task, task.recipe).scores["perplexity"] > 0


def test_held_out_notes_never_share_a_window_and_hide_the_same_words_each_time(recipe: Recipe, splits: Splits) -> None:
    one, two = prepare_masked_language_model(recipe, splits), prepare_masked_language_model(recipe, splits)
    assert any(len(sample.notes) > 1 for sample in one.samples)
    assert [note for note, _ in one.held_out] == list(range(len(splits.validation)))
    for (_, first), (_, second) in zip(one.held_out, two.held_out, strict=True):
        assert first.ids.tolist() == second.ids.tolist()


def test_a_new_head_is_said_to_be_new(recipe: Recipe, splits: Splits, tmp_path: Path) -> None:
    task = prepare_masked_language_model(recipe, splits)
    assert task.remarks == (FRESH,)
    task.save(task.model, tmp_path / "own", card={})
    assert prepare_masked_language_model(replace(recipe, model=str(tmp_path / "own")), splits).remarks == ()


@pytest.mark.parametrize("family", ["bert", "roberta", "albert", "distilbert", "mpnet", "modernbert"])
def test_a_new_head_begins_with_the_counts_of_the_words(family: str, recipe: Recipe, splits: Splits, tmp_path: Path) -> None:
    task = prepare_masked_language_model(replace(recipe, model=str(tiny_encoder(tmp_path / family, family))), splits)
    counts = Counter(int(number) for sample in task.samples for number in sample.ids[sample.words != NO_WORD])
    task.weigh([0])
    with torch.inference_mode():
        shares = task.forward(task.model.eval(), task.collate([0]))[0, 0].softmax(-1)
    expected = [0.9 * counts[number] / counts.total() + 0.1 / len(shares) for number in range(len(shares))]
    torch.testing.assert_close(shares, torch.tensor(expected), rtol=0.5, atol=0.0)


def test_a_line_break_token_gets_a_row_and_is_kept(recipe: Recipe, splits: Splits, tmp_path: Path) -> None:
    recipe = replace(recipe, newline_token=True, epochs=1)
    task = prepare_masked_language_model(recipe, splits)
    train(task, recipe)
    task.save(task.model, tmp_path / "own", card={})
    again = prepare_masked_language_model(replace(recipe, model=str(tmp_path / "own")), splits)
    assert again.fresh == ()
    assert all(torch.equal(one, two) for one, two in zip(weights(task), weights(again), strict=True))


def test_an_encoder_without_a_mask_token_is_an_error(encoder: Path, recipe: Recipe, splits: Splits, tmp_path: Path) -> None:
    folder = shutil.copytree(encoder, tmp_path / "maskless")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).write_text((folder / name).read_text().replace("[MASK]", "[BLINDFOLD]"))
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    settings.pop("mask_token")
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    with pytest.raises(CheckpointError, match="no mask token"):
        prepare_masked_language_model(replace(recipe, model=str(folder)), splits)


def test_a_family_without_such_a_head_is_an_error(recipe: Recipe, splits: Splits, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="xlnet encoder that fills in hidden words"):
        prepare_masked_language_model(replace(recipe, model=str(tiny_encoder(tmp_path / "xlnet", "xlnet"))), splits)


def test_notes_without_words_are_an_error(recipe: Recipe, splits: Splits) -> None:
    empty = (Document("a", ""), Document("b", " \n "))
    with pytest.raises(CorpusError, match="to learn from hold no word"):
        prepare_masked_language_model(recipe, Splits(empty, splits.validation))
    with pytest.raises(CorpusError, match="held out hold no word"):
        prepare_masked_language_model(recipe, Splits(splits.train, empty))


def test_settings_that_do_not_fit_are_errors(recipe: Recipe, splits: Splits) -> None:
    with pytest.raises(ConfigError, match="at most 64"):
        prepare_masked_language_model(replace(recipe, window=512, overlap=128), splits)
    with pytest.raises(ConfigError, match="token_masking"):
        prepare_masked_language_model(replace(recipe, token_masking=0.1), splits)


def test_what_is_saved_loads_in_transformers(recipe: Recipe, splits: Splits, tmp_path: Path) -> None:
    from transformers import AutoModelForMaskedLM

    task = prepare_masked_language_model(recipe, splits)
    task.save(task.model, tmp_path / "own", card={"text": "card"})
    with quiet():
        model = AutoModelForMaskedLM.from_pretrained(tmp_path / "own", local_files_only=True)
    for one, two in zip(task.model.parameters(), model.parameters(), strict=True):
        assert torch.equal(one, two)
    assert (tmp_path / "own" / "README.md").read_text() == "card"


def test_a_recipe_can_name_the_task(recipe: Recipe, tmp_path: Path) -> None:
    write_corpus(template_notes(40), tmp_path / "notes.jsonl", format="jsonl")
    data = (Source(str(tmp_path / "notes.jsonl")),)
    run = train_checkpoint(replace(recipe, task="words", data=data, split=SplitSettings(ratio="6:2:2")), tmp_path / "own")
    right, hidden = run.scores["test"]["accuracy"]
    assert 0 <= right <= hidden
    assert hidden > 0
    assert FRESH in run.notes
    assert load_masked(tmp_path / "own").fresh == ()
