"""The cascade keeps int8 scores of the windows that int8 is sure of; all others have the scores of W8A16."""

import json
import threading
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from incognote.document import parse_markup
from incognote.errors import CheckpointError
from incognote.find.model.checkpoint import WEIGHTS, Checkpoint, load_checkpoint
from incognote.find.model.config import SETTINGS, read_config
from incognote.find.model.runtimes import Batch, Runtime
from incognote.find.model.runtimes.cascade import CascadeRuntime
from incognote.find.model.runtimes.loading import load_runtime
from incognote.find.model.runtimes.onnx import W8A16, OnnxRuntime
from incognote.find.model.runtimes.pruning_file import write_pruning
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.tensors import Tensors, write_tensors
from incognote.lab.encoders.work import count_flops
from incognote.lab.shrink.quantize import quantize_dynamic
from incognote.models import DEFAULT
from tests.fakes import random_texts, tiny_checkpoint
from tests.lab.shrink.test_prefilter import make_prefilter
from tests.lab.shrink.test_pruning import make_head

TUNING = Path(__file__).parents[3] / "golden" / "tuning"
TEXTS = random_texts(4, [5, 40, 30, 2, 20, 12, 1, 3, 16])
LENGTHS = (5, 40, 30, 2, 20, 12, 3, 16)
MARGIN = 0.75


def load(folder: Path, *, surer: float = 1.0, margin: float | None = MARGIN) -> Checkpoint:
    """A tiny int8 model; ``surer`` makes the differences between its scores larger."""
    whole = tiny_checkpoint(folder / "whole")
    weights = Tensors(whole)
    tensors = {name: weights[name] * (surer if name.startswith("classifier") else 1) for name in weights}
    write_tensors(whole / WEIGHTS, {name: tensor.astype(np.float32) for name, tensor in tensors.items()}, metadata={"format": "pt"})
    small = quantize_dynamic(whole, folder / "small")
    config = read_config(small)
    config[SETTINGS] = config.get(SETTINGS, {}) | ({} if margin is None else {"confidence_margin": margin})
    (small / "config.json").write_text(json.dumps(config))
    return load_checkpoint(small)


def open_runtime(checkpoint: Checkpoint = "onnx-exact", *, threads: int = 2) -> CascadeRuntime:
    """One for which any tag may follow any other: those of random weights do."""
    runtime = load_runtime(checkpoint, "onnx-exact", threads=threads)
    assert isinstance(runtime, CascadeRuntime)
    return replace(runtime, follows=np.ones_like(runtime.follows))


def open_tagger(checkpoint: Checkpoint) -> EncoderTagger:
    return EncoderTagger(str(checkpoint.folder), device="cpu", runtime="onnx-exact")


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


def has_close(words: np.ndarray) -> bool:
    return bool((np.diff(np.sort(words, axis=1)[:, -2:], axis=1) <= MARGIN).any())


@pytest.mark.parametrize("threads", [1, 3])
def test_windows_with_a_token_within_the_margin_run_again_and_all_come_out_in_order(tmp_path: Path, threads: int) -> None:
    runtime = open_runtime(load(tmp_path, surer=3), threads=threads)
    batches = make_batches(40)
    quick, exact, found = (cut_words(one.run(batches), batches) for one in (runtime.quick, runtime.exact, runtime))
    close = [has_close(words) for words in quick]
    assert 0.1 < np.mean(close) < 0.9
    for again, first, second, words in zip(close, quick, exact, found, strict=True):
        assert (words == (second if again else first)).all()
        assert (first != second).any()


def test_what_int8_is_sure_of_does_not_run_again(tmp_path: Path) -> None:
    runtime = open_runtime(load(tmp_path, surer=1e5))
    batches = make_batches(20)
    exact, found = (cut_words(one.run(batches), batches) for one in (runtime.exact, runtime))
    assert not any((one == other).all() for one, other in zip(exact, found, strict=True))
    tags, exact_tags = (np.concatenate(one).argmax(axis=1) for one in (found, exact))
    assert (tags == exact_tags).mean() > 0.95


def test_windows_whose_likeliest_tags_may_not_follow_one_another_run_again(tmp_path: Path) -> None:
    small = load(tmp_path, surer=1e5)
    runtime, batches = load_runtime(small, "onnx-exact", threads=2), make_batches(40)
    assert isinstance(runtime, CascadeRuntime)
    exact, quick, found = (cut_words(one.run(batches), batches) for one in (runtime.exact, runtime.quick, runtime))
    seen = set()
    for first, second, words in zip(quick, exact, found, strict=True):
        tags = [small.tags[column] for column in first.argmax(axis=1)]
        allowed = all(not two.startswith("I-") or one[1:] == two[1:] for one, two in pairwise(tags))
        assert (words == (first if allowed else second)).all()
        seen.add(allowed)
    assert seen == {True, False}


