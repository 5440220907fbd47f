"""Quantization-aware training: what is trained to be rounded loses nothing by it, and both precisions are saved."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from incognote.errors import CheckpointError, OutputError
from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.packing import ACTIVATIONS
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.tensors import Tensors, is_quantized
from incognote.lab.shrink.aware import exact_folder, train_aware
from incognote.lab.shrink.factorize import factorize
from incognote.lab.shrink.quantize import quantize_dynamic
from incognote.lab.shrink.table import measure
from incognote.lab.training.checkpointing import make_run
from incognote.lab.training.data import Splits
from incognote.lab.training.loop import train
from incognote.lab.training.recipe import Recipe
from incognote.lab.training.tasks.tagging import prepare_tagging
from tests.fakes import template_notes, tiny_encoder

NOTES = template_notes(60)
SPLITS = Splits(tuple(NOTES[:40]), tuple(NOTES[40:]))


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Recipe]:
    torch.set_num_threads(1)
    place = tmp_path_factory.mktemp("aware")
    recipe = Recipe(model=str(tiny_encoder(place / "encoder", "bert")), batch=4, epochs=9, learning_rate=3e-3, window=64, overlap=16)
    task = prepare_tagging(recipe, SPLITS)
    outcome = train(task, recipe)
    assert make_run(task, SPLITS, outcome, {}, name="whole").f1 > 0.7
    task.save(task.model, place / "whole", card={})
    return place / "whole", recipe


@pytest.fixture(scope="module")
def aware(trained: tuple[Path, Recipe], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, recipe = trained
    target = tmp_path_factory.mktemp("aware") / "small"
    run = train_aware(folder, target, replace(recipe, epochs=2, learning_rate=1e-3), SPLITS)
    assert run.model == "whole"
    return target


def test_both_precisions_are_saved_and_score_alike(trained: tuple[Path, Recipe], aware: Path) -> None:
    before = measure(trained[0], SPLITS.validation, timed=False)
    exact = measure(exact_folder(aware), SPLITS.validation, timed=False)
    small = measure(aware, SPLITS.validation, timed=False, against=exact)
    assert before.f1 is not None
    assert exact.f1 is not None
    assert small.f1 is not None
    assert small.f1.value > before.f1.value - 0.05
    assert small.f1.value > exact.f1.value - 0.02
    assert (exact.runtime, small.runtime) == ("onnx-fp32", "onnx")


def test_every_linear_and_embedding_is_int8(aware: Path) -> None:
    weights = Tensors(aware)
    assert all(weights.quantized(name) for name in weights if weights.raw(name).ndim == 2)
    assert len(load_checkpoint(aware).settings[ACTIVATIONS]) == 2 * 6
    assert not is_quantized(exact_folder(aware))


def test_full_precision_loads_in_hugging_face(aware: Path) -> None:
    from transformers import pipeline

    assert isinstance(pipeline("token-classification", model=str(exact_folder(aware)))(NOTES[0].text), list)
    assert EncoderTagger(str(aware), device="cpu", runtime="torch").tag([NOTES[0].text])


def test_rounding_goes_on_while_it_trains(trained: tuple[Path, Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from incognote.lab.shrink import fake

    seen = []
    plain = fake.round_rows
    monkeypatch.setattr(fake, "round_rows", lambda weight, **_: seen.append(torch.is_grad_enabled()) or plain(weight))
    train_aware(trained[0], tmp_path / "small", replace(trained[1], epochs=1), SPLITS)
    # 12 linears, the head and 3 embeddings, at each of 10 steps, and more when it validates
    assert sum(seen) == 16 * 10
    assert len(seen) > sum(seen)


def test_what_cannot_be_trained_so_is_refused(trained: tuple[Path, Recipe], aware: Path, tmp_path: Path) -> None:
    folder, recipe = trained
    packed = quantize_dynamic(folder, tmp_path / "packed")
    thin = factorize(load_checkpoint(folder), tmp_path / "thin", rank=8)
    for source, why in ((packed, "quantized already"), (thin, "thin embedding")):
        with pytest.raises(CheckpointError, match=why):
            train_aware(source, tmp_path / "small", recipe, SPLITS)
    (tmp_path / "small-fp32").mkdir()
    with pytest.raises(OutputError, match="small-fp32: exists already"):
        train_aware(folder, tmp_path / "small", recipe, SPLITS)
    assert not (tmp_path / "small").exists()
