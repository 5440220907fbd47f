import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from incognote.errors import CheckpointError, ConfigError, LabelError, TrainingError
from incognote.find.model.tagger import EncoderTagger
from incognote.lab.training.data import Splits
from incognote.lab.training.loop import Progress, train
from incognote.lab.training.recipe import Recipe
from incognote.lab.training.shared_prefix import train_branches
from incognote.lab.training.state import Training
from incognote.lab.training.step import take_step
from incognote.lab.training.task import Batch
from incognote.lab.training.tasks.tagging import Tagging, prepare_tagging
from tests.fakes import tiny_encoder


def weights(task: Tagging) -> list[Tensor]:
    return [parameter.detach().clone() for parameter in task.model.parameters()]


def equal(one: Sequence[Tensor], two: Sequence[Tensor]) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one, two, strict=True))


def test_a_tiny_encoder_learns_the_templates(recipe: Recipe, splits: Splits) -> None:
    task = prepare_tagging(replace(recipe, epochs=12), splits)
    outcome = train(task, task.recipe)
    assert outcome.scores["f1"] > 0.9
    assert outcome.scores["f1"] == max(row["f1"] for row in outcome.history)
    assert outcome.cost.samples == 12 * len(task.windows)


def test_the_same_recipe_gives_the_same_weights(recipe: Recipe, splits: Splits) -> None:
    runs = []
    for _ in range(2):
        task = prepare_tagging(recipe, splits)
        train(task, recipe)
        runs.append(weights(task))
    assert equal(*runs)


def test_a_stopped_training_resumes_to_the_same_weights(recipe: Recipe, splits: Splits, tmp_path: Path) -> None:
    recipe = replace(recipe, ema=0.9, r_drop=0.5, adversarial=0.5, token_masking=0.1, schedule="cosine", warmup=1)
    whole = prepare_tagging(recipe, splits)
    train(whole, recipe)

    class Stop(Exception):
        pass

    def stop_in_last_epoch(progress: Progress) -> None:
        if progress.step > 2.2 * progress.total / 3:
            raise Stop

    first = prepare_tagging(recipe, splits)
    with pytest.raises(Stop):
        train(first, recipe, folder=tmp_path, watch=stop_in_last_epoch)
    second = prepare_tagging(recipe, splits)
    outcome = train(second, recipe, folder=tmp_path, resume=True)
    assert equal(weights(whole), weights(second))
    assert [row["epoch"] for row in outcome.history] == [1.0, 2.0, 3.0]


def test_the_state_of_another_training_is_not_taken(recipe: Recipe, splits: Splits, tmp_path: Path) -> None:
    train(prepare_tagging(recipe, splits), recipe, folder=tmp_path, mark="one")
    with pytest.raises(TrainingError, match="another recipe"):
        train(prepare_tagging(recipe, splits), recipe, folder=tmp_path, mark="two", resume=True)


def test_a_damaged_state_is_named(recipe: Recipe, splits: Splits, tmp_path: Path) -> None:
    (tmp_path / "state.pt").write_bytes(b"PK\x03\x04 not really")
    with pytest.raises(TrainingError, match=r"state\.pt: the saved state cannot be read"):
        train(prepare_tagging(recipe, splits), recipe, folder=tmp_path, resume=True)


@pytest.mark.parametrize("ema", [0.0, 0.9])
def test_a_branch_has_the_weights_of_a_separate_run(recipe: Recipe, splits: Splits, ema: float) -> None:
    recipe = replace(recipe, schedule="warmup-stable-decay", decay=0.3, warmup=0.5, validate_every=99, ema=ema)
    prefix = prepare_tagging(recipe, splits)
    costs = {}
    for length, outcome in train_branches(prefix, recipe, [1, 2, 3]):
        alone = prepare_tagging(replace(recipe, epochs=length), splits)
        separate = train(alone, alone.recipe)
        assert equal(weights(prefix), weights(alone)), length
        assert outcome.scores == separate.scores
        assert outcome.cost.samples_alone == separate.cost.samples
        costs[length] = outcome.cost.samples
    assert sum(costs.values()) < 0.9 * sum(length * len(prefix.windows) for length in costs)


def test_a_killed_trunk_goes_on_from_its_last_fork(recipe: Recipe, splits: Splits, tmp_path: Path) -> None:
    recipe = replace(recipe, schedule="warmup-stable-decay", decay=0.3)
    state = tmp_path / "prefix.pt"
    calm = prepare_tagging(recipe, splits)
    expected = {length: weights(calm) for length, _ in train_branches(calm, recipe, [1, 2, 3])}
    broken = train_branches(prepare_tagging(recipe, splits), recipe, [1, 2, 3], state=state, mark="m")
    next(broken)
    next(broken)
    broken.close()
    task = prepare_tagging(recipe, splits)
    found = {length: weights(task) for length, _ in train_branches(task, recipe, [2, 3], state=state, mark="m")}
    assert all(equal(expected[length], found[length]) for length in (2, 3))


