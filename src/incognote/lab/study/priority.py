"""Trust in rules, learned where a model and gold are there to check them: only rules that help beside the model keep their say.

Each source of rule spans is tried in three places: above the model, below it (it fills what the model leaves free), or out. The merge
itself judges, on validation documents, so whatever it does with overlaps and leftovers is counted in.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from incognote.document import Document, Span
from incognote.errors import ConfigError
from incognote.merge import MergePolicy, merge

Layer = Sequence[Span]

MODEL = "model"
OUT, BELOW, MODEL_RANK, ABOVE = -1, 0, 1, 2
_ROUNDS = 3
_LEAST = 2  # disagreements with the model; fewer say too little


@dataclass(frozen=True, slots=True)
class Disagreement:
    """How often a source's spans were not the model's, and how often they were right then."""

    found: int
    differed: int
    right: int

    @property
    def precision(self) -> float:
        """The share that was right where the two disagreed."""
        return self.right / self.differed if self.differed else 0.0


def measure_disagreement(rule_layers: Sequence[Layer], model_layers: Sequence[Layer], gold: Sequence[Document]) -> dict[str, Disagreement]:
    """Each rule source against the model, over all documents; a span is right when its start, end and label are."""
    measured: dict[str, Disagreement] = {}
    for rules, model, document in zip(rule_layers, model_layers, gold, strict=True):
        known, true = set(model), set(document.spans)
        for span in rules:
            before = measured.get(span.source, Disagreement(0, 0, 0))
            differs = span not in known
            right = differs and span in true
            measured[span.source] = Disagreement(before.found + 1, before.differed + differs, before.right + right)
    return dict(sorted(measured.items()))


def learn_trust(rule_layers: Sequence[Layer], model_layers: Sequence[Layer], gold: Sequence[Document], *, beta: float = 1.0) -> MergePolicy:
    """The policy under which the merge of rules and model has the best strict F on these documents.

    Each document has one layer of rule spans and one of model spans (sources under ``model``). A source with a single
    disagreement stays below the model: there is too little to judge it by. ``beta`` over 1 values recall more.
    """
    measured = measure_disagreement(rule_layers, model_layers, gold)
    search = _Search(rule_layers, model_layers, gold, beta, {MODEL: MODEL_RANK})
    # Those with most to say first: what they settle, the others are judged beside.
    order = sorted((source for source in measured if measured[source].differed >= _LEAST), key=lambda source: -measured[source].differed)
    for _ in range(_ROUNDS):
        moved = [search.settle(source) for source in order]
        if not any(moved):
            break
    return MergePolicy(trust=dict(sorted(search.trust.items())))


@dataclass(slots=True)
class _Search:
    """Ranks so far, and for each document how many of its merged spans are right and how many there are."""

    rule_layers: Sequence[Layer]
    model_layers: Sequence[Layer]
    gold: Sequence[Document]
    beta: float
    trust: dict[str, int]
    counts: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.counts = [self._count(number, self.trust) for number in range(len(self.gold))]

    def settle(self, source: str) -> bool:
        """Give the source the rank under which the F is best; whether that changed anything."""
        touched = [number for number, layer in enumerate(self.rule_layers) if any(span.source == source for span in layer)]
        now = self.trust.get(source, BELOW)
        best, best_counts, best_rank = self._score({}), {}, now
        for rank in (BELOW, ABOVE, OUT):
            counts = {number: self._count(number, {**self.trust, source: rank}) for number in touched} if rank != now else {}
            if (score := self._score(counts)) > best:
                best, best_counts, best_rank = score, counts, rank
        for number, count in best_counts.items():
            self.counts[number] = count
        self.trust[source] = best_rank
        return best_rank != now

    def _count(self, number: int, trust: Mapping[str, int]) -> tuple[int, int]:
        document = self.gold[number]
        found = merge([self.rule_layers[number], self.model_layers[number]], document.text, policy=MergePolicy(trust=trust))
        return len(set(found) & set(document.spans)), len(found)

    def _score(self, changed: Mapping[int, tuple[int, int]]) -> float:
        right = sum(changed.get(number, count)[0] for number, count in enumerate(self.counts))
        found = sum(changed.get(number, count)[1] for number, count in enumerate(self.counts))
        true = sum(len(document.spans) for document in self.gold)
        weight = self.beta**2
        return (1 + weight) * right / ((found + weight * true) or 1)


def save_trust(policy: MergePolicy, path: str | Path) -> None:
    """Write a policy as JSON."""
    value = {"trust": dict(policy.trust), "join": sorted(policy.join), "within_words": sorted(policy.within_words)}
    Path(path).write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


def load_trust(path: str | Path) -> MergePolicy:
    """Read a policy that :func:`save_trust` wrote, or one written by hand; all its faults are listed."""
    try:
        value = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(str(path), [f"not a readable JSON file ({type(error).__name__})"]) from None
    if not isinstance(value, dict):
        raise ConfigError(str(path), ["it must hold an object with the key trust"])
    faults = [f"unknown key {key}; there are trust, join, within_words" for key in value if key not in ("trust", "join", "within_words")]
    trust = value.get("trust", {})
    if not isinstance(trust, dict) or not all(isinstance(rank, int) for rank in trust.values()):
        faults.append("trust must map sources to whole numbers")
    lists = {key: value[key] for key in ("join", "within_words") if key in value}
    faults += [f"{key} must be a list of labels" for key, labels in lists.items() if not _is_labels(labels)]
    if faults:
        raise ConfigError(str(path), faults)
    return MergePolicy(trust=trust, **{key: frozenset(labels) for key, labels in lists.items()})


def _is_labels(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(label, str) for label in value)
