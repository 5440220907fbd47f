"""Desks are processes that tokenize notes and decode their scores beside a GPU, so that Python never keeps the card waiting.

A thread takes a few notes to a desk, carries the tokens through the runtime, and the scores back to the same desk, which has kept the
offsets. Some threads wait for their desk while others keep the GPU busy; as many notes are in memory as there are desks.
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from incognote.document import Span
from incognote.encoders.tokens import Ints, Tokens

if TYPE_CHECKING:
    from incognote.encoders.tagger import EncoderTagger

Spans = tuple[Span, ...]

_TOKENS_AT_ONCE = 49152
_CHARACTERS_PER_TOKEN = 4  # a guess for cutting notes into shares; nothing hangs on it


class Desk:
    """A process with a tagger's tokenizer and decoder; one thread uses it at a time."""

    def __init__(self, tagger: "EncoderTagger") -> None:
        context = get_context("spawn")
        self._line, far = context.Pipe()
        self._process = context.Process(target=_serve, args=(far, tagger), daemon=True)
        self._process.start()
        far.close()

    def read(self, texts: Sequence[str]) -> list[Ints]:
        """The token ids of each text; the desk keeps texts and offsets until it has decoded them."""
        self._line.send(list(texts))
        return self._answer()

    def decode(self, logits: Sequence[NDArray[np.float32]]) -> list[Spans]:
        """The spans of the texts read last."""
        self._line.send([scores.astype(np.float16) for scores in logits])
        return self._answer()

    def close(self) -> None:
        """End the process."""
        self._line.close()
        self._process.join(timeout=5)

    def _answer(self) -> list[Any]:
        try:
            answer: list[Any] | BaseException = self._line.recv()
        except EOFError:
            raise RuntimeError("a desk process died") from None
        if isinstance(answer, BaseException):
            raise answer
        return answer


def _serve(line: Connection, tagger: "EncoderTagger") -> None:
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # there is a desk for each core already
    while True:
        try:
            texts = line.recv()
        except EOFError:
            return
        try:
            notes = tagger.tokenizer.tokenize(texts)
            line.send([note.ids for note in notes])
            scores = line.recv()
            line.send([tagger.decode(*note) for note in zip(texts, notes, scores, strict=True)])
        except EOFError:
            return
        except Exception as error:  # noqa: BLE001 - it goes back to the thread that asked
            line.send(error)


def tag_at_desks(tagger: "EncoderTagger", texts: Sequence[str], desks: Sequence[Desk]) -> list[Spans]:
    """The spans of each text, in order."""
    free: SimpleQueue[Desk] = SimpleQueue()
    for desk in desks:
        free.put(desk)

    def work(share: Sequence[str]) -> list[Spans]:
        desk = free.get()
        try:
            empty = np.zeros(0, dtype=np.int32)
            notes = [Tokens(ids, empty, empty) for ids in desk.read(share)]
            return desk.decode(tagger.logits(notes))
        finally:
            free.put(desk)

    with ThreadPoolExecutor(len(desks)) as threads:
        return [spans for found in threads.map(work, share_texts(texts)) for spans in found]


def share_texts(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Runs of texts, in order, of about as many tokens as a GPU takes at once.

    >>> [len(share) for share in share_texts(["a" * 120_000, "b" * 60_000, "c" * 60_000])]
    [2, 1]
    """
    begin = size = 0
    for at, text in enumerate(texts):
        if size and size + len(text) > _TOKENS_AT_ONCE * _CHARACTERS_PER_TOKEN:
            yield texts[begin:at]
            begin, size = at, 0
        size += len(text)
    if begin < len(texts):
        yield texts[begin:]
