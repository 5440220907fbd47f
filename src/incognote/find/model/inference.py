"""Logits for every token of whole notes: cuts windows, batches them by length, runs them, and puts the logits together."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incognote.errors import CheckpointError
from incognote.find.model.runtimes import Batch, Runtime
from incognote.find.model.tokens import SubwordTokenizer, Tokens
from incognote.find.model.windows import Window, batch_windows, cut_windows, fill_batch, find_copies, gather_scores

Logits = NDArray[np.float32]


def infer_notes(runtime: Runtime, notes: Sequence[Tokens], tokenizer: SubwordTokenizer, **sizes: Any) -> list[Logits]:
    """The logits ``(tokens, columns)`` of each note, in order; ``sizes`` are those of :func:`infer_each`."""
    found = dict(infer_each(runtime, notes, tokenizer, **sizes))
    return [found[number] for number in range(len(notes))]


def infer_each(
    runtime: Runtime,
    notes: Sequence[Tokens],
    tokenizer: SubwordTokenizer,
    *,
    columns: int,
    room: int,
    overlap: int,
    full: bool = True,
    budget: int | None = None,
) -> Iterator[tuple[int, Logits]]:
    """The number and the logits ``(tokens, columns)`` of each note as soon as all its windows have run, long notes first.

    ``room`` and ``overlap`` count tokens without the special ones.

    Windows of long notes are ``full``, as in training, unless the model is known to tag as well in shorter ones: on MEDDOCAN,
    a model trained on full windows lost a point of F1 to short ones. Windows with the same tokens run once.
    """
    lengths = [len(note) for note in notes]
    windows = cut_windows(lengths, room=room, overlap=overlap, full=full)
    kept, places = find_copies(windows, notes)
    copies: list[list[Window]] = [[] for _ in kept]
    for window, place in zip(windows, places, strict=True):
        copies[place].append(window)
    batches = batch_windows([windows[number] for number in kept], budget=budget or runtime.budget, specials=tokenizer.specials)

    def filled() -> Iterator[Batch]:
        for batch in batches:
            yield fill_batch([copies[number][0] for number in batch], notes, tokenizer)

    def scored() -> Iterator[tuple[Window, Logits]]:
        opened = len(tokenizer.before)
        for batch, logits in zip(batches, runtime.run(filled()), strict=True):
            for row, number in enumerate(batch):
                for window in copies[number]:
                    yield window, logits[row, opened : opened + len(window)]

    yield from gather_scores(scored(), lengths, columns=columns)


def check_numbers(given: NDArray[Any], folder: Path, *, fix: str = "copy or fetch the weights again") -> None:
    """Raise when logits are NaN or infinite."""
    if not np.isfinite(given.sum()):
        raise CheckpointError("what the model gives are no numbers (NaN or infinite)", where=str(folder), fix=fix)


def softmax(logits: Logits, *, temperature: float = 1.0) -> Logits:
    """Probabilities along the last axis; a temperature over 1 makes them less extreme.

    >>> softmax(np.zeros((1, 4), dtype=np.float32)).tolist()
    [[0.25, 0.25, 0.25, 0.25]]
    """
    if not logits.size:
        return logits
    scaled: Logits = (logits - logits.max(axis=-1, keepdims=True)) / np.float32(temperature)
    np.exp(scaled, out=scaled)
    scaled /= scaled.sum(axis=-1, keepdims=True)
    return scaled