class Scripted:
    """A real tagging task with one scripted misfortune."""

    def __init__(self, task: Tagging, *, nan_at: int = -1, room: int = 10**9) -> None:
        self.task, self.nan_at, self.room, self.calls = task, nan_at, room, 0

    def __getattr__(self, name: str) -> object:
        return getattr(self.task, name)

    def loss(self, logits: Tensor, batch: Batch, *, smoothing: float) -> Tensor:
        self.calls += 1
        if len(batch["labels"]) > self.room:
            raise torch.OutOfMemoryError("scripted")
        loss = self.task.loss(logits, batch, smoothing=smoothing)
        return loss * float("nan") if self.calls == self.nan_at else loss


def test_out_of_memory_halves_the_batch_and_says_so(recipe: Recipe, splits: Splits) -> None:
    recipe = replace(recipe, epochs=1, dropout=0.0)
    calm, short = prepare_tagging(recipe, splits), prepare_tagging(recipe, splits)
    train(calm, recipe)
    outcome = train(Scripted(short, room=1), recipe)
    assert [note.split(":")[0] for note in outcome.notes] == ["out of GPU memory at step 1", "out of GPU memory at step 1"]
    assert "1 samples at a time" in outcome.notes[-1]
    for one, two in zip(weights(calm), weights(short), strict=True):
        torch.testing.assert_close(one, two, atol=2e-3, rtol=1e-2)


def test_one_sample_that_does_not_fit_is_an_error(recipe: Recipe, splits: Splits) -> None:
    with pytest.raises(TrainingError, match="one sample at a time"):
        train(Scripted(prepare_tagging(recipe, splits), room=0), recipe)


def test_memory_tokens_bounds_memory_and_not_the_result(recipe: Recipe, splits: Splits) -> None:
    recipe = replace(recipe, epochs=1, dropout=0.0)
    free, bound = prepare_tagging(recipe, splits), prepare_tagging(replace(recipe, memory_tokens=40), splits)
    train(free, recipe)
    train(bound, bound.recipe)
    for one, two in zip(weights(free), weights(bound), strict=True):
        torch.testing.assert_close(one, two, atol=2e-3, rtol=1e-2)


