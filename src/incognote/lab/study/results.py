"""What a report is made from: the runs of a study's folder, the best of each model, their evaluations, and the corpus."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from incognote.errors import ConfigError
from incognote.evaluate.report import Evaluation
from incognote.lab.study.folder import StudyFolder, group_best
from incognote.lab.study.published import read_published
from incognote.lab.training.run import Run


@dataclass(frozen=True, slots=True)
class Results:
    """``best`` has one run for each model, by validation F1; ``shown`` is the part its figures show: test, or validation without one."""

    study: Mapping[str, Any]
    corpus: Mapping[str, Any]
    runs: Sequence[Run]
    best: Sequence[Run]
    systems: Sequence[Mapping[str, Any]]
    evaluations: Mapping[str, Evaluation]
    shown: str
    published: Mapping[str, Any]

    @property
    def title(self) -> str:
        return str(self.study.get("title") or self.study["name"])


def gather_results(folder: StudyFolder) -> Results:
    """Everything the report needs, read from the folder."""
    study, corpus = folder.read_table("study"), folder.read_table("corpus") or {}
    runs = folder.read_runs()
    if not runs:
        raise ConfigError(str(folder.path), ["the study has no finished run yet; continue it with incognote study run"])
    best = sorted((group[0] for group in group_best(runs)), key=lambda run: -run.f1)
    systems = folder.read_table("systems") or []
    shown = "test" if any("test" in run.scores for run in best) else "validation"
    names = [*(run.name for run in best), *(system["name"] for system in systems)]
    evaluations = {name: found for name in names if (found := folder.read_evaluation(name, shown))}
    return Results(study, corpus, runs, best, systems, evaluations, shown, _published(study, corpus))


def _published(study: Mapping[str, Any], corpus: Mapping[str, Any]) -> Mapping[str, Any]:
    """The published numbers, only where the corpus is the one they were measured on."""
    found = read_published().get(study.get("published", ""), {})
    return found if found.get("notes") == corpus.get("notes") else {}
