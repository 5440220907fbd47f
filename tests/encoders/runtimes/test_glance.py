"""A glance settles the windows that int8 is sure of; all others have the scores of a fine reading."""

import threading
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from incognote.document import parse_markup
from incognote.encoders.checkpoint import WEIGHTS, Checkpoint, load_checkpoint
from incognote.encoders.runtimes import Batch, Runtime
from incognote.encoders.runtimes.gate import CLOSED
from incognote.encoders.runtimes.gate_file import write_gates
from incognote.encoders.runtimes.glance import GlancingRuntime
from incognote.encoders.runtimes.loading import load_runtime
from incognote.encoders.runtimes.onnx import FINE, OnnxRuntime
from incognote.encoders.runtimes.sieve import Sieve
from incognote.encoders.tagger import EncoderTagger
from incognote.encoders.tensors import GATES, Tensors, write_tensors
from incognote.encoders.work import count_flops
from incognote.errors import CheckpointError
from incognote.models import DEFAULT
from incognote.shrink.quantize import quantize_dynamic
from tests.fakes import random_texts, tiny_checkpoint
from tests.shrink.test_gate import make_gate
from tests.shrink.test_sieve import make_sieve

TUNING = Path(__file__).parents[2] / "golden" / "tuning"
RUNTIMES = ("onnx-fine", "openvino-fine")
TEXTS = random_texts(4, [5, 40, 30, 2, 20, 12, 1, 3, 16])
LENGTHS = (5, 40, 30, 2, 20, 12, 3, 16)
ALL, NOTHING = 1e6, -1e6
BARELY_NOT = -0.5  # a sieve that says this of every word lets nothing through, and everything when it is to be careful


def load(folder: Path, *, surer: float = 1.0, gate: float | None = None, sieve: float | None = None) -> Checkpoint:
    """A tiny int8 model; ``surer`` makes the differences between its scores larger, and the others are what its gates let through."""
    whole = tiny_checkpoint(folder / "whole")
    weights = Tensors(whole)
    tensors = {name: weights[name] * (surer if name.startswith("classifier") else 1) for name in weights}
    write_tensors(whole / WEIGHTS, {name: tensor.astype(np.float32) for name, tensor in tensors.items()}, metadata={"format": "pt"})
    small = load_checkpoint(quantize_dynamic(whole, folder / "small"))
    gates = [*([] if gate is None else [make_gate(small, bias=gate)]), *([] if sieve is None else [make_even_sieve(small, sieve)])]
    if gates:
        write_gates(small.folder, gates)
    return small


def make_even_sieve(checkpoint: Checkpoint, says: float) -> Sieve:
    """A sieve that says the same of every word."""
    sieve = make_sieve(checkpoint, bias=says)
    return replace(sieve, down=replace(sieve.down, weight=np.zeros_like(sieve.down.floats())))


def open_runtime(checkpoint: Checkpoint, name: str = "onnx-fine", *, threads: int = 2) -> GlancingRuntime:
    """One for which any tag may follow any other: those of random weights do."""
    runtime = load_runtime(checkpoint, name, threads=threads)
    assert isinstance(runtime, GlancingRuntime)
    return replace(runtime, follows=np.ones_like(runtime.follows))


def open_tagger(checkpoint: Checkpoint, runtime: str) -> EncoderTagger:
    return EncoderTagger(str(checkpoint.folder), device="cpu", runtime=runtime)


def judge(checkpoint: Checkpoint, runtime: str) -> list[np.ndarray]:
    tagger = open_tagger(checkpoint, runtime)
    return tagger.logits(tagger.tokenize(TEXTS))


def make_batches(count: int) -> list[Batch]:
    """Batches of random windows of many lengths, padded."""
    chosen, batches = np.random.default_rng(1), []
    for _ in range(count):
        lengths = chosen.choice(LENGTHS, size=3) + 2
        mask = (np.arange(lengths.max()) < lengths[:, None]).astype(np.int64)
        batches.append((chosen.integers(5, 60, mask.shape) * mask, mask))
    return batches