def test_a_loss_that_is_not_a_number_stops_and_keeps_the_best_epoch(recipe: Recipe, splits: Splits) -> None:
    task = prepare_tagging(recipe, splits)
    steps = -(-len(task.windows) // recipe.batch)
    outcome = train(Scripted(task, nan_at=steps + 3), recipe)
    assert f"not a number at epoch 2, batch 3 of {steps} (documents n0" in outcome.stopped
    assert "epoch 1, the best of those finished, is kept" in outcome.stopped
    assert all(torch.isfinite(parameter).all() for parameter in task.model.parameters())


def test_a_loss_that_is_never_a_number_is_an_error(recipe: Recipe, splits: Splits) -> None:
    with pytest.raises(TrainingError, match="nothing is kept"):
        train(Scripted(prepare_tagging(recipe, splits), nan_at=1), recipe)


@pytest.mark.parametrize("epoch", [1, 2])
def test_weights_that_are_no_numbers_after_the_last_step_of_an_epoch_are_not_kept(
    recipe: Recipe, splits: Splits, monkeypatch: pytest.MonkeyPatch, epoch: int
) -> None:
    def take(training: Training, indices: Sequence[int], factor: float) -> Tensor:
        loss = take_step(training, indices, factor)
        if training.step == epoch * training.epoch_steps:
            training.masters[0].data.fill_(float("nan"))
        return loss

    monkeypatch.setattr("incognote.lab.training.loop.take_step", take)
    task = prepare_tagging(recipe, splits)
    if epoch == 1:
        with pytest.raises(TrainingError, match=r"no numbers any more after epoch 1; .*nothing is kept"):
            train(task, recipe)
        return
    assert "epoch 1, the best of those finished, is kept" in train(task, recipe).stopped
    assert all(torch.isfinite(parameter).all() for parameter in task.model.parameters())


def test_early_stopping_waits_as_long_as_it_says(recipe: Recipe, splits: Splits) -> None:
    recipe = replace(recipe, epochs=30, early_stopping=2, learning_rate=1e-9)
    outcome = train(prepare_tagging(recipe, splits), recipe)
    assert [row["epoch"] for row in outcome.history] == [1.0, 2.0, 3.0]


def test_frozen_parts_do_not_move(recipe: Recipe, splits: Splits) -> None:
    for freeze, moving in (
        ("all-but-head", {"classifier"}),
        (1, {"classifier", "layer.1"}),
        ("embeddings", {"classifier", "layer.0", "layer.1"}),
    ):
        task = prepare_tagging(replace(recipe, epochs=1, freeze=freeze), splits)
        before = {name: parameter.detach().clone() for name, parameter in task.model.named_parameters()}
        train(task, task.recipe)
        moved = {name for name, parameter in task.model.named_parameters() if not torch.equal(before[name], parameter)}
        assert all(any(part in name for part in moving) for name in moved)
        assert all(any(part in name for name in moved) for part in moving)


def test_a_part_that_the_encoder_lacks_is_named(recipe: Recipe, splits: Splits) -> None:
    wrong = replace(recipe, freeze=7, learning_rates={"12": 1e-3})
    with pytest.raises(ConfigError) as error:
        train(prepare_tagging(wrong, splits), wrong)
    assert len(error.value.faults) == 2


def test_the_saved_checkpoint_tags_as_validation_did(recipe: Recipe, splits: Splits, tmp_path: Path) -> None:
    task = prepare_tagging(replace(recipe, epochs=6, newline_token=True), splits)
    train(task, task.recipe)
    task.save(task.model, tmp_path / "model", card={})
    texts = [document.text for document in splits.validation]
    assert EncoderTagger(str(tmp_path / "model")).tag(texts) == task.predict(task.model, splits.validation)


def test_a_line_break_token_is_kept_in_the_checkpoint(recipe: Recipe, splits: Splits, tmp_path: Path) -> None:
    task = prepare_tagging(replace(recipe, newline_token=True), splits)
    task.save(task.model, tmp_path / "model", card={})
    tokens = EncoderTagger(str(tmp_path / "model")).tokenizer.tokenize(["Ann\nLee"])[0]
    assert len(tokens) == len(task.tokenizer.tokenize(["Ann Lee"])[0]) + 1


def test_labels_that_a_checkpoint_lacks_are_an_error(recipe: Recipe, splits: Splits, tmp_path: Path) -> None:
    task = prepare_tagging(recipe, splits)
    task.save(task.model, tmp_path / "model", card={})
    few = [d.with_spans([replace(s, label="PLANET") if s.label == "CITY" else s for s in d.spans]) for d in splits.train]
    with pytest.raises(LabelError, match="PLANET"):
        prepare_tagging(replace(recipe, model=str(tmp_path / "model")), Splits(tuple(few), splits.validation))


@pytest.mark.parametrize("scheme", ["", "i2b2-2014"])
def test_notes_without_any_span_are_nothing_to_learn_from(scheme: str, recipe: Recipe, splits: Splits) -> None:
    bare = replace(splits, train=tuple(document.with_spans(()) for document in splits.train))
    with pytest.raises(ConfigError, match="no training document has a span"):
        prepare_tagging(replace(recipe, scheme=scheme), bare)


def test_a_window_longer_than_the_encoder_takes_is_an_error(recipe: Recipe, splits: Splits) -> None:
    with pytest.raises(ConfigError, match="at most 64"):
        prepare_tagging(replace(recipe, window=512, overlap=128), splits)


def test_a_recipe_for_another_task_is_not_trained_as_a_tagger(recipe: Recipe, splits: Splits) -> None:
    with pytest.raises(ConfigError, match="task = 'classes': only taggers"):
        prepare_tagging(replace(recipe, task="classes"), splits)


def test_an_unknown_encoder_without_network_says_how_to_pass_a_folder(
    recipe: Recipe, splits: Splits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(CheckpointError, match="pass the folder"):
        prepare_tagging(replace(recipe, model="nobody/nothing"), splits)


@pytest.mark.parametrize("family", ["bert", "albert", "distilbert", "mpnet", "xlnet"])
def test_computing_layers_again_changes_nothing(family: str, recipe: Recipe, splits: Splits, tmp_path: Path) -> None:
    recipe = replace(recipe, model=str(tiny_encoder(tmp_path / family, family)), epochs=1)
    plain, again = prepare_tagging(recipe, splits), prepare_tagging(replace(recipe, gradient_checkpointing=True), splits)
    train(plain, recipe)
    train(again, again.recipe)
    for one, two in zip(weights(plain), weights(again), strict=True):
        torch.testing.assert_close(one, two, atol=1e-5, rtol=1e-4)


def test_pickled_weights_are_opened_only_when_asked_for(encoder: Path, recipe: Recipe, splits: Splits, tmp_path: Path) -> None:
    from safetensors.torch import load_file

    pickled = shutil.copytree(encoder, tmp_path / "pickled")
    torch.save(load_file(pickled / "model.safetensors"), pickled / "pytorch_model.bin")
    (pickled / "model.safetensors").unlink()
    with pytest.raises(CheckpointError, match="set unsafe"):
        prepare_tagging(replace(recipe, model=str(pickled)), splits)
    opened, safe = (prepare_tagging(replace(recipe, model=str(m)), splits, unsafe=True).model for m in (pickled, encoder))
    assert equal(list(opened.parameters()), list(safe.parameters()))
