"""Pairs of a scrubbed note and an original one: true ones are two notes of one patient, false ones differ in the patient alone."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

import numpy as np

from incognote.errors import CorpusError
from incognote.evaluate.bootstrap import Flags, Whole
from incognote.lab.audit.alignment import Aligned

# A patient of many notes would else outvote the rest: 20 notes make 380 ordered pairs.
_MOST = 6
_FALSE = 3


@dataclass(frozen=True, slots=True)
class Pairs:
    """Places of the scrubbed and of the original note of each pair, and whether one patient wrote both.

    ``matched`` is the share of false pairs whose original note is of the same kind as that of their true pair.
    """

    scrubbed: Whole = field(repr=False)
    original: Whole = field(repr=False)
    true: Flags = field(repr=False)
    matched: float = 1.0

    def __len__(self) -> int:
        return len(self.true)


def check_patients(notes: Aligned) -> int:
    """How many patients have two notes or more; raises when that is too few to learn from some and test on others."""
    counts: dict[str, int] = defaultdict(int)
    for patient in notes.patients:
        counts[patient] += bool(patient)
    several = sum(count > 1 for count in counts.values())
    if not any(notes.patients):
        raise CorpusError(
            "no note of the original corpus has a patient id, which linking needs", fix="name its column with {patient_column}"
        )
    if several < 4:
        raise CorpusError(f"too few patients with two notes or more ({several}); linking needs four: two to train on and two to test on")
    return several


def split_patients(notes: Aligned, seed: int) -> tuple[Whole, Whole]:
    """The places of the notes to train on and of those to test on: half of the patients each, none in both.

    Patients with several notes and patients with one are dealt apart, so that both halves have true pairs.
    """
    members: dict[str, list[int]] = defaultdict(list)
    for at, cluster in enumerate(notes.clusters):
        members[cluster].append(at)
    rng, halves = Random(seed), ([], [])  # type: tuple[Random, tuple[list[int], list[int]]]
    for several in (True, False):
        group = [cluster for cluster in sorted(members) if (len(members[cluster]) > 1) is several]
        for number, cluster in enumerate(rng.sample(group, len(group))):
            halves[number % 2].extend(members[cluster])
    return np.array(sorted(halves[0]), dtype=np.int64), np.array(sorted(halves[1]), dtype=np.int64)


def draw_pairs(notes: Aligned, places: Whole, kinds: Sequence[str], seed: int) -> Pairs:
    """True pairs of the notes at these places and, beside each, false pairs with the same scrubbed note.

    The original note of a false pair is another patient's, of the same kind as that of the true pair wherever there is one: else
    the kind of note could decide, and the attack would seem better than it is.
    """
    rng = Random(f"pairs {seed}")
    whose = notes.clusters
    members: dict[str, list[int]] = defaultdict(list)
    by_kind: dict[str, list[int]] = defaultdict(list)
    for at in map(int, places):
        members[whose[at]].append(at)
        by_kind[kinds[at]].append(at)
    everyone, rows, alike = list(map(int, places)), [], 0
    for patient in sorted(members):
        wanted = min(_FALSE, len(everyone) - len(members[patient]))
        ordered = [(one, two) for one in members[patient] for two in members[patient] if one != two]
        for one, two in rng.sample(ordered, min(_MOST, len(ordered))):
            rows.append((one, two, True))
            others = [at for at in by_kind[kinds[two]] if whose[at] != patient]
            chosen = rng.sample(others, min(wanted, len(others)))
            alike += len(chosen)
            while len(chosen) < wanted:
                stranger = rng.choice(everyone)
                if whose[stranger] != patient and stranger not in chosen:
                    chosen.append(stranger)
            rows += [(one, other, False) for other in chosen]
    scrubbed, original, true = (np.array(column) for column in zip(*rows, strict=True))
    return Pairs(scrubbed, original, true, alike / int((~true).sum()))