def cut_words(logits: Iterable[np.ndarray], batches: list[Batch]) -> list[np.ndarray]:
    """What is said of the words of each window."""
    pairs = zip(logits, batches, strict=True)
    return [row[1 : length - 1] for found, (_, mask) in pairs for row, length in zip(found, mask.sum(axis=1), strict=True)]


def are_close(words: np.ndarray) -> bool:
    return bool((np.diff(np.sort(words, axis=1)[:, -2:], axis=1) <= 0.75).any())


class Watched:
    """A runtime that counts the windows it is given."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime, self.budget, self.windows = runtime, runtime.budget, 0

    def run(self, batches: Iterable[Batch]) -> Iterator[np.ndarray]:
        return self.runtime.run(self._count(batches))

    def _count(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        for ids, mask in batches:
            self.windows += len(ids)
            yield ids, mask


@pytest.mark.parametrize("name", RUNTIMES)
@pytest.mark.parametrize("threads", [1, 3])
def test_windows_with_a_close_word_are_read_again_and_all_come_out_in_order(tmp_path: Path, name: str, threads: int) -> None:
    runtime = open_runtime(load(tmp_path, surer=3, gate=ALL, sieve=BARELY_NOT), name, threads=threads)
    batches = make_batches(40)
    quick, fine, found = (cut_words(one.run(batches), batches) for one in (runtime.quick, runtime.fine, runtime))
    close = [are_close(words) for words in quick]
    assert 0.1 < np.mean(close) < 0.9
    for again, first, exact, words in zip(close, quick, fine, found, strict=True):
        assert (words == (exact if again else first)).all()
        assert (first != exact).any()


@pytest.mark.parametrize("name", RUNTIMES)
def test_what_int8_is_sure_of_is_not_read_again(tmp_path: Path, name: str) -> None:
    runtime = open_runtime(load(tmp_path, surer=1e5, gate=ALL, sieve=BARELY_NOT), name)
    batches = make_batches(20)
    fine, found = (cut_words(one.run(batches), batches) for one in (runtime.fine, runtime))
    assert not any((one == other).all() for one, other in zip(fine, found, strict=True))
    tags, exact = (np.concatenate(one).argmax(axis=1) for one in (found, fine))
    assert (tags == exact).mean() > 0.95


@pytest.mark.parametrize("name", RUNTIMES)
def test_windows_whose_likeliest_tags_may_not_follow_one_another_are_read_again(tmp_path: Path, name: str) -> None:
    small = load(tmp_path, surer=1e5, gate=ALL, sieve=BARELY_NOT)
    runtime, batches = load_runtime(small, name, threads=2), make_batches(40)
    assert isinstance(runtime, GlancingRuntime)
    fine, quick, found = (cut_words(one.run(batches), batches) for one in (runtime.fine, runtime.quick, runtime))
    seen = set()
    for first, exact, words in zip(quick, fine, found, strict=True):
        tags = [small.tags[column] for column in first.argmax(axis=1)]
        allowed = all(not two.startswith("I-") or one[1:] == two[1:] for one, two in pairwise(tags))
        assert (words == (first if allowed else exact)).all()
        seen.add(allowed)
    assert seen == {True, False}


@pytest.mark.parametrize("name", RUNTIMES)
def test_windows_full_of_what_may_be_phi_are_read_finely_at_once(tmp_path: Path, name: str) -> None:
    runtime = open_runtime(load(tmp_path, surer=1e5, gate=NOTHING, sieve=ALL), name)
    batches, watched = make_batches(20), Watched(runtime.quick)
    found = cut_words(replace(runtime, quick=watched).run(batches), batches)
    assert all((one == two).all() for one, two in zip(found, cut_words(runtime.fine.run(batches), batches), strict=True))
    assert not watched.windows


@pytest.mark.parametrize("name", RUNTIMES)
@pytest.mark.parametrize("sieve", [ALL, NOTHING])
def test_few_batches_are_in_memory_at_a_time(tmp_path: Path, name: str, sieve: float) -> None:
    runtime = open_runtime(load(tmp_path, gate=NOTHING, sieve=sieve), name)
    batches = iter(make_batches(60))
    next(runtime.run(batches))
    assert len(list(batches)) > 30


@pytest.mark.parametrize("name", RUNTIMES)
def test_a_fault_of_the_fine_reading_is_raised(tmp_path: Path, name: str) -> None:
    class Broken:
        def run(self, *_: object) -> None:
            raise RuntimeError("no memory")

    runtime = open_runtime(load(tmp_path, gate=ALL, sieve=BARELY_NOT), name)
    with pytest.raises(RuntimeError, match="no memory"):
        list(replace(runtime, fine=replace(runtime.fine, sessions=(Broken(),))).run(make_batches(3)))


@pytest.mark.parametrize("name", RUNTIMES)
def test_what_is_no_number_is_not_settled(tmp_path: Path, name: str) -> None:
    small = load(tmp_path, gate=NOTHING, sieve=BARELY_NOT)
    weights = Tensors(small.folder)
    tensors = {one: weights.raw(one).copy() for one in (*weights, *(f"{one}.scale" for one in weights if weights.codes(one)))}
    tensors["bert.embeddings.LayerNorm.bias"][:] = np.nan
    write_tensors(small.folder / WEIGHTS, tensors, metadata={"format": "pt"})
    with pytest.raises(CheckpointError, match="no numbers"):
        open_tagger(small, name).tag(TEXTS)


@pytest.mark.parametrize("name", RUNTIMES)
def test_a_glance_that_sees_nothing_settles_the_window(tmp_path: Path, name: str) -> None:
    small = load(tmp_path, gate=NOTHING, sieve=NOTHING)
    assert (np.concatenate(judge(small, name))[:, small.tags.index("O")] == CLOSED).all()


@pytest.mark.parametrize("name", RUNTIMES)
@pytest.mark.parametrize("gate", [None, NOTHING])
def test_a_model_without_a_sieve_is_read_finely_throughout(tmp_path: Path, name: str, gate: float | None) -> None:
    runtime = load_runtime(load(tmp_path, gate=gate), name, threads=2)
    assert isinstance(runtime, OnnxRuntime)
    assert runtime.grade == FINE
    assert not runtime.meters


def test_with_one_thread_the_thread_that_asks_reads(tmp_path: Path) -> None:
    runtime = open_runtime(load(tmp_path, gate=ALL, sieve=BARELY_NOT), threads=1)
    before = threading.active_count()
    for _ in runtime.run(make_batches(3)):
        assert threading.active_count() == before


@pytest.mark.parametrize("name", RUNTIMES)
def test_work_is_that_of_both_readings(tmp_path: Path, name: str) -> None:
    small = load(tmp_path)

    def count() -> float:
        tagger = open_tagger(small, name)
        notes = tagger.tokenize(TEXTS)
        tagger.logits(notes)
        return count_flops(tagger, [len(note) for note in notes])

    whole = count()
    write_gates(small.folder, [make_gate(small, bias=NOTHING), make_even_sieve(small, ALL)])
    assert count() == whole
    write_gates(small.folder, [make_gate(small, bias=NOTHING), make_even_sieve(small, BARELY_NOT)])
    assert count() == whole / 2  # the first of two layers, and nothing again
    (small.folder / GATES).unlink()
    assert count() == whole


@pytest.mark.parametrize("name", RUNTIMES)
def test_the_shipped_model_has_the_spans_of_full_precision(name: str) -> None:
    texts = [parse_markup(file.read_text(encoding="utf-8")).text for file in sorted(TUNING.glob("*.note"))[:12]]
    exact, found = (EncoderTagger(DEFAULT, device="cpu", runtime=runtime).tag(texts) for runtime in ("onnx-fp32", name))
    assert any(exact)
    assert found == exact
