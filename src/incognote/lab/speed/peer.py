"""The Hugging Face pipeline as anyone would write it, to be measured beside us: same weights, full precision, its best batch size.

It, or another peer, has a process of its own: in ours its memory and threads and those of our runtimes get in each other's way.
"""

import multiprocessing
import signal
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from multiprocessing.connection import Connection
from typing import Any

from incognote.errors import IncognoteError, MissingExtraError
from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.machine import own_cores, share_cores
from incognote.find.model.quiet import quiet
from incognote.find.model.weights import load_model

_BATCHES = (1, 8, 32)
_STRIDE = 128

Run = Callable[[Sequence[str], int], Any]
"""A function of texts and a batch size."""


class Peer:
    """A peer, loaded and with its batch size chosen on some ``sample`` texts; call it with texts for what it finds, and the seconds.

    ``load`` makes it of a model folder, the Hugging Face pipeline unless another is given. ``shares`` is how many processes share the
    cores; with ``busy`` the seconds are those of its processor, which waiting does not lengthen.
    """

    def __init__(
        self,
        model: str,
        sample: Sequence[str],
        *,
        load: "Callable[[str], Run] | None" = None,
        batches: Sequence[int] = _BATCHES,
        shares: int = 1,
        busy: bool = False,
    ) -> None:
        if not (find_spec("torch") and find_spec("transformers")):
            raise MissingExtraError("torch and transformers", "train")
        context = multiprocessing.get_context("spawn")
        self._line, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(theirs, load or load_pipeline, model, list(sample), batches, shares, busy), daemon=True
        )
        self._process.start()
        theirs.close()
        self.batch, self.tried = self._hear()

    def __call__(self, texts: Sequence[str]) -> tuple[Any, float]:
        self._line.send(list(texts))
        found, seconds = self._hear()
        return found, seconds

    def _hear(self) -> tuple[Any, Any]:
        try:
            heard: tuple[Any, Any] = self._line.recv()
        except EOFError:
            raise IncognoteError("the process of a peer ended; what it printed says why") from None
        return heard


def _serve(
    line: Connection, load: Callable[[str], Run], model: str, sample: list[str], batches: Sequence[int], shares: int, busy: bool
) -> None:
    """What the process does: choose a batch size, then answer texts with what is found and how long it took."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to every process; this one ends with the main one
    share_cores(shares)
    tick = time.process_time if busy else time.perf_counter
    run = load(model)
    batch, tried = pick_batch(run, sample, batches=batches, tick=tick)
    line.send((batch, tried))
    while True:
        try:
            texts = line.recv()
        except EOFError:
            return
        started = tick()
        found = run(texts, batch)
        line.send((found, tick() - started))


def load_pipeline(model: str) -> Run:
    """A function of texts and a batch size; the pipeline reads long notes in windows that share 128 tokens."""
    import torch
    from transformers import AutoTokenizer, pipeline

    torch.set_num_threads(own_cores())
    checkpoint = load_checkpoint(model)
    with quiet():
        tokenizer = AutoTokenizer.from_pretrained(checkpoint.folder, local_files_only=True)
        tokenizer.model_max_length = min(tokenizer.model_max_length, checkpoint.limit)
        stride = min(_STRIDE, tokenizer.model_max_length // 4)
        options = {"device": "cpu", "stride": stride, "aggregation_strategy": "simple"}
        find = pipeline("token-classification", model=load_model(checkpoint), tokenizer=tokenizer, **options)

    def run(texts: Sequence[str], batch: int) -> object:
        with quiet():
            return find(list(texts), batch_size=batch)

    return run


def pick_batch(
    run: Run, texts: Sequence[str], *, batches: Sequence[int] = _BATCHES, tick: Callable[[], float] = time.perf_counter
) -> tuple[int, dict[int, float]]:
    """The batch size with which it is fastest on these texts by the clock ``tick``, and the seconds of each; the first run is left out."""
    run(texts[:2], 1)
    seconds = dict.fromkeys(batches, float("inf"))
    for _ in range(2):
        for batch in batches:
            started = tick()
            run(texts, batch)
            seconds[batch] = min(seconds[batch], tick() - started)
    return min(seconds, key=seconds.__getitem__), seconds
