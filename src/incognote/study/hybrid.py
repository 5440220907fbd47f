"""Rules beside an encoder in a study: their spans, the trust in each rule learned on validation notes, and the two as one tagger."""

from collections.abc import Sequence
from dataclasses import dataclass

from incognote.document import Document, Span
from incognote.tagging import MergePolicy, Tagger, merge
from incognote.tagging.trust import learn_trust

# The shipped rules speak English and these labels; beside other schemes they have nothing to say.
RULE_SCHEMES = frozenset({"i2b2-2014", "meaney-2022"})


@dataclass(frozen=True, slots=True)
class HybridTagger:
    """A Tagger that merges rules and a model by a policy; only labels of the model's own scheme are kept."""

    model: Tagger
    policy: MergePolicy
    labels: frozenset[str]

    def tag(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        found = zip(texts, find_by_rules(texts, self.labels), self.model.tag(texts), strict=True)
        return [merge([rules, model], text, policy=self.policy) for text, rules, model in found]


def find_by_rules(texts: Sequence[str], labels: frozenset[str]) -> list[tuple[Span, ...]]:
    """What the shipped rules find, of the labels that the study has."""
    from incognote.rules import RuleTagger

    found = RuleTagger.default().tag(texts)
    return [tuple(span for span in spans if span.label in labels) for spans in found]


def fit_policy(documents: Sequence[Document], found: Sequence[tuple[Span, ...]], labels: frozenset[str]) -> MergePolicy:
    """The trust in each rule under which rules and model together are best on these documents."""
    rules = find_by_rules([document.text for document in documents], labels)
    return learn_trust(rules, found, documents)


def merge_layers(
    documents: Sequence[Document], found: Sequence[tuple[Span, ...]], policy: MergePolicy, labels: frozenset[str]
) -> list[tuple[Span, ...]]:
    """Rules and what the model found, merged."""
    rules = find_by_rules([document.text for document in documents], labels)
    return [merge([one, two], document.text, policy=policy) for document, one, two in zip(documents, rules, found, strict=True)]
