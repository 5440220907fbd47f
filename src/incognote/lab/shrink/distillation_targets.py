"""What teachers say about every token of a student: their tag probabilities and hidden states, computed once and kept in a file.

Tokenizers may differ. Several teachers are averaged on characters, as an ensemble is, and a token of the student learns what they say
about its first visible character. Where a teacher cuts the note as the student does, blank tokens are covered as well.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from incognote.errors import ConfigError
from incognote.find.model.decoding import Scores, visible_scores
from incognote.find.model.ensemble import average
from incognote.find.model.inference import infer_notes, softmax
from incognote.find.model.runtimes.torch import TorchRuntime
from incognote.find.model.tagger import EncoderTagger, part_texts
from incognote.find.model.tokens import Tokens
from incognote.find.model.weights import load_model

Halves = NDArray[np.float16]
_CHARACTERS_AT_ONCE = 200_000


@dataclass(frozen=True, slots=True)
class TeacherTargets:
    """The rows of all tokens of all notes, one note after the other; note ``n`` has those from ``begins[n]`` on."""

    probabilities: Halves = field(repr=False)
    hidden: Halves | None = field(repr=False)
    covered: NDArray[np.bool_] = field(repr=False)
    begins: NDArray[np.int64] = field(repr=False)

    @property
    def width(self) -> int:
        """Numbers in a hidden state; 0 where none are kept."""
        return 0 if self.hidden is None else int(self.hidden.shape[1])

    def rows(self, note: int, start: int, end: int) -> slice:
        """Where tokens ``[start, end)`` of a note are."""
        first = int(self.begins[note])
        return slice(first + start, first + end)


class _Open(torch.nn.Module):
    """A teacher that gives its last hidden states behind its logits, so that both go through the windows of production."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model, self.body = model, getattr(model, model.base_model_prefix)
        self.body.register_forward_hook(self._keep)

    def _keep(self, _: object, inputs: object, output: Any) -> None:
        self.hidden = output[0]

    def forward(self, **inputs: Any) -> SimpleNamespace:
        logits = self.model(**inputs).logits
        return SimpleNamespace(logits=torch.cat([logits, self.hidden], dim=-1))


def collect_targets(
    teachers: Sequence[EncoderTagger], texts: Sequence[str], notes: Sequence[Tokens], *, temperature: float, hidden: bool
) -> TeacherTargets:
    """What the teachers say at this temperature about the tokens that the student's tokenizer made of the texts.

    Hidden states, where asked for, are those of the first teacher.
    """
    tags = teachers[0].tags
    begins = np.cumsum([0, *(len(note) for note in notes)])
    targets = _allocate(int(begins[-1]), len(tags), int(hidden) and _width(teachers[0]), begins)
    models = [_open(teacher) for teacher in teachers]
    at = 0
    for part in part_texts(texts, size=_CHARACTERS_AT_ONCE):
        said = [_judge(teacher, model, part) for teacher, model in zip(teachers, models, strict=True)]
        for number, text in enumerate(part):
            _fill(targets, at, text, notes[at], [layer[number] for layer in said], tags, temperature)
            at += 1
    return targets


def check_teachers(teachers: Sequence[EncoderTagger]) -> None:
    """Raise unless there are teachers and all know the same tags."""
    if not teachers:
        raise ConfigError("distill", ["it needs one teacher at least"])
    first = teachers[0]
    others = [teacher for teacher in teachers if set(teacher.tags) != set(first.tags)]
    if others:
        labels = sorted(set(first.tags) ^ set(others[0].tags))
        raise ConfigError("distill", [f"{first.source} and {others[0].source} have different tags: {', '.join(labels[:6])} in one only"])


def _width(teacher: EncoderTagger) -> int:
    config = teacher.checkpoint.config
    return int(next(config[name] for name in ("hidden_size", "dim", "d_model") if name in config))


