"""The confidence margin of a model is measured where int8 and full precision disagree."""

import json
from pathlib import Path

import numpy as np
import pytest

from incognote.find.model.checkpoint import Checkpoint, load_checkpoint
from incognote.find.model.config import SETTINGS, read_config
from incognote.find.model.packing import ACTIVATIONS
from incognote.find.model.runtimes.onnx import INT8, load_onnx_runtime
from incognote.find.model.tagger import EncoderTagger
from incognote.lab.shrink.confidence_margin import measure_confidence_margin
from incognote.lab.shrink.pruning import add_pruning
from incognote.lab.shrink.quantize import quantize_dynamic
from tests.fakes import random_texts, run_command, tiny_checkpoint

TEXTS = random_texts(4, [120, 90, 200, 33] * 30)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    """A tiny int8 model that was told of activations far larger than they are, which leaves them few codes."""
    folder = tmp_path_factory.mktemp("models")
    small = quantize_dynamic(tiny_checkpoint(folder / "whole"), folder / "small")
    config = read_config(small)
    linears = [f"bert.encoder.layer.{at}.{part}" for at in (0, 1) for part in ("attention.self.query", "intermediate.dense")]
    config[SETTINGS] = {**config.get(SETTINGS, {}), ACTIVATIONS: {linear: [-200, 200] for linear in linears}}
    (small / "config.json").write_text(json.dumps(config))
    return load_checkpoint(small)


def test_nearly_all_words_that_int8_takes_for_others_are_as_close_as_that(small: Checkpoint) -> None:
    close = measure_confidence_margin(small, TEXTS)
    assert close is not None
    taggers = [
        EncoderTagger(str(small.folder), device="cpu", runtime=runtime)
        for runtime in ("onnx-fp32", load_onnx_runtime(small, precision=INT8))
    ]
    exact, rough = (np.concatenate(tagger.logits(tagger.tokenize(TEXTS))) for tagger in taggers)
    mistaken = np.sort(rough[exact.argmax(axis=1) != rough.argmax(axis=1)], axis=1)
    margins = mistaken[:, -1] - mistaken[:, -2]
    assert (margins > close + 0.0005).mean() <= 0.005
    assert margins.max() > close - 0.0005


def test_of_few_such_words_nothing_is_said(small: Checkpoint) -> None:
    assert measure_confidence_margin(small, TEXTS[:1]) is None
    assert measure_confidence_margin(small, []) is None


def test_a_model_with_gates_knows_it(small: Checkpoint, tmp_path: Path) -> None:
    add_pruning(small, tmp_path / "gated", TEXTS)
    assert load_checkpoint(tmp_path / "gated").settings["confidence_margin"] == measure_confidence_margin(small, TEXTS)
    add_pruning(load_checkpoint(tmp_path / "gated"), tmp_path / "again", TEXTS[:8])
    assert "confidence_margin" not in load_checkpoint(tmp_path / "again").settings


def test_the_command_says_when_there_were_too_few_notes_to_tell(small: Checkpoint, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    for at, text in enumerate(TEXTS[:8]):
        (tmp_path / "notes" / f"{at}.txt").write_text(text)
    done = run_command("shrink", "token-pruning", small.folder, tmp_path / "notes", "-o", tmp_path / "gated")
    assert done.returncode == 0, done.stderr
    assert "too few notes to measure the confidence margin" in done.stderr
