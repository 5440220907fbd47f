"""What the default model is scored on while it trains: synthetic notes and queries, injected notes, and notes written by hand."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from default_notes import read_notes

from incognote.corpora import read_corpus
from incognote.document import Document, Span
from incognote.evaluate.counts import Counts
from incognote.evaluate.entity import count_entities
from incognote.evaluate.token import count_all, count_binary, pair_labels
from incognote.lab.synthetic import synthesize
from incognote.lab.training.state import Training, best_weights_so_far
from incognote.lab.training.tasks.tagging import Tagging

ROOT = Path(__file__).resolve().parents[1]
NOTES = ROOT / "data" / "notes"


def say(line: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {line}", flush=True)


def make_exams(carry: Path, count: int) -> dict[str, list[Document]]:
    """Synthetic notes and queries of the test part, injected notes of held-out sources, notes by hand: tuned on, and scored only."""
    return {
        "synthetic": list(synthesize(count, seed=90_001, part="test")),
        "queries": list(synthesize(count // 2, seed=90_002, part="test", only="query*")),
        "injected": read_notes(carry / "held-out.jsonl.gz")[: count // 2],
        "tuning": list(read_corpus(ROOT / "tests" / "golden" / "tuning"))[:count],
        "tuning-b": list(read_corpus(NOTES / "tuning-b"))[:count],
        "tuning-c": list(read_corpus(NOTES / "tuning-c"))[:count],
        "tuning-d": list(read_corpus(NOTES / "tuning-d"))[:count],
        "tuning-e": list(read_corpus(NOTES / "tuning-e"))[:count],
    }


def examine(training: Training, task: Tagging, exams: Mapping[str, list[Document]], done: float) -> dict[str, object]:
    row: dict[str, object] = {"done": done, "step": training.step}
    with best_weights_so_far(training) as model:
        for name, documents in exams.items():
            row[name] = scores = score(documents, task.predict(model, documents))
            say(f"{done:4.0%} {name:10} " + " ".join(f"{key} {value:.4f}" for key, value in scores.items()))
    return row


def score(gold: Sequence[Document], found: Sequence[tuple[Span, ...]]) -> dict[str, float]:
    strict, typed, binary = Counts(), Counts(), Counts()
    for document, spans in zip(gold, found, strict=True):
        predicted = document.with_spans(spans)
        pairs = pair_labels(document, predicted)
        strict += sum(count_entities(document, predicted).values(), Counts())
        typed, binary = typed + count_all(pairs), binary + count_binary(pairs)
    return {"strict_f1": strict.f1, "token_f1": typed.f1, "recall": binary.recall, "precision": binary.precision}
