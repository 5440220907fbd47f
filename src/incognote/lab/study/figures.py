"""The figures of a report: F1 of each PHI type (the paper's Figure 3), learning curves, and cost against quality."""

from collections import Counter

from incognote.evaluate.report import Evaluation, Score, find_intervals
from incognote.lab.study.chart import Bar, draw_bars, draw_lines, draw_points
from incognote.lab.study.results import Results
from incognote.lab.training.run import Run


def make_figures(results: Results, *, resamples: int = 1000) -> dict[str, tuple[str, str, str]]:
    """Title, meaning and SVG of each figure, by the name of its file."""
    return {
        "figure3": _types(results, resamples),
        "learning-curves": _curves(results),
        "cost-and-quality": _costs(results),
    }


def _types(results: Results, resamples: int) -> tuple[str, str, str]:
    shown = [(run, results.evaluations[run.name]) for run in results.best if run.name in results.evaluations]
    support: Counter[str] = Counter()
    for _, evaluation in shown:
        support.update({label: evaluation.counts(f"token.type.{label}").support for label in evaluation.labels})
    labels = sorted(+support, key=lambda label: -support[label])
    bars = [_bars(evaluation, labels, resamples) for _, evaluation in shown]
    title = "Figure 3: F1 of each PHI type"
    meaning = f"Word tokens on {results.shown}, best run of each model, most frequent type first; whiskers are 95 % intervals."
    return title, meaning, draw_bars(labels, [run.title for run, _ in shown], bars, title=title)


def _bars(evaluation: Evaluation, labels: list[str], resamples: int) -> list[Bar]:
    scores = [Score(f"token.type.{label}", "f1") for label in labels]
    intervals = find_intervals(evaluation, scores, resamples=resamples)
    found = []
    for label, score in zip(labels, scores, strict=True):
        interval = intervals[score]
        value = evaluation.counts(f"token.type.{label}").f1
        found.append(Bar(value, interval.low, interval.high) if interval else Bar(value))
    return found


def _curves(results: Results) -> tuple[str, str, str]:
    series, lines = [], []
    for run in results.best:
        points = [(float(row["epoch"]), float(row["f1"])) for row in run.history]
        if len(points) < 2:
            points = _by_length(run, results)
        if points:
            series.append(run.title)
            lines.append(points)
    title = "Learning curves"
    meaning = "Validation F1 by epoch of the best runs; where lengths share a prefix, each point is the end of one length."
    return title, meaning, draw_lines(series, lines, title=title, x_name="epochs")


def _by_length(best: Run, results: Results) -> list[tuple[float, float]]:
    """The runs that differ from the best one in their number of epochs only."""
    same = {key: value for key, value in best.recipe.items() if key != "epochs"}
    rows = [
        run
        for run in results.runs
        if {k: v for k, v in run.recipe.items() if k != "epochs"} == same and run.model == best.model and run.cost
    ]
    return sorted((float(run.recipe["epochs"]), run.f1) for run in rows)


def _costs(results: Results) -> tuple[str, str, str]:
    models = [run.model for run in results.best]
    runs = [run for run in results.runs if run.cost and run.f1 > 0]
    best = {run.name for run in results.best}
    names = [run.title if run.name in best else "" for run in runs]
    points = [(max(0.1, float(run.cost["seconds_alone"])), run.f1) for run in runs]
    title = "Cost and quality"
    meaning = "Every run: seconds of training if it were trained alone, and validation F1; the best run of each model is named."
    return (
        title,
        meaning,
        draw_points(
            names,
            points,
            [models.index(run.model) if run.model in models else 7 for run in runs],
            title=title,
            x_name="seconds of training",
        ),
    )
