"""An evaluation in tables: every score with its interval, in groups, and a comparison of two systems."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from incognote.evaluate.bootstrap import LEVEL, RESAMPLES, Difference, Interval, list_ends
from incognote.evaluate.confusion import rank_confusions
from incognote.evaluate.counts import Counts, Macro, Ratio
from incognote.evaluate.i2b2 import LEVELS, SUBSETS
from incognote.evaluate.report import Evaluation, Score, compare, find_intervals

MEASURES = ("precision", "recall", "f1")
MACRO_MEASURES = ("macro-precision", "macro-recall", "macro-f1")

_SUBSET_TITLES = {"all": "", "hipaa": ", HIPAA", "hipaa-idnum": ", HIPAA with IDNUM"}

# Each group: its title, what it is, and the counts in it with their titles.
GROUPS: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = (
    (
        "Tokens",
        "word tokens as in Meaney et al. 2022: B and I made one, micro over PHI types, O left out",
        (("token", "typed"), ("token.binary", "PHI or not")),
    ),
    ("Entities", "exact label, start and end; seqeval strict", (("entity", "typed"),)),
    ("Characters", "letters and digits hidden or left, whatever the label", (("characters", "label-blind"),)),
    (
        "i2b2 2014",
        "the official scores; the official HIPAA subset never counts IDNUM, so both readings are given",
        tuple(
            (f"i2b2.{level}.{subset}{binary}", f"{level}{_SUBSET_TITLES[subset]}{', binary' if binary else ''}")
            for binary in ("", ".binary")
            for subset in SUBSETS
            for level in LEVELS
        ),
    ),
    (
        "MEDDOCAN",
        "the official scores; joined compares the joined spans only",
        (
            ("meddocan.ner", "NER"),
            ("meddocan.spans", "spans, strict"),
            ("meddocan.merged", "spans, merged"),
            ("meddocan.joined", "spans, joined"),
        ),
    ),
)
FIGURES = (
    ("token.accuracy", "token accuracy", "of all tokens, O included"),
    ("clean", "notes with nothing leaked", "of all notes"),
    ("meddocan.leak", "leak score", "missed spans per sentence (MEDDOCAN)"),
)
HEADLINE = (
    (Score("token", "precision"), "token precision"),
    (Score("token", "recall"), "token recall"),
    (Score("token", "f1"), "token F1"),
    (Score("token.accuracy", "value"), "token accuracy"),
    (Score("token.binary", "recall"), "token recall, PHI or not"),
    (Score("entity", "f1"), "entity F1"),
    (Score("i2b2.relaxed.all", "f1"), "i2b2 relaxed F1"),
    (Score("i2b2.strict.hipaa", "f1"), "i2b2 strict F1, HIPAA"),
    (Score("meddocan.merged", "f1"), "MEDDOCAN spans merged F1"),
    (Score("characters", "recall"), "character recall"),
    (Score("characters", "precision"), "character precision"),
    (Score("clean", "value"), "notes with nothing leaked"),
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A score and its interval; no interval where every resample left it undefined."""

    value: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a table of precision, recall and F1; ``macro`` holds the means over documents."""

    name: str
    title: str
    counts: Counts
    precision: Estimate
    recall: Estimate
    f1: Estimate
    macro: Macro | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """One score of a single number."""

    name: str
    title: str
    meaning: str
    ratio: Ratio
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class Contrast:
    """One score of two systems and how they differ."""

    score: Score
    title: str
    one: float
    two: float
    difference: Difference | None


@dataclass(frozen=True, slots=True)
class Summary:
    """All that is shown of an evaluation."""

    evaluation: Evaluation
    groups: tuple[tuple[str, str, tuple[Line, ...]], ...]
    types: tuple[Line, ...]
    entity_types: tuple[Line, ...]
    figures: tuple[Figure, ...]
    contrasts: tuple[Contrast, ...]
    resamples: int
    seed: int


def summarize(evaluation: Evaluation, *, against: Evaluation | None = None, resamples: int = RESAMPLES, seed: int = 0) -> Summary:
    """The evaluation with intervals from one bootstrap, and the paired differences when there is another to compare with."""
    names = evaluation.names
    groups = [(title, meaning, [line for line in lines if line[0] in names]) for title, meaning, lines in GROUPS]
    counts = [name for _, _, members in groups for name, _ in members]
    counts += [f"{kind}.type.{label}" for kind in ("token", "entity") for label in evaluation.labels]
    scores = [Score(name, measure) for name in counts for measure in (*MEASURES, *(MACRO_MEASURES if name.startswith("i2b2.") else ()))]
    scores += [Score(name, "value") for name, _, _ in FIGURES]
    intervals = find_intervals(evaluation, scores, resamples=resamples, seed=seed)

    def estimate(name: str, measure: str) -> Estimate:
        return Estimate(evaluation.value(Score(name, measure)), intervals[Score(name, measure)])

    def make_line(name: str, title: str) -> Line:
        macro = evaluation.macro(name) if name.startswith("i2b2.") else None
        precision, recall, f1 = (estimate(name, measure) for measure in MEASURES)
        return Line(name, title, evaluation.counts(name), precision, recall, f1, macro)

    def make_types(kind: str) -> tuple[Line, ...]:
        lines = (make_line(f"{kind}.type.{label}", label) for label in evaluation.labels)
        return tuple(sorted(lines, key=lambda line: (-line.counts.support, line.title)))

    return Summary(
        evaluation,
        tuple((title, meaning, tuple(make_line(*each) for each in members)) for title, meaning, members in groups),
        make_types("token"),
        make_types("entity"),
        tuple(Figure(name, title, meaning, evaluation.ratio(name), estimate(name, "value")) for name, title, meaning in FIGURES),
        contrast(evaluation, against, resamples=resamples, seed=seed) if against else (),
        resamples,
        seed,
    )


def contrast(one: Evaluation, two: Evaluation, *, resamples: int = RESAMPLES, seed: int = 0) -> tuple[Contrast, ...]:
    """The headline scores of two systems, paired by patient."""
    chosen = [(score, title) for score, title in HEADLINE if score.counts in one.names]
    differences = compare(one, two, [score for score, _ in chosen], resamples=resamples, seed=seed)
    return tuple(Contrast(score, title, one.value(score), two.value(score), differences[score]) for score, title in chosen)


def as_dict(summary: Summary) -> dict[str, object]:
    """All of it for JSON: counts, scores, intervals, confusions, and where each leak is. No text of any note."""
    evaluation = summary.evaluation
    return {
        "documents": len(evaluation.documents),
        "patients": len(set(evaluation.patients)),
        "tokens": sum(evaluation.pairs.values()),
        "scheme": evaluation.scheme,
        "missing": list(evaluation.missing),
        "ignored": list(evaluation.ignored),
        "bootstrap": {"resamples": summary.resamples, "seed": summary.seed, "level": LEVEL, "unit": "patient"},
        "scores": {line.name: _line_dict(line) for _, _, lines in summary.groups for line in lines},
        "figures": {
            each.name: {**asdict(each.ratio), "value": each.estimate.value, "interval": list_ends(each.estimate.interval)}
            for each in summary.figures
        },
        "types": {line.title: _line_dict(line) for line in summary.types},
        "entity_types": {line.title: _line_dict(line) for line in summary.entity_types},
        "confusions": [asdict(each) for each in rank_confusions(evaluation.pairs)],
        "leaks": [asdict(leak) for leak in evaluation.leaks],
        "contrasts": [_contrast_dict(each) for each in summary.contrasts],
    }


def _line_dict(line: Line) -> dict[str, object]:
    estimates: Sequence[tuple[str, Estimate]] = (("precision", line.precision), ("recall", line.recall), ("f1", line.f1))
    return {
        **asdict(line.counts),
        "support": line.counts.support,
        **{name: estimate.value for name, estimate in estimates},
        "intervals": {name: list_ends(estimate.interval) for name, estimate in estimates},
        **({"macro": {**asdict(line.macro), "f1": line.macro.f1}} if line.macro else {}),
    }


def _contrast_dict(each: Contrast) -> dict[str, object]:
    found = each.difference
    return {
        "counts": each.score.counts,
        "measure": each.score.measure,
        "one": each.one,
        "two": each.two,
        "difference": found.value if found else each.one - each.two,
        "interval": list_ends(found.interval) if found else None,
        "p": found.p if found else None,
    }
