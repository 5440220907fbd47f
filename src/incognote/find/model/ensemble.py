"""Several encoders as one: their probabilities are averaged character by character, then decoded once.

Their tokenizers split a note at different offsets. Between two neighbouring offsets all probabilities are constant, so the average is taken
over these pieces, which equals an average over characters. Inside a token, ``B-`` of its first piece continues as ``I-``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from incognote.document import Span, bio_tags
from incognote.errors import ConfigError
from incognote.find.model.decoding import Probabilities, Scores, decode
from incognote.find.model.grammar import split_tag
from incognote.find.model.segments import tag_segments
from incognote.find.model.tagger import EncoderTagger, part_texts


@dataclass(frozen=True)
class EnsembleTagger:
    """A Tagger over several EncoderTaggers; ``weights`` says how much each counts (all the same when None)."""

    members: tuple[EncoderTagger, ...]
    weights: tuple[float, ...] | None = None
    name: str = "ensemble"
    whole_words: bool = True

    def __post_init__(self) -> None:
        faults = [] if self.members else ["it needs one model at least"]
        if self.weights is not None and len(self.weights) != len(self.members):
            faults.append(f"{len(self.weights)} weights for {len(self.members)} models")
        if self.weights is not None and any(weight <= 0 for weight in self.weights):
            faults.append("every weight must be above 0")
        if faults:
            raise ConfigError("ensemble", faults)

    def __str__(self) -> str:
        return f"mean of {', '.join(map(str, self.members))}"

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The members' own tags where they are all the same BIO set, else BIO tags of all their labels."""
        first = self.members[0]
        same = all(member.tags == first.tags and member.mapping is None for member in self.members)
        if same and all(split_tag(tag)[0] in ("", "B", "I") for tag in first.tags):
            return first.tags
        labels = (label for member in self.members for label in _labels(member))
        return bio_tags(dict.fromkeys(labels))

    def tag(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        """The spans of each text, sorted and not overlapping, in the order of the texts."""
        return tag_segments(texts, self._tag)

    def _tag(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        source, bias = f"model.{self.name}", fmean(member.recall_bias for member in self.members)
        return [
            decode(text, scores, self.tags, source=source, whole_words=self.whole_words, recall_bias=bias)
            for text, scores in zip(texts, self.each_scores(texts), strict=True)
        ]

    def scores(self, texts: Sequence[str]) -> list[Scores]:
        """The averaged tag probabilities of each text, on the pieces between any member's cuts."""
        return list(self.each_scores(texts))

    def each_scores(self, texts: Sequence[str]) -> Iterator[Scores]:
        """As :meth:`scores`, a few notes in memory at a time."""
        projections = [project_tags(member.tags, self.tags, member.mapping or {}) for member in self.members]
        weights = self.weights or (1.0,) * len(self.members)
        for part in part_texts(texts):
            layers = [
                [Scores(scores.starts, scores.ends, scores.probabilities @ projection) for scores in member.each_scores(part)]
                for member, projection in zip(self.members, projections, strict=True)
            ]
            for notes in zip(*layers, strict=True):
                yield average(notes, weights, self.tags)


def _labels(member: EncoderTagger) -> list[str]:
    mapping = member.mapping or {}
    labels = [split_tag(tag)[1] for tag in member.tags]
    return [mapping.get(label, label) for label in labels if label]


def project_tags(source: Sequence[str], target: Sequence[str], mapping: Mapping[str, str]) -> NDArray[np.float32]:
    """The share of each source tag that goes to each target tag.

    Where a tag set has only ``B-X`` or only ``I-X``, the tag may begin or continue a span, so it counts for both, a little more for ``I-``.

    >>> (project_tags(["O", "I-STREET"], ["O", "B-STREET", "I-STREET"], {}) * 100).round().tolist()
    [[100.0, 0.0, 0.0], [0.0, 49.0, 51.0]]
    """
    table = np.zeros((len(source), len(target)), dtype=np.float32)
    if list(source) == list(target) and not mapping:
        np.fill_diagonal(table, 1.0)
        return table
    known = {split_tag(tag) for tag in source}
    for row, tag in enumerate(source):
        prefix, label = split_tag(tag)
        if not prefix:
            table[row, target.index("O")] = 1.0
            continue
        named = mapping.get(label, label)
        begin, inside = target.index(f"B-{named}"), target.index(f"I-{named}")
        alone = (prefix == "I" and ("B", label) not in known) or (prefix == "B" and not {("I", label), ("L", label), ("E", label)} & known)
        share = 0.49 if alone else float(prefix in "BUS")
        table[row, begin] += share
        table[row, inside] += 1 - share
    return table


def average(layers: Sequence[Scores], weights: Sequence[float], tags: Sequence[str]) -> Scores:
    """One layer of scores from several over the same text and tags."""
    edges = np.unique(np.concatenate([part for scores in layers for part in (scores.starts, scores.ends)]))
    starts, ends = edges[:-1], edges[1:]
    total = np.zeros((len(starts), len(tags)), dtype=np.float32)
    counted = np.zeros((len(starts), 1), dtype=np.float32)
    goes_on = _inside_columns(tags)
    for scores, weight in zip(layers, weights, strict=True):
        if not len(scores):
            continue
        token = np.searchsorted(scores.starts, starts, side="right") - 1
        covered = (token >= 0) & (starts < scores.ends[token])
        rows = scores.probabilities[token]
        later = starts != scores.starts[token]
        rows[later] = _move_begun(rows[later], goes_on)
        total[covered] += np.float32(weight) * rows[covered]
        counted[covered] += np.float32(weight)
    kept = counted[:, 0] > 0
    return Scores(starts[kept], ends[kept], total[kept] / counted[kept])


def _inside_columns(tags: Sequence[str]) -> NDArray[np.intp]:
    """For each tag, the column of the tag that continues its span."""
    columns = {tag: at for at, tag in enumerate(tags)}
    return np.array([columns.get(f"I-{tag[2:]}", at) if tag.startswith("B-") else at for tag, at in columns.items()], dtype=np.intp)


def _move_begun(rows: Probabilities, goes_on: NDArray[np.intp]) -> Probabilities:
    moved = np.zeros_like(rows)
    for column, target in enumerate(goes_on):
        moved[:, target] += rows[:, column]
    return moved
