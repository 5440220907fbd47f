"""The EncoderTagger finds PHI with a fine-tuned encoder, in batches, in notes of any length."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incognote.document import Span, relabel
from incognote.encoders.checkpoint import Checkpoint, load_checkpoint
from incognote.encoders.decoding import Probabilities, Scores, decode, visible_scores
from incognote.encoders.runtimes import Batch, Runtime
from incognote.encoders.runtimes.torch import load_torch_runtime
from incognote.encoders.tokens import SubwordTokenizer, Tokens, load_tokenizer
from incognote.encoders.windows import Window, batch_windows, cut_windows, fill_batch, gather_scores

_WINDOW = 512
_CHARACTERS_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class EncoderTagger:
    """A Tagger over a Checkpoint, by folder or hub name; the weights are loaded when first needed and are not pickled.

    ``window`` and ``overlap`` count tokens (default: what the model takes, at most 512, and a quarter of it); ``budget`` is the
    tokens in a batch; ``mapping`` renames labels; ``runtime`` carries the batches (the PyTorch one when None).
    """

    source: str
    device: str = "auto"
    window: int | None = None
    overlap: int | None = None
    budget: int | None = None
    mapping: Mapping[str, str] | None = None
    whole_words: bool = True
    unsafe: bool = False
    runtime: Runtime | None = None

    def __post_init__(self) -> None:
        if Path(self.source).is_dir():  # a worker process may stand in another folder
            object.__setattr__(self, "source", str(Path(self.source).resolve()))

    def __getstate__(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}

    @cached_property
    def checkpoint(self) -> Checkpoint:
        return load_checkpoint(self.source, unsafe=self.unsafe)

    @cached_property
    def tokenizer(self) -> SubwordTokenizer:
        return load_tokenizer(self.checkpoint.folder)

    @cached_property
    def _runtime(self) -> Runtime:
        return self.runtime or load_torch_runtime(self.checkpoint, device=self.device)

    def open(self) -> "EncoderTagger":
        """Check the folder and read its tokenizer now, so that faults show before the first note."""
        self.tokenizer.specials  # noqa: B018 - reading it is the check
        return self

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of the scores' columns."""
        return self.checkpoint.tags

    def tag(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        """The spans of each text, sorted and not overlapping, in the order of the texts."""
        source = f"model.{self.checkpoint.name}"
        found = (
            decode(text, scores, self.tags, source=source, whole_words=self.whole_words)
            for text, scores in zip(texts, self.each_scores(texts), strict=True)
        )
        return [relabel(spans, self.mapping) if self.mapping else spans for spans in found]

    def scores(self, texts: Sequence[str]) -> list[Scores]:
        """The tag probabilities of each text's visible pieces."""
        return list(self.each_scores(texts))

    def each_scores(self, texts: Sequence[str]) -> Iterator[Scores]:
        """As :meth:`scores`, a few notes in memory at a time."""
        at = 0
        while at < len(texts):
            begin, size = at, 0
            while at < len(texts) and (at == begin or size + len(texts[at]) <= _CHARACTERS_AT_ONCE):
                size += len(texts[at])
                at += 1
            part = texts[begin:at]
            notes = self.tokenizer.tokenize(part)
            for text, tokens, probabilities in zip(part, notes, self._judge(notes), strict=True):
                yield visible_scores(text, tokens, probabilities)

    def _judge(self, notes: Sequence[Tokens]) -> list[Probabilities]:
        room = min(self.window or _WINDOW, self.checkpoint.limit) - self.tokenizer.specials
        overlap = room // 4 if self.overlap is None else self.overlap
        lengths = [len(note) for note in notes]
        windows = cut_windows(lengths, room=room, overlap=overlap)
        if not windows:
            return [np.zeros((0, len(self.tags)), dtype=np.float32) for _ in notes]
        logits = gather_scores(self._logits(windows, notes), lengths, columns=len(self.tags))
        temperature = float(self.checkpoint.settings.get("temperature", 1.0))
        return [softmax(found, temperature=temperature) for found in logits]

    def _logits(self, windows: Sequence[Window], notes: Sequence[Tokens]) -> Iterator[tuple[Window, NDArray[np.float32]]]:
        batches = batch_windows(windows, budget=self.budget or self._runtime.budget, specials=self.tokenizer.specials)
        opened = len(self.tokenizer.before)

        def filled() -> Iterator[Batch]:
            for batch in batches:
                yield fill_batch([windows[number] for number in batch], notes, self.tokenizer)

        for batch, logits in zip(batches, self._runtime.run(filled()), strict=True):
            for row, number in enumerate(batch):
                window = windows[number]
                yield window, logits[row, opened : opened + len(window)]


def softmax(logits: NDArray[np.float32], *, temperature: float = 1.0) -> Probabilities:
    """Probabilities along the last axis; a temperature over 1 makes a model less sure of itself.

    >>> softmax(np.zeros((1, 4), dtype=np.float32)).tolist()
    [[0.25, 0.25, 0.25, 0.25]]
    """
    if not logits.size:
        return logits
    scaled: Probabilities = (logits - logits.max(axis=-1, keepdims=True)) / np.float32(temperature)
    np.exp(scaled, out=scaled)
    scaled /= scaled.sum(axis=-1, keepdims=True)
    return scaled
