"""Which answers survive de-identification: whether the scrubbed note still holds them, and whether a trained reader finds them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from incognote.errors import CorpusError
from incognote.evaluate.answers import is_exact, token_f1
from incognote.evaluate.bootstrap import RESAMPLES, Floats, Sampled, draw
from incognote.lab.audit.alignment import ORIGINAL, Aligned, name_some
from incognote.lab.audit.folds import deal_folds
from incognote.lab.audit.labels import read_table
from incognote.lab.audit.scores import score_mean
from incognote.lab.audit.utility import Trial, compare_ways, list_ways, trial_dict

# The form to train on, (place, question, answer) of its questions, (place, question) to answer in each form, and a seed.
AnswerLearner = Callable[
    [str, Sequence[tuple[int, str, str]], Mapping[str, Sequence[tuple[int, str]]], int],
    Mapping[str, Sequence[str]],
]


@dataclass(frozen=True, slots=True)
class Question:
    """A question about the note at a place, and its answer, word for word as the original note has it."""

    place: int
    question: str = field(repr=False)
    answer: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Survival:
    """The audit: the share of answers still in each form, and the trials of a trained reader where there was one."""

    kept: Mapping[str, Sampled]
    trials: tuple[Trial, ...]
    questions: int
    notes: int
    patients: int
    seeds: tuple[int, ...]
    folds: int
    resamples: int


def read_questions(notes: Aligned, path: Path) -> tuple[Question, ...]:
    """The questions of a table with the columns id, question and answer; every answer must be in its original note."""
    places = {id: at for at, id in enumerate(notes.ids)}
    found, strange, absent = [], [], []
    for place, row in read_table(path, ("id", "question", "answer")):
        at = places.get(row["id"])
        if at is None:
            strange.append(row["id"])
        elif not row["answer"] or not row["question"]:
            raise CorpusError("the question or its answer is empty", path=path, document=row["id"], place=place)
        elif row["answer"] not in notes.texts[ORIGINAL][at]:
            absent.append(f"{place} for {row['id']}")
        else:
            found.append(Question(at, row["question"], row["answer"]))
    faults = []
    if strange:
        faults.append(f"{len(strange):,} questions are about notes that are not in the corpora ({name_some(strange)})")
    if absent:
        faults.append(f"{len(absent):,} answers are not in their original note ({name_some(absent)}); copy them letter for letter")
    if faults:
        raise CorpusError("; ".join(faults), path=path)
    return tuple(found)


def measure_answers(
    notes: Aligned,
    questions: Sequence[Question],
    learner: AnswerLearner | None = None,
    *,
    seeds: Sequence[int] = (0, 1, 2),
    folds: int = 5,
    resamples: int = RESAMPLES,
    tick: Callable[[], None] = lambda: None,
) -> Survival:
    """The share of answers that survive in each form and, with a learner, how well it finds them, trained on one form or another.

    An answer counts as right only if it is that of the original note: one that was scrubbed away is a loss for any reader.
    """
    clusters = [notes.clusters[one.place] for one in questions]
    draws = draw(clusters, seeds=len(seeds), resamples=resamples)
    kept = {}
    for form in notes.scrubbed:
        there = np.array([[float(one.answer in notes.texts[form][one.place]) for one in questions]])
        kept[form] = score_mean(np.repeat(there, len(seeds), axis=0), draws)
    trials: tuple[Trial, ...] = ()
    if learner is not None:
        exact, overlap = _train(notes, questions, learner, clusters, seeds=seeds, folds=folds, tick=tick)
        scores = {way: {"exact": score_mean(exact[way], draws), "f1": score_mean(overlap[way], draws)} for way in exact}
        trials = compare_ways(scores, patients=len(set(clusters)))
    asked = {one.place for one in questions}
    return Survival(kept, trials, len(questions), len(asked), len(set(clusters)), tuple(seeds), folds, resamples)


def _train(
    notes: Aligned,
    questions: Sequence[Question],
    learner: AnswerLearner,
    clusters: Sequence[str],
    *,
    seeds: Sequence[int],
    folds: int,
    tick: Callable[[], None],
) -> tuple[dict[tuple[str, str], Floats], dict[tuple[str, str], Floats]]:
    """Whether each answer is exact, and its token F1, for every way of training and testing; a row for each seed."""
    ways = list_ways(notes)
    exact, overlap = ({way: np.zeros((len(seeds), len(questions))) for way in ways} for _ in range(2))
    for row, seed in enumerate(seeds):
        homes = deal_folds(clusters, [0] * len(questions), folds=folds, seed=seed)
        for fold in range(folds):
            held = [at for at, home in enumerate(homes) if home == fold]
            for form in notes.forms:
                texts = notes.texts[form]
                train = [
                    (one.place, one.question, one.answer if one.answer in texts[one.place] else "")
                    for one, home in zip(questions, homes, strict=True)
                    if home != fold
                ]
                tests = {
                    tested: [(questions[at].place, questions[at].question) for at in held] for trained, tested in ways if trained == form
                }
                for tested, answers in learner(form, train, tests, seed).items():
                    for at, answer in zip(held, answers, strict=True):
                        exact[form, tested][row, at] = is_exact(questions[at].answer, answer)
                        overlap[form, tested][row, at] = token_f1(questions[at].answer, answer)
                tick()
    return exact, overlap


def as_dict(audit: Survival) -> dict[str, object]:
    """The audit for JSON; no text of any note, question or answer."""
    return {
        "questions": audit.questions,
        "notes": audit.notes,
        "patients": audit.patients,
        "seeds": list(audit.seeds),
        "folds": audit.folds,
        "bootstrap": {"resamples": audit.resamples, "unit": "patient and seed"},
        "kept": {form: one.as_dict() for form, one in audit.kept.items()},
        "trials": [trial_dict(trial) for trial in audit.trials],
    }