def test_a_fault_of_the_second_run_is_raised(tmp_path: Path) -> None:
    class Broken:
        def run(self, *_: object) -> None:
            raise RuntimeError("no memory")

    runtime = open_runtime(load(tmp_path))
    with pytest.raises(RuntimeError, match="no memory"):
        list(replace(runtime, exact=replace(runtime.exact, sessions=(Broken(),))).run(make_batches(3)))


def test_what_is_no_number_is_not_settled(tmp_path: Path) -> None:
    small = load(tmp_path)
    weights = Tensors(small.folder)
    tensors = {one: weights.raw(one).copy() for one in (*weights, *(f"{one}.scale" for one in weights if weights.quantized(one)))}
    tensors["bert.embeddings.LayerNorm.bias"][:] = np.nan
    write_tensors(small.folder / WEIGHTS, tensors, metadata={"format": "pt"})
    with pytest.raises(CheckpointError, match="no numbers"):
        open_tagger(small).tag(TEXTS)


def test_with_one_thread_the_thread_that_asks_reads(tmp_path: Path) -> None:
    runtime = open_runtime(load(tmp_path), threads=1)
    before = threading.active_count()
    for _ in runtime.run(make_batches(3)):
        assert threading.active_count() == before


def test_few_batches_are_in_memory_at_a_time(tmp_path: Path) -> None:
    runtime = open_runtime(load(tmp_path))
    batches = iter(make_batches(60))
    next(runtime.run(batches))
    assert len(list(batches)) > 30


def test_a_model_without_a_measured_margin_runs_at_higher_precision_throughout(tmp_path: Path) -> None:
    runtime = load_runtime(load(tmp_path, margin=None), "onnx-exact", threads=2)
    assert isinstance(runtime, OnnxRuntime)
    assert runtime.precision == W8A16
    assert not runtime.meters


def test_windows_full_of_what_may_be_phi_run_at_higher_precision_at_once(tmp_path: Path) -> None:
    small = load(tmp_path, surer=1e5)
    write_pruning(small.folder, [make_prefilter(small, bias=1e6)])
    runtime, batches = open_runtime(load_checkpoint(small.folder)), make_batches(20)
    found, exact = (cut_words(one.run(batches), batches) for one in (runtime, runtime.exact))
    assert all((one == two).all() for one, two in zip(found, exact, strict=True))
    assert sum(tokens for _, tokens, _ in runtime.meter.take()) == sum(int(mask.sum()) for _, mask in batches)


def test_the_cascade_prunes_no_tokens(tmp_path: Path) -> None:
    small = load(tmp_path, surer=1e5)
    before = cut_words(open_runtime(small).run(make_batches(5)), make_batches(5))
    write_pruning(small.folder, [make_head(small, bias=-1e6), make_prefilter(small, bias=-1e6)])
    after = cut_words(open_runtime(load_checkpoint(small.folder)).run(make_batches(5)), make_batches(5))
    assert all((one == two).all() for one, two in zip(before, after, strict=True))


@pytest.mark.parametrize(("margin", "times"), [(1e9, 2), (0, 1)])
def test_work_is_that_of_both_runs(tmp_path: Path, margin: float, times: int) -> None:
    small = load(tmp_path, margin=margin)
    notes = open_tagger(small).tokenize(TEXTS)

    def count(runtime: Runtime | str) -> float:
        tagger = EncoderTagger(str(small.folder), device="cpu", runtime=runtime)
        tagger.logits(notes)
        return count_flops(tagger, [len(note) for note in notes])

    assert count(open_runtime(small)) == times * count("onnx-fp32")


@pytest.mark.parametrize("margin", [-1, "near", True])
def test_a_margin_that_is_no_distance_is_refused(tmp_path: Path, margin: object) -> None:
    with pytest.raises(CheckpointError, match="confidence_margin must be a number of 0 or above"):
        load(tmp_path, margin=margin)  # type: ignore[arg-type]


def test_the_shipped_model_has_the_spans_of_full_precision() -> None:
    texts = [parse_markup(file.read_text(encoding="utf-8")).text for file in sorted(TUNING.glob("*.note"))[:12]]
    exact, found = (EncoderTagger(DEFAULT, device="cpu", runtime=runtime).tag(texts) for runtime in ("onnx-fp32", "onnx-exact"))
    assert any(exact)
    assert found == exact
