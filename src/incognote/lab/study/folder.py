"""The folder of a study: its plan, one JSON for each Run, and the checkpoints, evaluations and predictions of the best."""

import gzip
import json
import shutil
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from incognote.corpora.files import write_whole
from incognote.document import Document, Span
from incognote.errors import ConfigError
from incognote.evaluate.counts import Counts, Ratio
from incognote.evaluate.report import Evaluation
from incognote.lab.training.run import Run, read_run, write_run


class StudyFolder:
    """Paths, reading and writing; every file appears whole or not at all."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def checkpoints(self) -> Path:
        return self.path / "checkpoints"

    @property
    def progress(self) -> Path:
        return self.path / "progress"

    @property
    def priorities(self) -> Path:
        """The priorities of the rules beside the best model."""
        return self.path / "priorities.json"

    def run_file(self, name: str) -> Path:
        return self.path / "runs" / f"{name}.json"

    def has_run(self, name: str) -> bool:
        return self.run_file(name).exists()

    def write_run(self, run: Run) -> None:
        write_run(run, self.run_file(run.name))

    def read_runs(self) -> list[Run]:
        """All Runs, by name."""
        return [read_run(file) for file in sorted((self.path / "runs").glob("[!.]*.json"))]

    def write_table(self, name: str, table: object) -> None:
        """A JSON file beside the runs."""
        write_whole(self.path / f"{name}.json", json.dumps(table, indent=1, ensure_ascii=False).encode())

    def read_table(self, name: str) -> Any:
        """What :meth:`write_table` wrote; None when it is not there."""
        file = self.path / f"{name}.json"
        return _parse(file, file.read_bytes) if file.exists() else None

    def write_evaluation(self, name: str, part: str, evaluation: Evaluation) -> None:
        """The counts of every document, for intervals and paired tests; ids and counts only."""
        tallies = [{key: _row(counts) for key, counts in tally.items()} for tally in evaluation.tallies]
        pairs = [[*pair, count] for pair, count in sorted(evaluation.pairs.items())]
        table = {"documents": evaluation.documents, "patients": evaluation.patients, "tallies": tallies, "pairs": pairs}
        write_whole(self._evaluation(name, part), gzip.compress(json.dumps(table | {"scheme": evaluation.scheme}).encode(), mtime=0))

    def read_evaluation(self, name: str, part: str) -> Evaluation | None:
        """What :meth:`write_evaluation` wrote; None when it is not there. Leaks are not kept."""
        file = self._evaluation(name, part)
        if not file.exists():
            return None
        table = _parse(file, lambda: gzip.decompress(file.read_bytes()))
        return Evaluation(
            documents=tuple(table["documents"]),
            patients=tuple(table["patients"]),
            tallies=tuple({key: _counts(row) for key, row in tally.items()} for tally in table["tallies"]),
            pairs={(gold, found): count for gold, found, count in table["pairs"]},
            leaks=(),
            missing=(),
            ignored=(),
            scheme=table["scheme"],
        )

    def write_predictions(self, name: str, part: str, documents: Sequence[Document], found: Sequence[tuple[Span, ...]]) -> None:
        """Ids and offsets of what was found; no text."""
        lines = (
            json.dumps({"id": document.id, "spans": [[span.start, span.end, span.label, round(span.score, 4)] for span in spans]})
            for document, spans in zip(documents, found, strict=True)
        )
        write_whole(self.path / "predictions" / f"{name}.{part}.jsonl.gz", gzip.compress("\n".join(lines).encode(), mtime=0))

    def prune(self, keep: int) -> None:
        """Remove the weights of all but the best ``keep`` runs of each model."""
        kept = {run.name for group in group_best(self.read_runs(), keep) for run in group}
        for folder in self.checkpoints.glob("[!.]*"):
            if self.has_run(folder.name) and folder.name not in kept:
                shutil.rmtree(folder, ignore_errors=True)

    def _evaluation(self, name: str, part: str) -> Path:
        return self.path / "evaluations" / f"{name}.{part}.json.gz"


def group_best(runs: Iterable[Run], keep: int = 1) -> list[list[Run]]:
    """For each model its best runs by validation F1, best first; at equal F1 the shorter training wins."""
    models: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        models.setdefault((run.model, run.held_out), []).append(run)
    return [sorted(group, key=_rank)[:keep] for group in models.values()]


def ranks_among(f1: float, epochs: int, name: str, rivals: Iterable[Run], keep: int) -> bool:
    """Whether a run with this F1 would be among the best ``keep`` of its model, by the order of :func:`group_best`."""
    return sum(_rank(rival) < (-f1, epochs, name) for rival in rivals) < keep


def _rank(run: Run) -> tuple[float, int, str]:
    return -run.f1, int(run.recipe.get("epochs", 0)), run.name


def open_study(path: Path) -> StudyFolder:
    """The folder of a study that has runs."""
    folder = StudyFolder(path)
    if not path.is_dir() or not folder.read_table("study"):
        raise ConfigError(str(path), ["not the folder of a study; make one with incognote study run STUDY.toml -o FOLDER"])
    return folder


def _parse(file: Path, read: Callable[[], bytes]) -> Any:
    try:
        return json.loads(read())
    except (ValueError, EOFError, gzip.BadGzipFile, zlib.error):
        raise ConfigError(str(file), ["is damaged; remove it and run the study again"]) from None


def _row(counts: Counts | Ratio) -> list[int]:
    return [counts.tp, counts.fp, counts.fn] if isinstance(counts, Counts) else [counts.part, counts.whole]


def _counts(row: Sequence[int]) -> Counts | Ratio:
    return Counts(*row) if len(row) == 3 else Ratio(*row)
