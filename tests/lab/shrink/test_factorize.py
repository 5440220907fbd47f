"""Thin embeddings: smaller files, the same tagger in every runtime, and no rank that does not pay."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from incognote.errors import CheckpointError, ConfigError, OutputError
from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.packing import pack_checkpoint
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.tensors import LEFT, RIGHT, Tensors
from incognote.find.model.weights import load_model
from incognote.lab.shrink.expand import expand
from incognote.lab.shrink.factorize import factorize, split_matrix
from incognote.lab.shrink.factorize_tuned import factorize_tuned
from incognote.lab.shrink.layers import keep_layers
from incognote.lab.shrink.table import count_parameters
from incognote.lab.shrink.vocabulary import count_tokens, prune_checkpoint
from incognote.lab.training.data import Splits
from incognote.lab.training.recipe import Recipe
from tests.fakes import random_texts, template_notes, tiny_checkpoint

TEXTS = random_texts(2, [60, 5])
WORDS = "bert.embeddings.word_embeddings.weight"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    return tiny_checkpoint(tmp_path_factory.mktemp("factorize") / "whole", "bert")


def logits(folder: Path, runtime: str) -> np.ndarray:
    tagger = EncoderTagger(str(folder), device="cpu", runtime=runtime)
    return np.concatenate(tagger.logits(tagger.tokenizer.tokenize(TEXTS)))


def size(folder: Path) -> int:
    return (folder / "model.safetensors").stat().st_size


def test_the_product_is_the_nearest_of_its_rank() -> None:
    matrix = np.random.default_rng(0).standard_normal((40, 12)).astype(np.float32)
    left, right = split_matrix(matrix, 5)
    assert (left.shape, right.shape) == ((40, 5), (5, 12))
    u, s, v = np.linalg.svd(matrix, full_matrices=False)
    np.testing.assert_allclose(left @ right, (u[:, :5] * s[:5]) @ v[:5], atol=1e-4)


def test_rows_that_are_used_more_are_nearer() -> None:
    matrix = np.random.default_rng(1).standard_normal((40, 12)).astype(np.float32)
    counts = np.where(np.arange(40) < 6, 1000, 0).astype(np.float32)
    left, right = split_matrix(matrix, 6, counts=counts)
    off = np.abs(left @ right - matrix).mean(axis=1)
    assert off[:6].max() < 0.1 * off[6:].mean()


def test_texts_say_which_words_matter(whole: Path, tmp_path: Path) -> None:
    exact = logits(whole, "onnx-fp32")
    plain = factorize(load_checkpoint(whole), tmp_path / "plain", rank=12)
    used = factorize(load_checkpoint(whole), tmp_path / "used", rank=12, texts=TEXTS)
    assert np.abs(logits(used, "onnx-fp32") - exact).mean() < np.abs(logits(plain, "onnx-fp32") - exact).mean()


def test_a_thin_model_is_smaller_and_every_runtime_reads_it_alike(whole: Path, tmp_path: Path) -> None:
    thin = factorize(load_checkpoint(whole), tmp_path / "thin", rank=8)
    rows, width = Tensors(whole)[WORDS].shape
    saved = rows * width - 8 * (rows + width)
    assert count_parameters(whole) - count_parameters(thin) == saved > 0
    assert size(whole) - size(thin) == pytest.approx(4 * saved, abs=1000)
    torch_, exact = logits(thin, "torch"), logits(thin, "onnx-fp32")
    np.testing.assert_allclose(torch_, exact, atol=2e-5)
    assert np.abs(logits(thin, "onnx") - exact).mean() < 0.03 * exact.std()


def test_higher_ranks_come_nearer(whole: Path, tmp_path: Path) -> None:
    exact = logits(whole, "onnx-fp32")
    off = [
        np.abs(logits(factorize(load_checkpoint(whole), tmp_path / str(rank), rank=rank), "onnx-fp32") - exact).mean()
        for rank in (2, 8, 24)
    ]
    assert off[0] > off[1] > off[2]


def test_a_thin_model_can_be_packed_cut_and_pruned_further(whole: Path, tmp_path: Path) -> None:
    thin = factorize(load_checkpoint(whole), tmp_path / "thin", rank=8)
    packed = pack_checkpoint(thin, tmp_path / "packed")
    assert Tensors(packed).quantized(WORDS + LEFT)
    assert Tensors(packed).quantized(WORDS + RIGHT)
    assert size(packed) < 0.6 * size(thin)
    assert logits(packed, "torch") == pytest.approx(logits(thin, "torch"), abs=0.2)
    shallow = keep_layers(thin, tmp_path / "shallow", [0])
    assert logits(shallow, "torch") == pytest.approx(logits(shallow, "onnx-fp32"), abs=2e-5)
    counts = count_tokens(TEXTS, EncoderTagger(str(thin)).tokenizer)
    prune_checkpoint(thin, tmp_path / "pruned", counts, size=120)
    np.testing.assert_allclose(logits(tmp_path / "pruned", "torch"), logits(thin, "torch"), atol=1e-5)


def test_hugging_face_misses_the_factors_and_takes_the_expanded(whole: Path, tmp_path: Path) -> None:
    from transformers import AutoModelForTokenClassification

    thin = factorize(load_checkpoint(whole), tmp_path / "thin", rank=8)
    _, report = AutoModelForTokenClassification.from_pretrained(thin, output_loading_info=True)
    assert WORDS in report["missing_keys"]
    plain = expand(load_checkpoint(thin), tmp_path / "plain")
    model, report = AutoModelForTokenClassification.from_pretrained(plain, output_loading_info=True)
    assert not report["missing_keys"]
    ours = load_model(load_checkpoint(thin)).state_dict()
    assert all(torch.equal(value, ours[name]) for name, value in model.state_dict().items())


def test_training_keeps_the_embedding_thin(whole: Path, tmp_path: Path) -> None:
    notes = template_notes(24)
    recipe = Recipe(model=str(whole), batch=4, epochs=2, learning_rate=3e-3, window=64, overlap=16, save_every=0)
    splits = Splits(tuple(notes[:16]), tuple(notes[16:]))
    run = factorize_tuned(load_checkpoint(whole), tmp_path / "thin", rank=8, recipe=recipe, splits=splits)
    weights = Tensors(tmp_path / "thin")
    assert weights.raw(WORDS + LEFT).shape[1] == weights.raw(WORDS + RIGHT).shape[0] == 8
    assert run.parameters == count_parameters(tmp_path / "thin")
    assert json.loads((tmp_path / "thin" / "run.json").read_text())["model"] == "whole"
    assert (weights[WORDS] != Tensors(factorize(load_checkpoint(whole), tmp_path / "start", rank=8))[WORDS]).any()
    np.testing.assert_allclose(logits(tmp_path / "thin", "torch"), logits(tmp_path / "thin", "onnx-fp32"), atol=2e-5)


@pytest.mark.parametrize("rank", [0, 32, 31, 500])
def test_a_rank_that_does_not_pay_is_refused(whole: Path, tmp_path: Path, rank: int) -> None:
    with pytest.raises(ConfigError, match=f"rank = {rank}: the embedding is .*×32"):
        factorize(load_checkpoint(whole), tmp_path / "thin", rank=rank)
    assert not (tmp_path / "thin").exists()


def test_models_that_are_thin_or_int8_already_are_refused(whole: Path, tmp_path: Path) -> None:
    thin = factorize(load_checkpoint(whole), tmp_path / "thin", rank=8)
    packed = pack_checkpoint(whole, tmp_path / "packed")
    albert = tiny_checkpoint(tmp_path / "albert", "albert")
    for source, why in ((thin, "factorized already"), (packed, "quantized already"), (albert, "ALBERT")):
        with pytest.raises(CheckpointError, match=why):
            factorize(load_checkpoint(source), tmp_path / "again", rank=4)
    with pytest.raises(OutputError, match="exists already"):
        factorize(load_checkpoint(whole), thin, rank=4)
    assert not (tmp_path / "again").exists()
