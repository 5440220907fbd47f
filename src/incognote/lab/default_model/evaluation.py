"""Evaluation sets: what the model is scored on while it is made."""

from collections.abc import Mapping, Sequence

from incognote.corpora import read_corpus
from incognote.document import Document, Span
from incognote.evaluate.counts import Counts
from incognote.evaluate.entity import count_entities
from incognote.evaluate.token import count_all, count_binary, pair_labels
from incognote.find.finder import Tagger
from incognote.lab.default_model.build import Build, log
from incognote.lab.default_model.data import HELD_OUT
from incognote.lab.default_model.notes import read_notes
from incognote.lab.synthetic import synthesize

TUNING = "tests/golden/tuning"
_SCORED_ONLY = ("tuning-b", "tuning-c", "tuning-d", "tuning-e")

Scores = Mapping[str, float]


def read_tuning_notes(build: Build) -> list[Document]:
    """The hand-written notes that rules and weights are tuned on."""
    return list(read_corpus(build.repository / TUNING))


def gather_training_sets(build: Build) -> dict[str, list[Document]]:
    """What each training is scored on: synthetic notes and queries of the test part, injected notes of held-out sources, hand-written
    notes that were tuned on, and such that are only scored, where the repository has them."""
    count = build.settings.evaluated
    folders = {name: build.repository / "data" / "notes" / name for name in _SCORED_ONLY}
    return {
        "synthetic": list(synthesize(count, seed=90_001, part="test")),
        "queries": list(synthesize(count // 2, seed=90_002, part="test", only="short_questions")),
        "injected": read_notes(build.stage("data") / HELD_OUT)[: count // 2],
        "tuning": read_tuning_notes(build)[:count],
        **{name: list(read_corpus(folder))[:count] for name, folder in folders.items() if folder.is_dir()},
    }


def gather_card_sets(build: Build) -> dict[str, list[Document]]:
    """What the card of the model has scores on."""
    count = build.settings.evaluated
    return {
        "held-out synthetic notes": list(synthesize(count, seed=90_003, part="test")),
        "held-out sources with made-up PHI": read_notes(build.stage("data") / HELD_OUT)[: count // 2],
        "tuning notes": read_tuning_notes(build),
    }


def score_tagger(tagger: Tagger, sets: Mapping[str, Sequence[Document]]) -> dict[str, Scores]:
    """The scores of a tagger on each set."""
    return {name: score(notes, tagger.tag([note.text for note in notes])) for name, notes in sets.items()}


def score(gold: Sequence[Document], found: Sequence[tuple[Span, ...]]) -> dict[str, float]:
    """Strict and token F1, and binary recall and precision."""
    strict, typed, binary = Counts(), Counts(), Counts()
    for document, spans in zip(gold, found, strict=True):
        predicted = document.with_spans(spans)
        pairs = pair_labels(document, predicted)
        strict += sum(count_entities(document, predicted).values(), Counts())
        typed, binary = typed + count_all(pairs), binary + count_binary(pairs)
    return {"strict_f1": strict.f1, "token_f1": typed.f1, "recall": binary.recall, "precision": binary.precision}


def report(name: str, scores: Scores) -> None:
    """Log the scores on one set."""
    log(f"{name:10} " + " ".join(f"{key} {value:.4f}" for key, value in scores.items()))
