"""Tokenizer workers: processes that tokenize notes and decode their logits, so that the GPU does not wait for Python.

A thread sends a few notes to a worker, runs the model on the tokens, and sends the logits back to the same worker, which has kept the
offsets. Some threads wait for their worker while others keep the GPU busy; as many shares of notes are in memory as there are workers.
"""

import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from incognote.document import Span
from incognote.errors import WorkerError
from incognote.find.model.runtimes.packed import PackedRuntime
from incognote.find.model.tokens import Ints, SubwordTokenizer, Tokens
from incognote.find.model.windows import Cutting, Window, cut_windows, fill_batch

Spans = tuple[Span, ...]

_FEWEST, _MOST = 16_000, 100_000  # characters in a share: as few as keep a GPU busy, as many as make it fast


class NoteTagger(Protocol):
    """The part of a tagger that a worker needs: it is pickled to the worker's process, without its runtime."""

    @property
    def tags(self) -> tuple[str, ...]: ...

    @property
    def tokenizer(self) -> SubwordTokenizer: ...

    @property
    def cutting(self) -> Cutting: ...

    def tokenize(self, texts: Sequence[str]) -> list[Tokens]: ...

    def decode(self, text: str, tokens: Tokens, logits: NDArray[np.floating[Any]]) -> Spans: ...


class TokenizerWorker:
    """A process with a tagger's tokenizer and decoder; one thread uses it at a time."""

    def __init__(self, tagger: NoteTagger) -> None:
        context = get_context("spawn")
        self._line, far = context.Pipe()
        self._process = context.Process(target=_serve, args=(far, tagger), daemon=True)
        self._process.start()
        far.close()

    def read(self, texts: Sequence[str]) -> list[Ints]:
        """The token ids of each text; the worker keeps texts and offsets until it has decoded them."""
        return self._ask(list(texts))

    def decode(self, logits: NDArray[np.float16]) -> list[Spans]:
        """The spans of the texts read last; the logits of all their tokens, one text after the other."""
        return [tuple(Span(*parts) for parts in spans) for spans in self._ask(logits.shape, logits.tobytes())]

    def close(self) -> None:
        """End the process."""
        self._line.close()
        self._process.join(timeout=5)

    def _ask(self, asked: list[str] | tuple[int, ...], *scored: bytes) -> list[Any]:
        try:
            self._line.send(asked)
            for part in scored:
                self._line.send_bytes(part)
            answer: list[Any] | BaseException = self._line.recv()
        except (EOFError, OSError):
            raise WorkerError("a process that reads notes for the GPU was ended from outside, most often because memory ran out") from None
        if isinstance(answer, BaseException):
            raise answer
        return answer


def _serve(line: Connection, tagger: NoteTagger) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to every process; this one ends with the main one
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # there is a worker for each core already
    texts: list[str] = []
    notes: list[Tokens] = []
    while True:
        try:
            asked = line.recv()
            scored = None if isinstance(asked, list) else line.recv_bytes()
        except EOFError:
            return
        try:
            if scored is None:  # texts; those before them are forgotten, should the GPU have failed
                texts, notes = asked, tagger.tokenize(asked)
                line.send([note.ids for note in notes])
                continue
            logits = np.frombuffer(scored, dtype=np.float16).reshape(asked)
            scores = np.split(logits, np.cumsum([len(note) for note in notes])[:-1])
            found = [tagger.decode(*note) for note in zip(texts, notes, scores, strict=True)]
            line.send([[(one.start, one.end, one.label, one.score, one.source) for one in spans] for spans in found])
        except Exception as error:  # noqa: BLE001 - it goes back to the thread that asked
            line.send(error)


def tag_with_workers(tagger: NoteTagger, runtime: PackedRuntime, texts: Sequence[str], workers: Sequence[TokenizerWorker]) -> list[Spans]:
    """The spans of each text, in order."""
    free: SimpleQueue[TokenizerWorker] = SimpleQueue()
    for worker in workers:
        free.put(worker)

    def work(share: Sequence[str]) -> list[Spans]:
        worker = free.get()
        try:
            return worker.decode(_infer(tagger, runtime, worker.read(share)))
        finally:
            free.put(worker)

    with ThreadPoolExecutor(len(workers)) as threads:
        return [spans for found in threads.map(work, share_texts(texts)) for spans in found]


def _infer(tagger: NoteTagger, runtime: PackedRuntime, ids: Sequence[Ints]) -> NDArray[np.float16]:
    """The logits of every token of the notes, one note after the other."""
    notes = [Tokens(one, one, one) for one in ids]  # offsets stay with the worker
    windows = cut_windows([len(note) for note in notes], **tagger.cutting._asdict())
    found = [np.zeros((0, len(tagger.tags)), dtype=np.float16)]
    while windows:
        fitting = max(1, int(np.searchsorted(np.cumsum([len(window) for window in windows]), runtime.budget, side="right")))
        part, windows = windows[:fitting], windows[fitting:]
        found.append(runtime.infer(*fill_batch(part, notes, tagger.tokenizer), scored_rows(part, tagger.tokenizer)))
    return found[1] if len(found) == 2 else np.concatenate(found)


def scored_rows(windows: Sequence[Window], tokenizer: SubwordTokenizer) -> NDArray[np.int64]:
    """Where the tokens whose logits are taken from each window stand among the packed tokens of all, in the order of the notes."""
    begins = np.cumsum([0, *(len(window) + tokenizer.specials for window in windows[:-1])]) + len(tokenizer.before)
    parts = [begin + np.arange(one.first - one.start, one.last - one.start) for begin, one in zip(begins, windows, strict=True)]
    return np.concatenate(parts)


def share_texts(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Runs of texts, in order: few small ones first, so that the GPU starts soon, and last, so that no worker is waited for.

    A worker tokenizes about as fast as a GPU computes, so each share may be half as large again as the one before it.

    >>> [len(share) for share in share_texts(["a" * 4_000] * 100)]
    [4, 6, 9, 14, 21, 16, 10, 7, 5, 4, 4]
    """
    left = sum(map(len, texts))
    begin = size = 0
    wanted = float(_FEWEST)
    for at, text in enumerate(texts):
        size += len(text)
        left -= len(text)
        if size >= max(_FEWEST, min(_MOST, wanted, (left + size) // 3)):
            yield texts[begin : at + 1]
            begin, size, wanted = at + 1, 0, min(_MOST, wanted * 1.5)
    if begin < len(texts):
        yield texts[begin:]
