"""What the report adds to the paper: every score, tests between models, confusions, systems, and the price of the study."""

from collections.abc import Iterator
from itertools import pairwise
from statistics import fmean, stdev

from incognote.evaluate.bootstrap import ONE_PATIENT, Interval
from incognote.evaluate.report import Score, compare, find_intervals
from incognote.evaluate.summary import FIGURES, GROUPS
from incognote.lab.study.results import Results
from incognote.lab.study.study import slug
from incognote.lab.study.tables import Table
from incognote.lab.training.run import Run

_MAIN = (Score("token", "f1"), Score("entity", "f1"), Score("characters", "recall"))


def make_comparisons(results: Results, *, resamples: int = 1000) -> list[Table]:
    """The further tables, those with nothing to show left out."""
    found = [
        _systems(results, resamples),
        _tests(results, resamples),
        _every_score(results),
        _confusions(results),
        _left_out(results),
        _seeds(results),
        _price(results),
        _notes(results),
    ]
    return [table for table in found if table.rows]


def _systems(results: Results, resamples: int) -> Table:
    rows = []
    for name, kind, members, validation in _entries(results):
        evaluation = results.evaluations.get(name)
        if evaluation is None:
            continue
        intervals = find_intervals(evaluation, _MAIN, resamples=resamples)
        cells = [f"{evaluation.value(score):.4f}{_range(intervals[score])}" for score in _MAIN]
        rows.append([kind, members, f"{validation:.4f}", *cells])
    head = [
        "System",
        "Members",
        "Validation F1",
        f"Token F1, {results.shown}",
        f"Whole-span F1, {results.shown}",
        f"Character recall, {results.shown}",
    ]
    meaning = "Models, ensembles (probabilities averaged on characters), and rules beside the best model; patient-clustered 95 % intervals."
    if results.shown == "validation":
        meaning += " The validation notes chose these runs and members, so the figures flatter them a little."
    return Table("Systems", meaning, head, rows)


def _entries(results: Results) -> Iterator[tuple[str, str, str, float]]:
    for run in results.best:
        yield run.name, run.title, "1", run.f1
    for system in results.systems:
        if system["kind"] == "hybrid":
            yield system["name"], "Rules and best model", str(len(system["members"])), system["f1"]
        elif len(set(system["members"])) > 1:
            yield system["name"], f"Ensemble, {system['kind'].replace('-', ' ')}", str(len(system["members"])), system["f1"]


def _tests(results: Results, resamples: int) -> Table:
    ranked = [entry for entry in sorted(_entries(results), key=lambda e: -e[3]) if entry[0] in results.evaluations]
    rows = []
    for one, two in pairwise(ranked):
        a, b = results.evaluations[one[0]], results.evaluations[two[0]]
        if a.documents != b.documents:
            continue
        for score, difference in compare(a, b, _MAIN[:2], resamples=resamples).items():
            if difference:
                span, p = difference.interval, difference.p
                ends = f"{span.low:+.4f} to {span.high:+.4f}" if span else ONE_PATIENT
                what = "token F1" if score.counts == "token" else "whole-span F1"
                rows.append([f"{one[1]} − {two[1]}", what, f"{difference.value:+.4f}", ends, "" if p is None else f"{p:.3f}"])
    meaning = f"Paired bootstrap over patients on {results.shown}: the same patients are drawn for both. Neighbours by validation F1."
    return Table("Tests between models", meaning, ["Difference", "Score", "Value", "95 % interval", "p"], rows)


def _every_score(results: Results) -> Table:
    names = [(counts, f"{group}, {title}") for group, _, lines in GROUPS for counts, title in lines]
    runs = [run for run in results.best if results.shown in run.scores]
    rows = []
    for counts, title in names:
        if any(counts in run.scores[results.shown] for run in runs):
            found = [run.counts(results.shown, counts) for run in runs]
            rows.append([title, *(f"{c.precision:.4f} / {c.recall:.4f} / {c.f1:.4f}" for c in found)])
    for counts, title, _ in FIGURES:
        if any(counts in run.scores[results.shown] for run in runs):
            rows.append([title, *(f"{run.ratio(results.shown, counts):.4f}" for run in runs)])
    return Table("Every score", f"Precision / recall / F1 on {results.shown}.", ["Score", *(run.title for run in runs)], rows)


def _confusions(results: Results) -> Table:
    rows = []
    for run in results.best:
        for gold, found, count in list(run.confusions.get(results.shown, ()))[:6]:
            rows.append([run.title, gold, found, f"{count:,}"])
    return Table(
        "Confusions",
        f"The most frequent wrong labels of word tokens on {results.shown}; O is no PHI.",
        ["Model", "Gold", "Found", "Tokens"],
        rows,
    )


def _left_out(results: Results) -> Table:
    rows = [
        [run.held_out, run.model, f"{run.f1:.4f}", f"{run.counts('test', 'token').f1:.4f}", f"{run.counts('test', 'entity').f1:.4f}"]
        for run in results.best
        if run.held_out
    ]
    head = ["Corpus left out", "Model", "Validation F1, others", "Token F1", "Whole-span F1"]
    return Table("Corpora left out", "Trained on the other corpora, tested on the one that was left out.", head, sorted(rows))


def _seeds(results: Results) -> Table:
    groups: dict[tuple[str, str, str], list[Run]] = {}
    for run in results.runs:
        settings = {key: value for key, value in run.recipe.items() if key != "seed"}
        groups.setdefault((run.model, run.held_out, str(sorted(settings.items(), key=str))), []).append(run)
    rows = []
    for group in groups.values():
        if len(group) > 1:
            values = [run.f1 for run in group]
            rows.append(
                [
                    _name_settings(group[0]),
                    str(len(values)),
                    f"{fmean(values):.4f}",
                    f"{stdev(values):.4f}",
                    f"{min(values):.4f} to {max(values):.4f}",
                ]
            )
    rows.sort(key=lambda row: row[2], reverse=True)
    return Table(
        "Seeds",
        "Validation F1 of the same settings over seeds, best first.",
        ["Settings", "Seeds", "Mean", "Deviation", "Range"],
        rows[:20],
    )


def _name_settings(run: Run) -> str:
    """The name of the run without its seed."""
    left_out = f"-without-{slug(run.held_out)}" if run.held_out else ""
    return run.name.removesuffix(left_out).removesuffix(f"-s{run.seed}") + left_out


def _price(results: Results) -> Table:
    rows = []
    for model in dict.fromkeys(run.model for run in results.runs):
        runs = [run for run in results.runs if run.model == model and run.cost]
        trained = sum(run.cost["samples"] for run in runs)
        alone = sum(_alone(run) for run in runs)
        seconds = sum(run.cost["seconds"] for run in runs)
        rows.append(
            [model, str(len(runs)), f"{trained:,}", f"{alone:,}", f"{100 * trained / alone:.1f} %" if alone else "–", f"{seconds:,.0f}"]
        )
    head = ["Model", "Runs", "Samples trained", "Samples if each run were alone", "Share", "Seconds"]
    return Table("The price of the study", "Training samples seen, the measure of compute that needs no clock.", head, rows)


def _alone(run: Run) -> int:
    """The samples of a run trained from its start."""
    return int(run.cost["samples_alone"])


def _notes(results: Results) -> Table:
    rows = [[run.name, note] for run in results.runs for note in run.notes]
    return Table("What happened", "Runs that had to change course or stop.", ["Run", "Note"], rows)


def _range(interval: Interval | None) -> str:
    return f" ({interval.low:.4f} to {interval.high:.4f})" if interval else ""