def _allocate(rows: int, tags: int, width: int, begins: NDArray[np.int64]) -> TeacherTargets:
    """Rows in files without a name, deleted with the targets, or with a killed process: a large corpus need not fit in memory."""

    def make(columns: int) -> Halves:
        with tempfile.TemporaryFile(prefix="incognote-targets-") as file:
            return np.memmap(file, mode="w+", dtype=np.float16, shape=(rows, columns))

    return TeacherTargets(make(tags), make(width) if width else None, np.zeros(rows, dtype=np.bool_), begins)


def _open(teacher: EncoderTagger) -> TorchRuntime:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = _Open(load_model(teacher.checkpoint)).eval().to(device)
    return TorchRuntime(model.to(torch.bfloat16) if device.type == "cuda" else model, device)


def _judge(teacher: EncoderTagger, runtime: TorchRuntime, texts: Sequence[str]) -> list[tuple[EncoderTagger, Tokens, NDArray[np.float32]]]:
    notes = teacher.tokenizer.tokenize(texts)
    columns = len(teacher.tags) + _width(teacher)
    judged = infer_notes(runtime, notes, teacher.tokenizer, columns=columns, **teacher.cutting._asdict())
    return [(teacher, tokens, rows) for tokens, rows in zip(notes, judged, strict=True)]


def _fill(
    targets: TeacherTargets, number: int, text: str, tokens: Tokens, said: Sequence[Any], tags: tuple[str, ...], temperature: float
) -> None:
    rows = targets.rows(number, 0, len(tokens))
    layers = []
    for teacher, own, values in said:
        order = [teacher.tags.index(tag) for tag in tags]
        layers.append((own, softmax(values[:, : len(tags)][:, order], temperature=temperature)))
    alike = all(_cut_alike(own, tokens) for own, _ in layers)
    if alike:
        targets.probabilities[rows] = np.mean([probabilities for _, probabilities in layers], axis=0)
        targets.covered[rows] = True
    else:
        places, probabilities = _on_characters(text, tokens, [visible_scores(text, *layer) for layer in layers], tags)
        targets.probabilities[rows.start + places] = probabilities
        targets.covered[rows.start + places] = True
    if targets.hidden is not None:
        targets.hidden[rows] = said[0][2][match_tokens(text, tokens, said[0][1]), len(tags) :]


def _cut_alike(one: Tokens, other: Tokens) -> bool:
    return np.array_equal(one.starts, other.starts) and np.array_equal(one.ends, other.ends)


def _on_characters(
    text: str, tokens: Tokens, layers: Sequence[Scores], tags: tuple[str, ...]
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Which tokens have a visible character that a teacher judged, and what all say about the first such one on average."""
    visible, places = list_visible(text, tokens)
    # A layer that counts for nothing only adds its cuts, so that every token of the student begins a piece.
    edges = Scores(visible.starts, visible.ends, np.zeros((len(visible), len(tags)), dtype=np.float32))
    if not len(visible) or not any(len(layer) for layer in layers):
        return places[:0], edges.probabilities[:0]
    pieces = average([*layers, edges], [*[1.0] * len(layers), 0.0], tags)
    at = np.minimum(np.searchsorted(pieces.starts, visible.starts), len(pieces) - 1)
    known = pieces.starts[at] == visible.starts
    return places[known], pieces.probabilities[at[known]]


def list_visible(text: str, tokens: Tokens) -> tuple[Scores, NDArray[np.intp]]:
    """The visible pieces of the tokens, and the number of the token that each comes from."""
    numbers = np.arange(len(tokens), dtype=np.float32)[:, None]
    pieces = visible_scores(text, tokens, numbers)
    return pieces, pieces.probabilities[:, 0].astype(np.intp)


def match_tokens(text: str, tokens: Tokens, other: Tokens) -> NDArray[np.intp]:
    """For each token the other's token at its first visible character, or the nearest before it."""
    if _cut_alike(tokens, other):
        return np.arange(len(tokens))
    visible, places = list_visible(text, other)
    starts = tokens.starts.copy()
    mine, own = list_visible(text, tokens)
    starts[own] = mine.starts
    return (
        places[np.maximum(np.searchsorted(visible.starts, starts, side="right") - 1, 0)] if len(places) else np.zeros(len(tokens), np.intp)
    )
