"""Priorities of rules beside a model, learned on validation documents.

Each source of rule spans is tried in three places: above the model, below it (it fills what the model leaves free), or out. The merge
itself judges, on validation documents, so whatever it does with overlaps and leftovers is counted in.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from incognote.document import Document, Span
from incognote.merge import Role, merge
from incognote.priorities import Priorities

Layer = Sequence[Span]

BELOW, ABOVE, OUT = Role.GUESS, Role.EXACT, None
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


def learn_priorities(
    rule_layers: Sequence[Layer], model_layers: Sequence[Layer], gold: Sequence[Document], *, beta: float = 1.0
) -> Priorities:
    """The priorities under which the merge of rules and model has the best strict F on these documents.

    Each document has one layer of rule spans and one of model spans. A source with a single
    disagreement stays below the model: there is too little to judge it by. ``beta`` over 1 values recall more.
    """
    measured = measure_disagreement(rule_layers, model_layers, gold)
    search = _Search(rule_layers, model_layers, gold, beta, {})
    # Those with most to say first: what they settle, the others are judged beside.
    order = sorted((source for source in measured if measured[source].differed >= _LEAST), key=lambda source: -measured[source].differed)
    for _ in range(_ROUNDS):
        moved = [search.settle(source) for source in order]
        if not any(moved):
            break
    return dict(sorted(search.roles.items()))


@dataclass(slots=True)
class _Search:
    """Ranks so far, and for each document how many of its merged spans are right and how many there are."""

    rule_layers: Sequence[Layer]
    model_layers: Sequence[Layer]
    gold: Sequence[Document]
    beta: float
    roles: dict[str, Role | None]
    counts: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.counts = [self._count(number, self.roles) for number in range(len(self.gold))]

    def settle(self, source: str) -> bool:
        """Give the source the rank under which the F is best; whether that changed anything."""
        touched = [number for number, layer in enumerate(self.rule_layers) if any(span.source == source for span in layer)]
        now = self.roles.get(source, BELOW)
        best, best_counts, best_role = self._score({}), {}, now
        for role in (BELOW, ABOVE, OUT):
            counts = {number: self._count(number, {**self.roles, source: role}) for number in touched} if role != now else {}
            if (score := self._score(counts)) > best:
                best, best_counts, best_role = score, counts, role
        for number, count in best_counts.items():
            self.counts[number] = count
        self.roles[source] = best_role
        return best_role != now

    def _count(self, number: int, roles: Priorities) -> tuple[int, int]:
        document = self.gold[number]
        found = merge_by_priority(self.rule_layers[number], self.model_layers[number], document.text, roles)
        return len(set(found) & set(document.spans)), len(found)

    def _score(self, changed: Mapping[int, tuple[int, int]]) -> float:
        right = sum(changed.get(number, count)[0] for number, count in enumerate(self.counts))
        found = sum(changed.get(number, count)[1] for number, count in enumerate(self.counts))
        true = sum(len(document.spans) for document in self.gold)
        weight = self.beta**2
        return (1 + weight) * right / ((found + weight * true) or 1)


def merge_by_priority(rules: Layer, model: Layer, text: str, priorities: Priorities) -> tuple[Span, ...]:
    """Spans of rules and of a model, merged; a rule without a priority stays below the model."""
    ranked = [(priorities.get(span.source, BELOW), span) for span in rules]
    layers = {role: [span for rank, span in ranked if rank is role] for role in (BELOW, ABOVE)}
    return merge([layers[BELOW], model, layers[ABOVE]], text, roles=[BELOW, Role.LEARNED, ABOVE])
