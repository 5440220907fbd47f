"""Rules beside an encoder in a study: their spans, the priority of each rule learned on validation notes, and the two as one tagger."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from incognote.document import Document, Span, scheme
from incognote.find.finder import Tagger
from incognote.lab.study.priority import learn_priorities, merge_by_priority
from incognote.priorities import Priorities

RULE_SCHEME = "i2b2-2014"
"""The labels that the shipped rules give. The rules read English; numbers, dates and addresses of the net are much the same elsewhere."""


@dataclass(frozen=True, slots=True)
class HybridTagger:
    """A Tagger that merges rules and a model by priority; rules speak the labels of the model's own scheme."""

    model: Tagger
    priorities: Priorities
    labels: frozenset[str]

    def tag(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        found = zip(texts, find_by_rules(texts, self.labels), self.model.tag(texts), strict=True)
        return [merge_by_priority(rules, model, text, self.priorities) for text, rules, model in found]


def find_by_rules(texts: Sequence[str], labels: frozenset[str]) -> list[tuple[Span, ...]]:
    """What the shipped rules find, in the labels that the study has; what these have no word for is left out."""
    from incognote.shipped import build_pipeline

    names = name_rule_labels(labels)
    rules, notes = build_pipeline(()), [Document(str(at), text) for at, text in enumerate(texts)]
    found = ([span for layer in trace.layers.values() for span in layer.spans] for trace in rules.trace(notes))
    return [tuple(replace(span, label=names[span.label]) for span in spans if span.label in names) for spans in found]


def labels_of(tags: Sequence[str]) -> frozenset[str]:
    """The labels of a model's tags."""
    return frozenset(label for tag in tags if (label := tag.partition("-")[2]))


def name_rule_labels(labels: frozenset[str]) -> Mapping[str, str]:
    """How each label of the rules is called among ``labels``, by its own name or by the map to another scheme.

    >>> name_rule_labels(frozenset({"FECHAS", "CALLE"}))
    {'STREET': 'CALLE', 'DATE': 'FECHAS'}
    """
    own = scheme(RULE_SCHEME)
    names = {label: label for label in own.labels if label in labels}
    for target in own.maps.values():
        names = {label: name for label, name in target.items() if name in labels} | names
    return names


def fit_priorities(documents: Sequence[Document], found: Sequence[tuple[Span, ...]], labels: frozenset[str]) -> Priorities:
    """The priority of each rule under which rules and model together are best on these documents."""
    rules = find_by_rules([document.text for document in documents], labels)
    return learn_priorities(rules, found, documents)


def merge_layers(
    documents: Sequence[Document], found: Sequence[tuple[Span, ...]], priorities: Priorities, labels: frozenset[str]
) -> list[tuple[Span, ...]]:
    """Rules and what the model found, merged."""
    rules = find_by_rules([document.text for document in documents], labels)
    return [merge_by_priority(one, two, document.text, priorities) for document, one, two in zip(documents, rules, found, strict=True)]
