"""The prefilter prunes tokens before any layer runs, by the tokens themselves and their neighbours."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from incognote.errors import CheckpointError
from incognote.find.model.checkpoint import Checkpoint, load_checkpoint
from incognote.find.model.runtimes.prefilter import Prefilter
from incognote.find.model.runtimes.pruning import PRUNED
from incognote.find.model.runtimes.pruning_file import read_pruning, write_pruning
from incognote.find.model.runtimes.stack import Linear, Stack, read_stack
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.tensors import Tensors
from incognote.find.model.tokens import Tokens
from incognote.lab.encoders.work import count_flops
from incognote.lab.shrink.prefilter import learn_prefilter
from incognote.lab.shrink.quantize import quantize_dynamic
from tests.fakes import random_texts, tiny_checkpoint

TEXTS = random_texts(4, [5, 40, 120, 0, 30, 77, 16])
CHANNELS = 4


@pytest.fixture
def small(tmp_path: Path) -> Checkpoint:
    return load_checkpoint(quantize_dynamic(tiny_checkpoint(tmp_path / "whole"), tmp_path / "small"))


def stack_of(checkpoint: Checkpoint) -> Stack:
    return read_stack(checkpoint.config, Tensors(checkpoint.folder))


def make_prefilter(checkpoint: Checkpoint, *, bias: float, around: int = 0, mixes: int = 1) -> Prefilter:
    """A prefilter of random weights; with a large bias it keeps everything, with a small one nothing."""
    chosen = np.random.default_rng(0)
    width = stack_of(checkpoint).embeddings().shape[1]

    def linear(outward: int, inward: int, bias: float = 0.0) -> Linear:
        return Linear("", chosen.normal(size=(outward, inward)).astype(np.float32), np.full(outward, bias, dtype=np.float32))

    return Prefilter(
        around, linear(CHANNELS, width), tuple(linear(CHANNELS, 3 * CHANNELS) for _ in range(mixes)), linear(1, CHANNELS, bias)
    )


def judge(checkpoint: Checkpoint, runtime: str = "onnx", texts: list[str] = TEXTS) -> np.ndarray:
    tagger = EncoderTagger(str(checkpoint.folder), device="cpu", runtime=runtime)
    return np.concatenate(tagger.logits(tagger.tokenizer.tokenize(texts)))


def test_a_prefilter_that_keeps_everything_changes_nothing(small: Checkpoint) -> None:
    before = judge(small)
    write_pruning(small.folder, [make_prefilter(small, bias=1e6)])
    assert (judge(small) == before).all()


def test_what_a_prefilter_prunes_is_no_phi_and_costs_no_work(small: Checkpoint) -> None:
    write_pruning(small.folder, [make_prefilter(small, bias=-1e6)])
    tagger = EncoderTagger(str(small.folder), device="cpu", runtime="onnx")
    notes = tagger.tokenize(TEXTS)
    found, outside = np.concatenate(tagger.logits(notes)), small.tags.index("O")
    assert (found[:, outside] == PRUNED).all()
    assert not np.delete(found, outside, axis=1).any()
    assert count_flops(tagger, [len(note) for note in notes]) == 0


def test_the_words_that_score_and_those_around_them_are_judged(small: Checkpoint) -> None:
    prefilter = make_prefilter(small, bias=0)
    opened = prefilter.open(stack_of(small), threads=1)
    tagger = EncoderTagger(str(small.folder), device="cpu", runtime="onnx")
    (note,) = tagger.tokenize(random_texts(9, [40]))
    scores = opened.score(note.ids)
    middle = replace(prefilter.down, bias=prefilter.down.bias - np.float32(np.quantile(scores, 0.9)))
    write_pruning(small.folder, [replace(prefilter, down=middle, around=2)])
    (logits,) = EncoderTagger(str(small.folder), device="cpu", runtime="onnx").logits([note])
    judged = logits[:, small.tags.index("O")] != PRUNED
    worth = np.flatnonzero(scores > np.quantile(scores, 0.9))
    assert 0 < len(worth) < len(scores)
    assert np.flatnonzero(judged).tolist() == [at for at in range(len(scores)) if np.abs(worth - at).min() <= 2]


def test_a_score_is_that_of_convolutions_over_the_words(small: Checkpoint) -> None:
    prefilter, stack = make_prefilter(small, bias=0.5, mixes=2), stack_of(small)
    ids = np.array([7, 9, 30, 12, 8])
    x = stack.embeddings()[ids] @ prefilter.narrow.floats().T + prefilter.narrow.bias
    for mix in prefilter.mixes:
        weight, padded = mix.floats().reshape(CHANNELS, CHANNELS, 3), np.pad(x, ((1, 1), (0, 0)))
        x = x + np.maximum([np.einsum("oik,ki->o", weight, padded[at : at + 3]) + mix.bias for at in range(len(ids))], 0)
    assert prefilter.open(stack, threads=1).score(ids) == pytest.approx(
        x @ prefilter.down.floats()[0] + prefilter.down.bias, rel=1e-4, abs=1e-4
    )


def test_words_keep_their_places(small: Checkpoint) -> None:
    """The one word that is read of a window is not judged as if it were at its beginning."""
    prefilter = make_prefilter(small, bias=0, mixes=0)
    tagger = EncoderTagger(str(small.folder), device="cpu", runtime="onnx")
    (note,) = tagger.tokenize(random_texts(9, [12]))
    scores = prefilter.open(stack_of(small), threads=1).score(note.ids)
    best, others = note.ids[scores.argmax()], note.ids[scores < scores.max()]
    threshold = (scores.max() + scores[scores < scores.max()].max()) / 2
    write_pruning(small.folder, [replace(prefilter, down=replace(prefilter.down, bias=prefilter.down.bias - np.float32(threshold)))])
    tagger = EncoderTagger(str(small.folder), device="cpu", runtime="onnx")
    first, last = (replace_ids(note, ids) for ids in ([best, *others], [*others, best]))
    ahead, behind = (logits[place] for logits, place in zip(tagger.logits([first, last]), (0, -1), strict=True))
    assert PRUNED not in (ahead.max(), behind.max())
    assert not np.allclose(ahead, behind, atol=1e-3)


def replace_ids(note: Tokens, ids: list[int]) -> Tokens:
    return replace(note, ids=np.array(ids), starts=note.starts[: len(ids)], ends=note.ends[: len(ids)])


@pytest.mark.parametrize("runtime", ["onnx-fp32", "torch"])
def test_runtimes_that_are_exact_read_everything(small: Checkpoint, runtime: str) -> None:
    before = judge(small, runtime)
    write_pruning(small.folder, [make_prefilter(small, bias=-1e6)])
    assert (judge(small, runtime) == before).all()


def test_words_that_the_model_never_tags_are_learned(small: Checkpoint) -> None:
    chosen = np.random.default_rng(1)
    ids = [chosen.integers(5, 60, size=4000) for _ in range(40)]
    prefilter = learn_prefilter([(one, one == 17) for one in ids], stack_of(small), around=0, seed=0)
    scores = prefilter.open(stack_of(small), threads=1).score(np.concatenate(ids))
    tagged = np.concatenate(ids) == 17
    assert scores[tagged].min() > scores[~tagged].max()


def test_a_prefilter_of_another_model_is_refused(small: Checkpoint) -> None:
    prefilter = make_prefilter(small, bias=0)
    narrow = Linear("", np.zeros((CHANNELS, 3), dtype=np.float32), np.zeros(CHANNELS, dtype=np.float32))
    even = Linear("", np.zeros((CHANNELS, 2 * CHANNELS), dtype=np.float32), np.zeros(CHANNELS, dtype=np.float32))
    for other in (replace(prefilter, narrow=narrow), replace(prefilter, mixes=(even,)), replace(prefilter, around=-1)):
        write_pruning(small.folder, [other])
        with pytest.raises(CheckpointError, match=r"pruning\.safetensors: holds the token pruning of another model"):
            read_pruning(load_checkpoint(small.folder), stack_of(small))


def test_a_prefilter_that_is_no_number_is_refused(small: Checkpoint) -> None:
    write_pruning(small.folder, [make_prefilter(small, bias=float("nan"))])
    with pytest.raises(CheckpointError, match=r"pruning\.safetensors: holds what are no numbers"):
        EncoderTagger(str(small.folder), device="cpu", runtime="onnx").tag(["Ann Lee"])
