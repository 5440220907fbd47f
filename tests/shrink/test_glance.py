"""A glance settles the windows that int8 is sure of; all others have the scores of a fine reading."""

from pathlib import Path

import numpy as np
import pytest

from incognote.encoders.checkpoint import WEIGHTS, Checkpoint, load_checkpoint
from incognote.encoders.runtimes.gate import CLOSED
from incognote.encoders.runtimes.gate_file import write_gates
from incognote.encoders.tagger import EncoderTagger
from incognote.encoders.tensors import GATES, Tensors, write_tensors
from incognote.encoders.work import count_flops
from incognote.shrink.quantize import quantize_dynamic
from tests.fakes import random_texts, tiny_checkpoint
from tests.shrink.test_gate import make_gate
from tests.shrink.test_sieve import make_sieve

TEXTS = random_texts(4, [5, 40, 30, 2, 20, 12, 1, 3, 16])
ALL, NOTHING = 1e6, -1e6


def load(folder: Path, *, surer: float = 1.0) -> Checkpoint:
    """A tiny int8 model; ``surer`` makes the differences between its scores larger."""
    whole = tiny_checkpoint(folder / "whole")
    weights = Tensors(whole)
    tensors = {name: weights[name] * (surer if name.startswith("classifier") else 1) for name in weights}
    write_tensors(whole / WEIGHTS, {name: tensor.astype(np.float32) for name, tensor in tensors.items()}, metadata={"format": "pt"})
    return load_checkpoint(quantize_dynamic(whole, folder / "small"))


def open_tagger(checkpoint: Checkpoint, runtime: str = "onnx-fine") -> EncoderTagger:
    return EncoderTagger(str(checkpoint.folder), device="cpu", runtime=runtime)


def judge(checkpoint: Checkpoint, runtime: str = "onnx-fine") -> list[np.ndarray]:
    tagger = open_tagger(checkpoint, runtime)
    return tagger.logits(tagger.tokenize(TEXTS))


def are_same(some: list[np.ndarray], others: list[np.ndarray]) -> list[bool]:
    return [bool((one == other).all()) for one, other in zip(some, others, strict=True)]


def test_what_int8_is_not_sure_of_is_read_again(tmp_path: Path) -> None:
    small = load(tmp_path, surer=3)
    fine, quick = judge(small), judge(small, "onnx")
    write_gates(small.folder, [make_gate(small, bias=ALL), make_sieve(small, bias=NOTHING)])
    close = [(np.diff(np.sort(one, axis=1)[:, -2:], axis=1) <= 1).any() for one in quick]
    assert {True, False} == set(close)
    for again, found, exact, first in zip(close, judge(small), fine, quick, strict=True):
        assert found == pytest.approx(exact if again else first, abs=0 if again else 0.05 * float(first.std()))
        assert again or (found != exact).any()


def test_what_int8_is_sure_of_is_not(tmp_path: Path) -> None:
    small = load(tmp_path, surer=1e5)
    fine = judge(small)
    write_gates(small.folder, [make_gate(small, bias=ALL), make_sieve(small, bias=NOTHING)])
    assert not any(are_same(fine, judge(small)))
    tags, exact = (np.concatenate(one).argmax(axis=1) for one in (judge(small), fine))
    assert (tags == exact).mean() > 0.95


def test_windows_full_of_what_may_be_phi_are_read_finely_at_once(tmp_path: Path) -> None:
    small = load(tmp_path, surer=1e5)
    fine = judge(small)
    write_gates(small.folder, [make_gate(small, bias=NOTHING), make_sieve(small, bias=ALL)])
    assert all(are_same(fine, judge(small)))


def test_a_glance_that_sees_nothing_settles_the_window(tmp_path: Path) -> None:
    small = load(tmp_path)
    write_gates(small.folder, [make_gate(small, bias=NOTHING), make_sieve(small, bias=NOTHING)])
    assert (np.concatenate(judge(small))[:, small.tags.index("O")] == CLOSED).all()


def test_work_is_that_of_both_readings(tmp_path: Path) -> None:
    small = load(tmp_path)

    def count() -> float:
        tagger = open_tagger(small)
        notes = tagger.tokenize(TEXTS)
        tagger.logits(notes)
        return count_flops(tagger, [len(note) for note in notes])

    whole = count()
    write_gates(small.folder, [make_gate(small, bias=NOTHING), make_sieve(small, bias=ALL)])
    assert count() == whole
    write_gates(small.folder, [make_gate(small, bias=NOTHING), make_sieve(small, bias=NOTHING)])
    assert count() == whole / 2  # the first of two layers, and nothing again
    (small.folder / GATES).unlink()
    assert count() == whole
