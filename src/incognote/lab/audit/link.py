"""Whether a scrubbed note can still be linked to another note of its patient: re-identification risk as an AUC against chance."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from incognote.errors import CorpusError
from incognote.evaluate.bootstrap import RESAMPLES, Draws, Floats, Sampled, draw, list_ends
from incognote.lab.audit.alignment import ORIGINAL, Aligned
from incognote.lab.audit.attacks import Evidence, find_rarity, gather_evidence, run_trained, run_untrained
from incognote.lab.audit.auc import Scored, sample_auc
from incognote.lab.audit.learners import Matrix
from incognote.lab.audit.pairs import Pairs, check_patients, draw_pairs, split_patients

KIND = "kind"

# The form, the pairs to train on and those to test on, and a seed, to the scores of the latter.
PairLearner = Callable[[str, Pairs, Pairs, int], Floats]


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack on one form: how often it ranks a true pair above a false one."""

    form: str
    name: str
    auc: Sampled


@dataclass(frozen=True, slots=True)
class Link:
    """All attacks of an audit, and what they were made with."""

    attacks: tuple[Attack, ...]
    notes: int
    patients: int
    several: int
    pairs: int
    true_pairs: int
    matched: float
    kind: str
    changed: Mapping[str, float]
    seeds: tuple[int, ...]
    resamples: int


def measure_link(
    notes: Aligned,
    *,
    kind: str = "",
    states: Mapping[str, Matrix] | None = None,
    learner: PairLearner | None = None,
    learner_name: str = "",
    seeds: Sequence[int] = (0, 1, 2),
    resamples: int = RESAMPLES,
    tick: Callable[[], None] = lambda: None,
) -> Link:
    """Attack every form, the original included: what an attack cannot do there it need not be feared for elsewhere.

    In each seed half of the patients are trained on and the others tested on; all forms have the same pairs. ``states`` are hidden
    states of the notes for the trained attack to look at too; ``learner`` is another attack, called ``learner_name``.
    """
    several = check_patients(notes)
    kinds = list_kinds(notes, kind)
    evidence = gather_evidence(notes, states)
    rarity = find_rarity(evidence[ORIGINAL])
    draws = draw(notes.clusters, seeds=len(seeds), resamples=resamples)
    dealt = [(seed, *_deal_pairs(notes, kinds, seed)) for seed in seeds]
    runs: dict[tuple[str, str], list[Scored]] = {}
    for form in notes.forms:
        for seed, train_pairs, test_pairs in dealt:
            scores = _attack(train_pairs, test_pairs, evidence[form], evidence[ORIGINAL], rarity)
            if learner is not None:
                scores[learner_name] = learner(form, train_pairs, test_pairs, seed)
            for name, values in scores.items():
                runs.setdefault((form, name), []).append(_join(test_pairs, values, draws))
            tick()
    tests = [test for _, _, test in dealt]
    return Link(
        tuple(Attack(form, name, sample_auc(scored, draws)) for (form, name), scored in runs.items()),
        len(notes),
        len(set(notes.clusters)),
        several,
        sum(map(len, tests)),
        sum(int(test.true.sum()) for test in tests),
        float(np.mean([test.matched for test in tests])),
        kind,
        {form: notes.changed(form) for form in notes.scrubbed},
        tuple(seeds),
        resamples,
    )


def _deal_pairs(notes: Aligned, kinds: Sequence[str], seed: int) -> tuple[Pairs, Pairs]:
    """Pairs of the patients to train on, and of the others to test on."""
    train, test = split_patients(notes, seed)
    return draw_pairs(notes, train, kinds, seed), draw_pairs(notes, test, kinds, seed)


def _attack(train: Pairs, test: Pairs, scrubbed: Evidence, original: Evidence, rarity: Floats) -> dict[str, Floats]:
    return run_untrained(test, scrubbed, original, rarity) | run_trained(train, test, scrubbed, original, rarity)


def _join(pairs: Pairs, scores: Floats, draws: Draws) -> Scored:
    return Scored(pairs.true, scores, draws.home[pairs.scrubbed], draws.home[pairs.original])


def list_kinds(notes: Aligned, column: str) -> list[str]:
    """The kind of each note, from a column beside the original notes; all alike where no column is named."""
    if not column:
        return [""] * len(notes)
    if not any(column in meta for meta in notes.meta):
        raise CorpusError(f"there is no column {column} beside the notes; the columns are: {', '.join(notes.columns) or 'none'}")
    return [str(meta.get(column, "")) for meta in notes.meta]


def as_dict(audit: Link) -> dict[str, object]:
    """The audit for JSON; no text of any note."""
    return {
        "notes": audit.notes,
        "patients": audit.patients,
        "patients_with_several_notes": audit.several,
        "pairs": audit.pairs,
        "true_pairs": audit.true_pairs,
        "kind": audit.kind,
        "false_pairs_of_the_same_kind": audit.matched,
        "changed": dict(audit.changed),
        "seeds": list(audit.seeds),
        "chance": 0.5,
        "bootstrap": {"resamples": audit.resamples, "unit": "patient and seed"},
        "attacks": [
            {"form": one.form, "attack": one.name, "auc": one.auc.value, "interval": list_ends(one.auc.interval)} for one in audit.attacks
        ],
    }
