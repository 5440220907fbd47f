"""Prefix sharing beside separate training: the selected settings, their F1 and its noise over seeds, and the compute of each way."""

from collections.abc import Sequence
from statistics import fmean, stdev

from incognote.lab.study.results import Results
from incognote.lab.study.tables import Table
from incognote.lab.training.run import Run


def compare_sharing(one: Results, two: Results) -> Table:
    """The two ways side by side, for every model that both have."""
    shared, exact = (two, one) if one.study.get("exact") else (one, two)
    rows = []
    for model in dict.fromkeys(run.model for run in shared.runs):
        ours, theirs = ([run for run in side.runs if run.model == model and run.cost] for side in (shared, exact))
        if not ours or not theirs:
            continue
        for name, side in (("shared prefixes", ours), ("each alone", theirs)):
            best, values = select_settings(side)
            deviation = stdev(values) if len(values) > 1 else 0.0
            settings = f"{best.recipe['epochs']} epochs, rate {best.recipe['learning_rate']:g}"
            rows.append(
                [
                    model,
                    name,
                    settings,
                    f"{fmean(values):.4f}",
                    f"{deviation:.4f}",
                    f"{sum(r.cost['samples'] for r in side):,}",
                    f"{sum(r.cost['seconds'] for r in side):,.0f}",
                ]
            )
        share = sum(r.cost["samples"] for r in ours) / sum(r.cost["samples"] for r in theirs)
        rows.append([model, "shared ÷ alone", "", "", "", f"{100 * share:.1f} %", f"{100 * _seconds(ours) / _seconds(theirs):.1f} %"])
    meaning = (
        "The settings with the highest mean validation F1 over seeds, their deviation over seeds, and the training it took to find them."
    )
    head = ["Model", "Way", "Selected settings", "Mean validation F1", "Deviation over seeds", "Samples trained", "Seconds"]
    return Table("Shared prefixes beside separate runs", meaning, head, rows)


def select_settings(runs: Sequence[Run]) -> tuple[Run, list[float]]:
    """The settings with the best mean over seeds: one of their runs, and the F1 of each seed."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        settings = {key: value for key, value in run.recipe.items() if key not in ("seed", "schedule")}
        groups.setdefault(str(sorted(settings.items(), key=str)), []).append(run)
    group = max(groups.values(), key=lambda g: sum(run.f1 for run in g) / len(g))
    return group[0], [run.f1 for run in group]


def _seconds(runs: Sequence[Run]) -> float:
    return sum(float(run.cost["seconds"]) for run in runs) or 1.0
