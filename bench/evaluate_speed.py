"""How fast scoring is beside seqeval's classification_report, on the same 100,000 tokens, in one run.

Tags: both get the same lists of BIO tags and give precision, recall, F1 and support of each type and the micro, macro and
weighted averages. Notes: both start from the same Documents; incognote gives every score it has (tokens, entities, 18 of i2b2
2014, 5 of MEDDOCAN, leaks, confusion), seqeval its one table, for which the spans are first made into tags (by incognote's own
alignment). The bootstrap is timed apart. Outputs are checked to be equal. Repeats are interleaved; medians are shown.

    python bench/evaluate_speed.py [--tokens 100000] [--repeats 7]
"""

import argparse
import gc
import platform
from collections.abc import Callable
from random import Random
from statistics import median
from time import perf_counter

from seqeval.metrics import classification_report
from seqeval.scheme import IOB2

from incognote.document import Document, Span, cut_pieces, scheme, spans_to_tags, word_tokens
from incognote.evaluate import Counts, Evaluation, evaluate, find_intervals
from incognote.evaluate.entity import count_tags
from incognote.evaluate.summary import HEADLINE

LABELS = ("DATE", "DOCTOR", "HOSPITAL", "PATIENT", "AGE", "MEDICALRECORD", "CITY", "PHONE")
NOTE_TOKENS = 600
# Meaney et al. 2022, Table 3: 4.6 % of the tokens of i2b2 2014 are PHI.
PHI_STARTS = 0.025
Report = dict[str, dict[str, float]]


def make_notes(tokens: int, seed: int = 0) -> list[tuple[Document, Document]]:
    """Gold and predicted notes; about 4 % of the spans are missed, 4 % mislabelled and 2 % cut short."""
    rng, pairs = Random(seed), []
    for number in range(tokens // NOTE_TOKENS):
        words = [rng.choice(("the", "patient", "denies", "pain", "Lee", "2067", "Boston", "was", "seen")) for _ in range(NOTE_TOKENS)]
        text = " ".join(words)
        places = word_tokens(text)
        gold, at = [], 0
        while at < len(places):
            if rng.random() < PHI_STARTS:
                last = min(at + rng.randrange(4), len(places) - 1)
                gold.append((at, last, rng.choice(LABELS)))
                at = last
            at += 1
        found = [
            (a, max(a, b - (rng.random() < 0.02)), rng.choice(LABELS) if rng.random() < 0.04 else c)
            for a, b, c in gold
            if rng.random() > 0.04
        ]
        spans = [tuple(Span(places[a][0], places[b][1], c) for a, b, c in side) for side in (gold, found)]
        pairs.append(tuple(Document(f"n{number}", text, patient=f"p{number // 4}", spans=side) for side in spans))
    return pairs


def make_tags(pairs: list[tuple[Document, Document]]) -> tuple[list[list[str]], list[list[str]]]:
    gold, found = [], []
    for one, two in pairs:
        pieces = cut_pieces(one.text, word_tokens(one.text))
        gold.append(spans_to_tags(pieces, one.spans))
        found.append(spans_to_tags(pieces, two.spans))
    return gold, found


def report_tags(gold: list[list[str]], found: list[list[str]], *, strict: bool) -> Report:
    """What classification_report gives, from incognote's counts."""
    counts = count_tags(gold, found, strict=strict)
    rows = {label: _row(each) for label, each in counts.items()}
    support = sum(row["support"] for row in rows.values())
    macro = {name: sum(row[name] for row in rows.values()) / len(rows) for name in ("precision", "recall", "f1-score")}
    weighted = {name: sum(row[name] * row["support"] for row in rows.values()) / support for name in ("precision", "recall", "f1-score")}
    micro = _row(sum(counts.values(), Counts()))
    return {**rows, "micro avg": micro, "macro avg": {**macro, "support": support}, "weighted avg": {**weighted, "support": support}}


def _row(counts: Counts) -> dict[str, float]:
    return {"precision": counts.precision, "recall": counts.recall, "f1-score": counts.f1, "support": counts.support}


def check_equal(ours: Report, theirs: Report) -> None:
    assert ours.keys() == theirs.keys(), (ours.keys(), theirs.keys())
    for name, row in ours.items():
        for measure, value in row.items():
            assert abs(value - theirs[name][measure]) < 1e-12, (name, measure)


def measure(tasks: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """The median seconds of each task, one of each in turn."""
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(repeats):
        for name, task in tasks.items():
            gc.collect()
            begin = perf_counter()
            task()
            times[name].append(perf_counter() - begin)
    return {name: median(each) for name, each in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--tokens", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    pairs = make_notes(options.tokens)
    gold, found = make_tags(pairs)
    ours, theirs = [one for one, _ in pairs], [two for _, two in pairs]
    strict = {"mode": "strict", "scheme": IOB2}

    def score_notes() -> Evaluation:
        return evaluate(ours, theirs, scheme=scheme("i2b2-2014"))

    default_report = classification_report(gold, found, output_dict=True)
    strict_report = classification_report(gold, found, output_dict=True, **strict)
    check_equal(report_tags(gold, found, strict=False), default_report)
    check_equal(report_tags(gold, found, strict=True), strict_report)
    evaluation = score_notes()
    check_equal(
        {label: _row(evaluation.counts(f"entity.type.{label}")) for label in LABELS}, {label: strict_report[label] for label in LABELS}
    )

    scores = [score for score, _ in HEADLINE]
    seconds = measure(
        {
            "seqeval": lambda: classification_report(gold, found, output_dict=True),
            "seqeval strict": lambda: classification_report(gold, found, output_dict=True, **strict),
            "tags": lambda: report_tags(gold, found, strict=False),
            "tags strict": lambda: report_tags(gold, found, strict=True),
            "notes": score_notes,
            "seqeval notes": lambda: classification_report(*make_tags(pairs), output_dict=True),
            "bootstrap": lambda: find_intervals(evaluation, scores),
        },
        options.repeats,
    )
    rows = (
        ("tags: seqeval classification_report, default", "seqeval", "seqeval"),
        ("tags: incognote, the same table", "tags", "seqeval"),
        ("tags: seqeval classification_report, strict IOB2", "seqeval strict", "seqeval strict"),
        ("tags: incognote, strict, the same table", "tags strict", "seqeval strict"),
        ("notes: seqeval classification_report, default", "seqeval notes", "seqeval notes"),
        ("notes: incognote, every score", "notes", "seqeval notes"),
    )
    size = f"{sum(map(len, gold)):,} tokens, {len(pairs)} notes, {evaluation.counts('entity').support:,} gold entities"
    print(f"{size}; medians of {options.repeats}")
    print(f"Python {platform.python_version()}, {platform.machine()}; outputs equal\n")
    print("| what | ms | times faster |\n|---|---:|---:|")
    for title, name, rival in rows:
        print(f"| {title} | {1000 * seconds[name]:.1f} | {seconds[rival] / seconds[name]:.1f} |")
    print(f"| incognote, 1,000 bootstrap resamples of {len(scores)} scores | {1000 * seconds['bootstrap']:.1f} | |")


if __name__ == "__main__":
    main()
