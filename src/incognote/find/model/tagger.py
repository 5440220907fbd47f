"""The EncoderTagger finds PHI with a fine-tuned encoder, in batches, in notes of any length."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incognote.document import Span, lowercase_all_caps, relabel
from incognote.errors import CheckpointError
from incognote.find.model.checkpoint import Checkpoint, load_checkpoint
from incognote.find.model.choice import choose_runtime
from incognote.find.model.choice_cache import Choice
from incognote.find.model.config import LOWERCASE, RECALL_BIAS
from incognote.find.model.decoding import Scores, decode, visible_scores
from incognote.find.model.inference import Logits, check_numbers, infer_each, infer_notes, softmax
from incognote.find.model.machine import own_cores
from incognote.find.model.runtimes import Runtime
from incognote.find.model.runtimes.loading import TORCH, load_runtime
from incognote.find.model.runtimes.packed import PackedRuntime
from incognote.find.model.runtimes.pruning import Meter
from incognote.find.model.segments import tag_segments
from incognote.find.model.tokenizer_workers import TokenizerWorker, tag_with_workers
from incognote.find.model.tokens import SubwordTokenizer, Tokens, load_tokenizer
from incognote.find.model.windows import Cutting
from incognote.models import digest_model

_WINDOW = 512
_CHARACTERS_AT_ONCE = 2_000_000
_AT_ONCE, _TURNS, _FEWEST_IN_TURN, _MOST_IN_TURN = 2, 4, 100_000, 200_000
_ENOUGH_FOR_WORKERS, _WORKERS = 200, 14


@dataclass(frozen=True)
class EncoderTagger:
    """A Tagger over a Checkpoint, by folder or hub name; the weights are loaded when first needed and are not pickled.

    ``window`` and ``overlap`` count tokens (default: those of the training, else the model's limit up to 512, and a quarter of it);
    ``budget`` is the number of tokens in a batch; ``mapping`` renames labels; ``runtime`` is a name or a loaded Runtime.
    """

    source: str
    device: str = "auto"
    window: int | None = None
    overlap: int | None = None
    budget: int | None = None
    mapping: Mapping[str, str] | None = None
    whole_words: bool = True
    unsafe: bool = False
    runtime: Runtime | str = TORCH

    def __post_init__(self) -> None:
        if Path(self.source).is_dir():  # a worker process may have another current folder
            object.__setattr__(self, "source", str(Path(self.source).resolve()))

    def __str__(self) -> str:
        runtime = self.runtime if isinstance(self.runtime, str) else type(self.runtime).__name__
        return f"{self.checkpoint.name} sha256:{self._digest[:12]} on {runtime}"

    def __getstate__(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}

    @cached_property
    def checkpoint(self) -> Checkpoint:
        return load_checkpoint(self.source, unsafe=self.unsafe)

    @cached_property
    def tokenizer(self) -> SubwordTokenizer:
        return load_tokenizer(self.checkpoint.folder, self.checkpoint.config)

    @cached_property
    def _digest(self) -> str:
        return digest_model(self.checkpoint.folder)

    @cached_property
    def _runtime(self) -> Runtime:
        if not isinstance(self.runtime, str):
            return self.runtime
        return load_runtime(self.checkpoint, self.choice.runtime, device=self.device)

    @cached_property
    def choice(self) -> Choice:
        """The runtime given or, for ``auto``, the one chosen for this machine and model."""
        assert isinstance(self.runtime, str)
        return choose_runtime(self.checkpoint, wanted=self.runtime, device=self.device)

    def open(self) -> "EncoderTagger":
        """Check the folder, read its tokenizer and choose the runtime now, so that faults show before the first note.

        The returned tagger has its runtime by name, so that worker processes do not choose again.
        """
        self.tokenizer.specials  # noqa: B018 - reading it is the check
        if not isinstance(self.runtime, str):
            return self
        opened = replace(self, runtime=self.choice.runtime)
        vars(opened).update(checkpoint=self.checkpoint, tokenizer=self.tokenizer, choice=self.choice)
        return opened

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags, in the order of the columns of the scores."""
        return self.checkpoint.tags

    def tag(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        """The spans of each text, sorted and not overlapping, in the order of the texts."""
        return tag_segments(texts, self._tag)

    def _tag(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        if len(texts) >= _ENOUGH_FOR_WORKERS and isinstance(self._runtime, PackedRuntime):
            return tag_with_workers(self, self._runtime, texts, self.workers)
        return self._tag_side_by_side(texts)

    def tokenize(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of each text, checked against the model's vocabulary size; notes in capitals are lowercased if the model's
        settings say so."""
        notes = self.tokenizer.tokenize([lowercase_all_caps(text) for text in texts] if self.checkpoint.settings.get(LOWERCASE) else texts)
        known, highest = self.checkpoint.config.get("vocab_size"), max((int(note.ids.max()) for note in notes if len(note)), default=0)
        if known is not None and highest >= known:
            raise CheckpointError(
                f"{self.checkpoint.folder}: its tokenizer has a token number {highest}, and the model knows {known} tokens; "
                "they are not of one model, so copy tokenizer.json again"
            )
        return notes

    def decode(self, text: str, tokens: Tokens, logits: NDArray[np.floating[Any]]) -> tuple[Span, ...]:
        """The spans of one text from the logits of its tokens."""
        source = f"model.{self.checkpoint.name}"
        spans = decode(
            text, self._score(text, tokens, logits), self.tags, source=source, whole_words=self.whole_words, recall_bias=self.recall_bias
        )
        return relabel(spans, self.mapping) if self.mapping else spans

    @cached_property
    def workers(self) -> tuple[TokenizerWorker, ...]:
        """The processes that tokenize and decode beside a GPU; they end with this one."""
        return tuple(TokenizerWorker(replace(self, runtime=TORCH)) for _ in range(max(2, min(_WORKERS, own_cores() - 2))))

    def scores(self, texts: Sequence[str]) -> list[Scores]:
        """The tag probabilities of each text's visible pieces."""
        return list(self.each_scores(texts))

    def each_scores(self, texts: Sequence[str]) -> Iterator[Scores]:
        """As :meth:`scores`, a few notes in memory at a time."""
        for part in part_texts(texts):
            for text, tokens, logits in self._infer(part):
                yield self._score(text, tokens, logits)

    def _tag_side_by_side(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        """The spans of each text, in two threads if the runtime allows it: one runs the model while the other tokenizes or decodes."""
        if not getattr(self._runtime, "side_by_side", False) or own_cores() == 1:
            return [spans for part in part_texts(texts) for spans in self._tag_turn(part)]
        # Several turns, so that tokenizing and decoding run beside the model even for a few notes.
        size = max(_FEWEST_IN_TURN, min(_MOST_IN_TURN, sum(map(len, texts)) // _TURNS))
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            return [spans for found in threads.map(self._tag_turn, part_texts(texts, size=size)) for spans in found]

    def _tag_turn(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        """The spans of each text. A note is decoded as soon as its logits are ready, while the model runs on the next one."""
        notes = self.tokenize(texts)
        found: list[tuple[Span, ...]] = [()] * len(texts)
        for number, logits in infer_each(self._runtime, notes, self.tokenizer, **self._sizes):
            found[number] = self.decode(texts[number], notes[number], logits)
        return found

    def _infer(self, texts: Sequence[str]) -> Iterator[tuple[str, Tokens, Logits]]:
        notes = self.tokenize(texts)
        return zip(texts, notes, self.logits(notes), strict=True)

    def _score(self, text: str, tokens: Tokens, logits: NDArray[np.floating[Any]]) -> Scores:
        exact = logits.astype(np.float32, copy=False)
        check_numbers(exact, self.checkpoint.folder, fix="copy or fetch the weights again, or try another {runtime}")
        return visible_scores(text, tokens, softmax(exact, temperature=self._temperature))

    @property
    def recall_bias(self) -> float:
        """By how much, in log-odds, the model overestimates PHI, because its logit of ``O`` was lowered."""
        return float(self.checkpoint.settings.get(RECALL_BIAS, 0.0)) / self._temperature

    @property
    def _temperature(self) -> float:
        return float(self.checkpoint.settings.get("temperature", 1.0))

    def logits(self, notes: Sequence[Tokens]) -> list[Logits]:
        """The logits of every token of tokenized notes."""
        return infer_notes(self._runtime, notes, self.tokenizer, **self._sizes)

    @property
    def meters(self) -> tuple[Meter, ...]:
        """Counters of the tokens that each part of the model computes, if the runtime has them."""
        return getattr(self._runtime, "meters", ())

    @property
    def _sizes(self) -> dict[str, Any]:
        return {"columns": len(self.tags), "budget": self.budget, **self.cutting._asdict()}

    @property
    def cutting(self) -> Cutting:
        """How notes are cut into windows."""
        trained = self.checkpoint.settings
        room = min(self.window or int(trained.get("window", _WINDOW)), self.checkpoint.limit) - self.tokenizer.specials
        overlap = min(room // 2, int(trained.get("overlap", room // 4))) if self.overlap is None else self.overlap
        return Cutting(room, overlap, not trained.get("short_windows", False))


def part_texts(texts: Sequence[str], *, size: int = _CHARACTERS_AT_ONCE) -> Iterator[Sequence[str]]:
    """Batches of consecutive texts of up to ``size`` characters, so that each fits in memory."""
    at = 0
    while at < len(texts):
        begin, held = at, 0
        while at < len(texts) and (at == begin or held + len(texts[at]) <= size):
            held += len(texts[at])
            at += 1
        yield texts[begin:at]
