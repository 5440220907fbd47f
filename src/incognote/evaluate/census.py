"""The census of a corpus: notes, patients, tokens, and PHI of each type, by split; the layout of Meaney et al. 2022, Table 3."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from incognote.document import Document
from incognote.document.bio import OUTSIDE
from incognote.evaluate.counts import divide
from incognote.evaluate.token import count_tokens
from incognote.facts import patient_key

NON_PHI = "Non-PHI"
TOTAL = "total"


@dataclass(frozen=True, slots=True)
class Census:
    """Counts that add. ``tokens`` has the non-PHI tokens too; patients in both parts of a sum are counted once."""

    notes: int = 0
    patients: frozenset[str] = frozenset()
    tokens: Counter[str] = field(default_factory=Counter)
    entities: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: "Census") -> "Census":
        return Census(self.notes + other.notes, self.patients | other.patients, self.tokens + other.tokens, self.entities + other.entities)

    @property
    def phi_tokens(self) -> int:
        return self.tokens.total() - self.tokens[NON_PHI]

    def percent(self, label: str) -> float:
        """The share of all tokens that carry the label, or ``Non-PHI``, in percent."""
        return 100 * divide(self.tokens[label], self.tokens.total())


def take_census(documents: Iterable[Document]) -> Census:
    """The census of some documents; reads them one at a time.

    >>> from incognote.document import parse_markup
    >>> census = take_census([parse_markup("<PATIENT>Ann Lee</PATIENT> is <AGE>41</AGE>")])
    >>> dict(census.tokens), dict(census.entities), census.percent("PATIENT")
    ({'PATIENT': 2, 'AGE': 1, 'Non-PHI': 1}, {'PATIENT': 1, 'AGE': 1}, 50.0)
    """
    notes, patients = 0, set()
    tokens: Counter[str] = Counter()
    entities: Counter[str] = Counter()
    for document in documents:
        notes += 1
        patients.add(patient_key(document))
        tokens.update(count_tokens(document))
        entities.update(span.label for span in document.spans)
    tokens[NON_PHI] = tokens.pop(OUTSIDE, 0)
    return Census(notes, frozenset(patients), +tokens, entities)


def list_labels(splits: Mapping[str, Census]) -> tuple[str, ...]:
    """``Non-PHI``, then the types by their tokens in the first split, as the paper has them; ties by the total, then by name."""
    first = next(iter(splits.values()), Census())
    total = sum(splits.values(), Census()).tokens
    return (NON_PHI, *sorted(total.keys() - {NON_PHI}, key=lambda label: (-first.tokens[label], -total[label], label)))


def census_dict(splits: Mapping[str, Census]) -> dict[str, object]:
    """The census for JSON."""
    everything = {**splits, TOTAL: sum(splits.values(), Census())}
    labels = list_labels(splits)
    return {
        name: {
            "notes": census.notes,
            "patients": len(census.patients),
            "tokens": census.tokens.total(),
            "phi_tokens": census.phi_tokens,
            "entities": census.entities.total(),
            "types": {
                label: {"tokens": census.tokens[label], "percent": census.percent(label), "entities": census.entities[label]}
                for label in labels
            },
        }
        for name, census in everything.items()
    }
