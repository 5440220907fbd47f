"""The paper's Tables 1 to 6 regenerated from Runs, each as plain rows of text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from incognote.lab.study.results import Results
from incognote.lab.training.run import Run

_OBJECTIVES = {
    "bert": "MLM/NSP",
    "roberta": "MLM",
    "albert": "MLM/SOP",
    "distilbert": "MLM, distilled",
    "mpnet": "MPLM",
    "xlnet": "PLM",
    "deberta-v2": "RTD",
    "modernbert": "MLM",
}
_PARTS = {"train": "Train", "validation": "Validation", "test": "Test"}


@dataclass(frozen=True, slots=True)
class Table:
    """A title, what it shows, a head and rows."""

    title: str
    meaning: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def make_tables(results: Results) -> list[Table]:
    """Tables 1 to 6 in the paper's order."""
    return [_sizes(results), _grid(results), _census(results), _chosen(results), _scores(results), _throughput(results)]


def _sizes(results: Results) -> Table:
    head = [
        "Model",
        "Size (GB)",
        "Number parameters",
        "Layers",
        "Vocabulary",
        "Embedding",
        "Attention",
        "Feed forward",
        "Dropout",
        "Activation",
        "Parameter sharing",
        "Objective",
    ]
    rows = []
    for run in results.best:
        shape = run.shape
        rows.append(
            [
                run.title,
                f"{4 * run.parameters / 2**30:.2f}",
                f"{run.parameters:,}",
                _text(shape.get("layers")),
                _number(shape.get("vocabulary")),
                _text(shape.get("embedding")),
                _text(shape.get("hidden")),
                _text(shape.get("feed_forward")),
                _text(shape.get("dropout")),
                str(shape.get("activation", "")).upper(),
                str(bool(shape.get("shares_layers"))),
                _OBJECTIVES.get(str(shape.get("family")), "–"),
            ]
        )
    return Table(
        "Table 1: Model size and architecture", "Size is that of the weights in fp32, with the head for this study's tags.", head, rows
    )


def _grid(results: Results) -> Table:
    models = results.study["study"]["models"]
    common = results.study["study"]["recipe"]
    keys = list(dict.fromkeys(key for model in models for key in model["grid"]))
    rows = []
    for model in models:
        settings = {**common, **model["recipe"]}
        rows.append(
            [model["name"], _text(settings.get("batch", 16)), *(_values(model["grid"].get(key, [settings.get(key, "")])) for key in keys)]
        )
    runs = len(results.runs)
    how = "each trained separately" if results.study.get("exact") else "lengths share a prefix"
    seeds = ", ".join(map(str, results.study["study"]["seeds"]))
    return Table(
        "Table 2: Hyper-parameter grid",
        f"{runs} runs done, {how}; seeds {seeds}.{_say_collapsed(results)}",
        ["Model", "Batch size", *map(_title, keys)],
        rows,
    )


def _say_collapsed(results: Results) -> str:
    """The runs that did not learn: they broke off, or have less than half of the F1 that their model reached elsewhere."""
    reached = {run.title: run.f1 for run in results.best}
    lost = [run.name for run in results.runs if not run.f1 or run.f1 < reached[run.title] / 2]
    return f" {len(lost)} did not learn: {', '.join(lost)}." if lost else ""


def _census(results: Results) -> Table:
    parts = {name: part for name, part in results.corpus.get("parts", {}).items() if name != "total"}
    labels = next(iter(parts.values()))["types"] if parts else {}
    rows = [
        [label, *(f"{part['types'][label]['tokens']:,} ({part['types'][label]['percent']:.4f})" for part in parts.values())]
        for label in labels
    ]
    rows.append(["Notes", *(f"{part['notes']:,}" for part in parts.values())])
    rows.append(["Tokens", *(f"{part['tokens']:,}" for part in parts.values())])
    head = ["", *(f"{_PARTS.get(name, name)} count (percent)" for name in parts)]
    return Table("Table 3: PHI in each part of the corpus", "Word tokens that carry each PHI type.", head, rows)


def _chosen(results: Results) -> Table:
    keys = ["batch", "epochs", "learning_rate", "weight_decay"]
    extra = [k for model in results.study["study"]["models"] for k in model["grid"] if k not in keys]
    keys += list(dict.fromkeys(extra))
    published = results.published.get("best", {})
    rows = []
    for run in results.best:
        row = [run.title, *(_text(run.recipe.get(key)) for key in keys), f"{run.f1:.4f}"]
        rows.append([*row, " / ".join(f"{value:g}" for value in published.get(run.model, []))] if published else row)
    head = ["Model", *map(_title, keys), "Validation F1", *([f"{results.published['title']}"] if published else [])]
    return Table("Table 4: Best hyper-parameters", "The run of each model with the highest validation F1.", head, rows)


def _scores(results: Results) -> Table:
    parts = [part for part in _PARTS if any(part in run.scores for run in results.best)]
    measures = ("precision", "recall", "F1", "accuracy")
    rows = []
    for run in results.best:
        rows.append([run.title, *(cell for part in parts for cell in _part_scores(run, part))])
        for part_rows in [results.published.get(part, {}).get(run.model) for part in parts][:1]:
            if part_rows:
                numbers = [f"{v:.4f}" for part in parts for v in results.published.get(part, {}).get(run.model, [""] * 4)]
                rows.append([f"{run.model}, {results.published['title']}", *numbers])
    head = ["Model", *(f"{_PARTS[part]} {measure}" for part in parts for measure in measures)]
    meaning = "Word tokens, B and I made one, micro over PHI types; accuracy over all tokens."
    return Table("Table 5: Precision, recall, F1 and accuracy of the best runs", meaning, head, rows)


def _part_scores(run: Run, part: str) -> list[str]:
    if part not in run.scores:
        return ["–"] * 4
    counts = run.counts(part, "token")
    return [f"{value:.4f}" for value in (counts.precision, counts.recall, counts.f1, run.ratio(part, "token.accuracy"))]


def _throughput(results: Results) -> Table:
    published = results.published.get("throughput", {})
    rows = []
    for run in results.best:
        cost = run.cost
        memory = f"{cost['peak_memory'] / 2**30:.1f}" if cost.get("peak_memory") else "–"
        row = [
            run.title,
            f"{cost.get('samples_per_second', 0):.3f}",
            f"{cost.get('steps_per_second', 0):.3f}",
            f"{cost.get('seconds', 0):.1f}",
            memory,
            str(cost.get("device", "")),
        ]
        rows.append([*row, " / ".join(f"{value:.3f}" for value in published.get(run.model, []))] if published else row)
    head = ["Model", "Samples per second", "Steps per second", "Seconds", "Peak memory (GiB)", "Device"]
    head += [f"{results.published['title']} (V100)"] if published else []
    meaning = "Training alone, of the best run of each model; where lengths share a prefix, what this run added to it."
    return Table("Table 6: Training time", meaning, head, rows)


def _values(values: Sequence[Any]) -> str:
    return "(" + ", ".join(_text(value) for value in values) + ")" if len(values) > 1 else _text(values[0])


def _title(key: str) -> str:
    return {"epochs": "Number epochs", "batch": "Batch size"}.get(key, key.replace("_", " ").capitalize())


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6f}".rstrip("0").rstrip(".") or "0"
    return "–" if value is None else str(value)


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else "–"
