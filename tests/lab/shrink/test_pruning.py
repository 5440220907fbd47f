"""Token pruning skips what the upper layers do not need, and nothing else about a model changes."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from incognote.errors import CheckpointError, ConfigError, CorpusError
from incognote.find.model.checkpoint import WEIGHTS, Checkpoint, load_checkpoint
from incognote.find.model.runtimes.pruning import PRUNED, PruningHead
from incognote.find.model.runtimes.pruning_file import read_pruning, write_pruning
from incognote.find.model.runtimes.stack import Linear, read_stack
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.tensors import PRUNING, Tensors, write_tensors
from incognote.lab.encoders.work import count_flops
from incognote.lab.shrink.expand import expand
from incognote.lab.shrink.pruning import add_pruning, fit_pruning, score_states
from incognote.lab.shrink.quantize import quantize_dynamic
from tests.fakes import random_texts, tiny_checkpoint

TEXTS = random_texts(4, [5, 40, 120, 0, 30, 77, 16])


@pytest.fixture
def small(tmp_path: Path) -> Checkpoint:
    return load_checkpoint(quantize_dynamic(tiny_checkpoint(tmp_path / "whole"), tmp_path / "small"))


def make_head(checkpoint: Checkpoint, *, bias: float, around: int = 0, seed: int = 0) -> PruningHead:
    """A pruning head of random weights; with a large bias it keeps everything, with a small one nothing."""
    stack, chosen = read_stack(checkpoint.config, Tensors(checkpoint.folder)), np.random.default_rng(seed)
    up, down = (chosen.normal(size=size).astype(np.float32) for size in ((8, stack.width), (1, 8)))
    return PruningHead(1, around, Linear("up", up, np.zeros(8, dtype=np.float32)), Linear("down", down, np.full(1, bias, dtype=np.float32)))


def judge(checkpoint: Checkpoint, runtime: str = "onnx") -> np.ndarray:
    tagger = EncoderTagger(str(checkpoint.folder), device="cpu", runtime=runtime)
    return np.concatenate(tagger.logits(tagger.tokenizer.tokenize(TEXTS)))


def is_pruned(checkpoint: Checkpoint, logits: np.ndarray) -> np.ndarray:
    """Which tokens were pruned."""
    return (logits[:, checkpoint.tags.index("O")] == PRUNED) & (np.count_nonzero(logits, axis=1) == 1)


def test_a_head_that_keeps_everything_changes_nothing(small: Checkpoint) -> None:
    before = judge(small)
    write_pruning(small.folder, [make_head(small, bias=1e6)])
    assert judge(small) == pytest.approx(before, abs=0.05 * float(before.std()))


def test_what_a_head_prunes_is_no_phi(small: Checkpoint) -> None:
    write_pruning(small.folder, [make_head(small, bias=-1e6)])
    found = judge(small)
    outside = small.tags.index("O")
    assert (found[:, outside] == PRUNED).all()
    assert not np.delete(found, outside, axis=1).any()


def test_each_token_is_kept_or_pruned_as_its_score_says(small: Checkpoint) -> None:
    write_pruning(small.folder, [make_head(small, bias=12)])
    held = is_pruned(small, judge(small))
    assert 0.1 < held.mean() < 0.9
    write_pruning(small.folder, [make_head(small, bias=12, around=2)])
    still = is_pruned(small, judge(small))
    assert still.sum() < held.sum()
    assert not (still & ~held).any()


def test_notes_come_back_in_order_whatever_is_kept_of_them(small: Checkpoint) -> None:
    write_pruning(small.folder, [make_head(small, bias=12, around=1)])
    texts = random_texts(5, [1, 90, 3, 60, 44, 7, 0, 120] * 8)
    tagger = EncoderTagger(str(small.folder), device="cpu", runtime="onnx")
    for text, scores in zip(texts, tagger.scores(texts), strict=True):
        assert (tagger.scores([text])[0].probabilities == scores.probabilities).all()


def repeat_layers(folder: Path) -> Checkpoint:
    """The tiny checkpoint with four layers, each twice."""
    weights, config = Tensors(folder), json.loads((folder / "config.json").read_text())
    tensors = {name: weights[name] for name in weights}
    for name in list(tensors):
        for at in (0, 1):
            if f".layer.{at}." in name:
                tensors[name.replace(f".layer.{at}.", f".layer.{at + 2}.")] = tensors[name]
    write_tensors(folder / WEIGHTS, tensors, metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 4}))
    return load_checkpoint(folder)


def test_several_heads_narrow_step_by_step(tmp_path: Path) -> None:
    whole = repeat_layers(tiny_checkpoint(tmp_path / "whole"))
    deep = load_checkpoint(quantize_dynamic(whole.folder, tmp_path / "deep"))
    before = judge(deep)
    everything = [replace(make_head(deep, bias=1e6), layer=layer) for layer in (1, 2, 3)]
    write_pruning(deep.folder, everything)
    assert judge(deep) == pytest.approx(before, abs=0.1 * float(before.std()))
    write_pruning(deep.folder, [everything[0], replace(make_head(deep, bias=12), layer=3)])
    above = is_pruned(deep, judge(deep))
    write_pruning(deep.folder, [make_head(deep, bias=12), replace(make_head(deep, bias=12), layer=3)])
    both = is_pruned(deep, judge(deep))
    assert 0 < above.sum() < both.sum() < len(both)


def test_work_is_counted_as_it_is_done(small: Checkpoint) -> None:
    def count() -> float:
        tagger = EncoderTagger(str(small.folder), device="cpu", runtime="onnx")
        notes = tagger.tokenize(TEXTS[:4])
        tagger.logits(notes)
        return count_flops(tagger, [len(note) for note in notes])

    whole = count()
    write_pruning(small.folder, [make_head(small, bias=1e6)])
    assert count() == whole
    write_pruning(small.folder, [make_head(small, bias=-1e6)])
    assert count() == whole / 2  # the first of two layers


@pytest.mark.parametrize("runtime", ["onnx-fp32", "torch"])
def test_runtimes_that_are_exact_read_everything(small: Checkpoint, runtime: str) -> None:
    before = judge(small, runtime)
    write_pruning(small.folder, [make_head(small, bias=-1e6)])
    assert (judge(small, runtime) == before).all()


@pytest.mark.parametrize(
    ("scores", "around", "chosen"),
    [
        ([-1, -1, 2, -1, -1, -1], 1, [1, 2, 3]),
        ([3, -1, -1, -1, -1, 1], 1, [0, 1, 4, 5]),
        ([1, -1, 1, -1], 2, [0, 1, 2, 3]),
        ([-1, 0, -1], 2, []),
        ([], 2, []),
    ],
)
def test_neighbours_go_on_with_what_is_worth_reading(small: Checkpoint, scores: list[float], around: int, chosen: list[int]) -> None:
    assert make_head(small, bias=0, around=around).choose(np.array(scores), np.array(scores)).tolist() == chosen


def test_fitted_heads_keep_what_the_model_tags(small: Checkpoint, tmp_path: Path) -> None:
    texts = random_texts(6, [60] * 60)
    fits = add_pruning(small, tmp_path / "pruned", texts, most_lost=0.01)
    assert [fit.head.layer for fit in fits] == [0, 1]
    assert all(fit.lost <= 0.01 and 0 < fit.through <= 1 for fit in fits)
    pruned = load_checkpoint(tmp_path / "pruned")
    stack = read_stack(pruned.config, Tensors(pruned.folder))
    prefilter, (head,) = read_pruning(pruned, stack)
    states = np.random.default_rng(0).normal(size=(5, head.up.floats().shape[1])).astype(np.float32)
    assert score_states(head, states) == pytest.approx(score_states(fits[1].head, states), abs=1e-5)
    ids = np.arange(5, 40)
    read, fitted = (one.open(stack, threads=1).score(ids) for one in (prefilter, fits[0].head))
    assert (read == fitted).all()
    full, quick = (EncoderTagger(str(folder), device="cpu", runtime="onnx") for folder in (small.folder, pruned.folder))
    others = random_texts(7, [60] * 20)
    tags = [np.concatenate(one.logits(one.tokenizer.tokenize(others))).argmax(axis=1) for one in (full, quick)]
    outside = small.tags.index("O")
    lost = (tags[0] != outside) & (tags[1] == outside)
    assert lost.sum() <= 0.1 * (tags[0] != outside).sum()


def test_of_what_the_model_is_sure_of_less_is_pruned(small: Checkpoint) -> None:
    texts = random_texts(6, [60] * 100)
    (fit,) = fit_pruning(small, texts, layers=[1], around=0, most_lost=0.5)
    kept, outside = texts[::5], small.tags.index("O")
    exact = EncoderTagger(str(small.folder), device="cpu", runtime="torch")
    logits = np.concatenate(exact.logits(exact.tokenize(kept)))
    above = np.delete(logits, outside, axis=1).max(axis=1) - logits[:, outside]
    write_pruning(small.folder, [fit.head])
    pruned = EncoderTagger(str(small.folder), device="cpu", runtime="onnx")
    held = is_pruned(small, np.concatenate(pruned.logits(pruned.tokenize(kept))))
    assert (above > 4).sum() > 100
    assert held[above > 4].mean() <= 0.05 + 0.005  # int8 moves scores a little
    assert held[(above > 0) & (above <= 4)].mean() > 0.1


def test_the_same_notes_and_seed_give_the_same_head(small: Checkpoint) -> None:
    texts = random_texts(6, [30] * 20)
    one, two = (fit_pruning(small, texts, seed=3) for _ in range(2))
    write_pruning(small.folder, [fit.head for fit in one])
    first = (small.folder / PRUNING).read_bytes()
    write_pruning(small.folder, [fit.head for fit in two])
    assert (small.folder / PRUNING).read_bytes() == first


def test_a_model_made_of_a_pruned_one_has_no_pruning(small: Checkpoint, tmp_path: Path) -> None:
    write_pruning(small.folder, [make_head(small, bias=12)])
    plain = expand(load_checkpoint(small.folder), tmp_path / "plain")
    assert not (plain / PRUNING).exists()
    assert set(Tensors(plain)) == set(Tensors(small.folder))


def test_no_runtime_of_newly_pruned_model_is_validated(small: Checkpoint, tmp_path: Path) -> None:
    config = {**small.config, "incognote": {"validated_runtimes": ["onnx"], "window": 64}}
    (small.folder / "config.json").write_text(json.dumps(config))
    add_pruning(load_checkpoint(small.folder), tmp_path / "pruned", random_texts(6, [30] * 20))
    assert load_checkpoint(tmp_path / "pruned").settings == {"window": 64}


def test_pruning_of_another_model_is_refused(small: Checkpoint) -> None:
    stack, head = read_stack(small.config, Tensors(small.folder)), make_head(small, bias=0)
    narrow = Linear("up", np.zeros((8, 3), dtype=np.float32), np.zeros(8, dtype=np.float32))
    for other in (replace(head, layer=len(stack.layers)), replace(head, up=narrow)):
        write_pruning(small.folder, [other])
        with pytest.raises(CheckpointError, match=r"pruning\.safetensors: holds the token pruning of another model"):
            read_pruning(load_checkpoint(small.folder), stack)


def test_pruning_in_a_file_of_its_old_name_is_read(small: Checkpoint) -> None:
    file = write_pruning(small.folder, [make_head(small, bias=-1e6)])
    held = judge(small)
    file.rename(small.folder / "gates.safetensors")
    assert (judge(small) == held).all()
    assert is_pruned(small, held).all()


def test_damaged_pruning_is_refused(small: Checkpoint) -> None:
    file = write_pruning(small.folder, [make_head(small, bias=12)])
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.raises(CheckpointError, match="damaged weights"):
        EncoderTagger(str(small.folder), device="cpu", runtime="onnx").tag(["Ann Lee"])


@pytest.mark.parametrize("runtime", ["onnx", "onnx-exact"])
def test_what_is_no_number_is_refused_and_not_pruned(small: Checkpoint, runtime: str) -> None:
    write_pruning(small.folder, [make_head(small, bias=-1e6)])
    weights = Tensors(small.folder)
    tensors = {name: weights.raw(name).copy() for name in (*weights, *(f"{name}.scale" for name in weights if weights.quantized(name)))}
    tensors["bert.embeddings.LayerNorm.bias"][:] = np.nan
    write_tensors(small.folder / WEIGHTS, tensors, metadata={"format": "pt"})
    with pytest.raises(CheckpointError, match="no numbers"):
        EncoderTagger(str(small.folder), device="cpu", runtime=runtime).tag(["Ann Lee was seen"])


def test_a_head_that_is_no_number_is_refused(small: Checkpoint) -> None:
    write_pruning(small.folder, [make_head(small, bias=float("nan"))])
    with pytest.raises(CheckpointError, match=r"pruning\.safetensors: holds what are no numbers"):
        EncoderTagger(str(small.folder), device="cpu", runtime="onnx").tag(["Ann Lee"])


def test_what_cannot_be_pruned_says_why(small: Checkpoint, tmp_path: Path) -> None:
    whole = load_checkpoint(tmp_path / "whole")
    with pytest.raises(CheckpointError, match="quantize it first"):
        fit_pruning(whole, TEXTS)
    distant = load_checkpoint(quantize_dynamic(tiny_checkpoint(tmp_path / "far", "mpnet"), tmp_path / "far8"))
    with pytest.raises(CheckpointError, match="no graph of ours for mpnet"):
        fit_pruning(distant, TEXTS)
    with pytest.raises(ConfigError, match="layer = 9"):
        fit_pruning(small, TEXTS, layers=[9])
    with pytest.raises(CorpusError, match="a few hundred"):
        fit_pruning(small, [])
