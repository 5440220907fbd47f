"""The runtime for a GPU, tried on a processor: what differs there is only the kernel of its attention."""

from functools import partial

import numpy as np
import pytest
import torch

from incognote.errors import CheckpointError, WorkerError
from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.runtimes.packed import PackedRuntime, _pick_feed, compile_join, load_packed_runtime, make_join
from incognote.find.model.runtimes.stack import read_stack
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.tensors import Tensors
from tests.fakes import random_texts


def _packed(folder) -> PackedRuntime:
    checkpoint = load_checkpoint(folder)
    return load_packed_runtime(checkpoint, read_stack(checkpoint.config, Tensors(checkpoint.folder)), torch.device("cpu"))


@pytest.mark.parametrize("family", ["bert", "roberta", "albert", "distilbert"])
def test_packed_windows_score_as_padded_ones(tiny, family):
    texts = [*random_texts(1, [5, 120, 0, 30]), "a <pad> b"]
    exact = EncoderTagger(str(tiny(family)), device="cpu")
    notes = exact.tokenizer.tokenize(texts)
    packed = EncoderTagger(str(tiny(family)), runtime=_packed(tiny(family)), budget=300)
    for one, two in zip(exact.logits(notes), packed.logits(notes), strict=True):
        assert two == pytest.approx(one, abs=0.005)  # logits travel in half precision


def test_many_notes_go_through_workers_and_come_back_in_order(tiny):
    texts = ["", *random_texts(2, [3 + number % 17 for number in range(230)]), ""]
    tagger = EncoderTagger(str(tiny("bert")), runtime=_packed(tiny("bert")))
    found = tagger.tag(texts)
    assert "workers" in vars(tagger)
    tagger.workers[0].read(["half done"])  # a worker that is left waiting ends with the others
    for worker in tagger.workers:
        worker.close()
    plain = [tagger.decode(*note) for note in tagger._infer(texts)]
    assert sum(one == two for one, two in zip(found, plain, strict=True)) >= 225  # half precision turns a tie now and then


def test_a_batch_that_does_not_fit_is_halved(tiny, monkeypatch):
    runtime = _packed(tiny("bert"))
    ids = np.arange(5, 45).reshape(4, 10)
    mask = np.ones_like(ids)
    whole = next(iter(runtime.run([(ids, mask)])))
    forward = type(runtime.model).forward

    def cramped(self, ids, places, edges, longest):
        if len(ids) > 10:
            raise torch.OutOfMemoryError
        return forward(self, ids, places, edges, longest)

    monkeypatch.setattr(type(runtime.model), "forward", cramped)
    assert next(iter(runtime.run([(ids, mask)]))) == pytest.approx(whole, abs=1e-3)

    def full(self, ids, places, edges, longest):
        raise torch.OutOfMemoryError

    monkeypatch.setattr(type(runtime.model), "forward", full)
    with pytest.raises(CheckpointError, match="memory of cpu is full"):
        next(iter(runtime.run([(ids, mask)])))


def test_the_product_that_a_gpu_does_at_once_with_its_activation_is_the_same_function():
    torch.manual_seed(0)
    x, up = torch.randn(7, 8), (torch.randn(16, 8), torch.randn(16))
    for activation in ("gelu", "gelu_tanh", "relu"):
        assert _pick_feed(activation, True)(x, up) == pytest.approx(_pick_feed(activation, False)(x, up), abs=5e-4)


def test_a_kernel_for_sums_and_norms_is_compiled_once_for_all_numbers_of_tokens(monkeypatch):
    made = []
    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend=lambda graph, _: made.append(graph) or graph.forward))
    plain = make_join(1e-5)
    quick = compile_join(plain)
    norm = torch.randn(16), torch.randn(16)
    with torch.inference_mode():
        for tokens in (40, 7, 300):
            given, x = torch.randn(tokens, 16), torch.randn(tokens, 16)
            assert quick(given, x, norm).numpy() == pytest.approx(plain(given, x, norm).numpy(), abs=1e-6)
    assert len(made) == 1


def test_a_full_gpu_is_said_and_no_worker_waits_for_ever(tiny, monkeypatch):
    texts = random_texts(4, [200] * 230)
    tagger = EncoderTagger(str(tiny("bert")), runtime=_packed(tiny("bert")))
    forward, calls = type(tagger.runtime.model).forward, []

    def full(self, ids, places, edges, longest):
        calls.append(len(ids))
        raise torch.OutOfMemoryError

    monkeypatch.setattr(type(tagger.runtime.model), "forward", full)
    with pytest.raises(CheckpointError, match="memory of cpu is full"):
        tagger.tag(texts)
    monkeypatch.setattr(type(tagger.runtime.model), "forward", forward)
    assert calls
    assert len(tagger.tag(texts)) == 230
    tagger.workers[0]._process.kill()
    with pytest.raises(WorkerError, match="ended from outside"):
        tagger.tag(texts)
    for worker in tagger.workers:
        worker.close()
