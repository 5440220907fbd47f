"""Systems made of a study's best checkpoints: ensembles, and rules with an encoder; scored beside the single models."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from incognote.document import Document, Span
from incognote.find.model.decoding import Scores, decode
from incognote.find.model.ensemble import average
from incognote.find.model.tagger import EncoderTagger
from incognote.lab.study.folder import StudyFolder, group_best
from incognote.lab.study.hybrid import fit_priorities, labels_of, merge_layers, name_rule_labels
from incognote.lab.training.data import Splits
from incognote.lab.training.run import Run, evaluate_part, total
from incognote.lab.training.tasks.tagging import score_quickly
from incognote.priorities import name_roles, save_priorities

SINGLE, BEST_OF_EACH, ALL_KEPT, SELECTED, HYBRID = "single", "best-of-each", "all-kept", "selected", "hybrid"
_PARTS = ("validation", "test")
_MOST = 6  # members of an ensemble, those counted again too
_CANDIDATES = 10  # what is tried at each step of the selection; more take long and seldom win


@dataclass(frozen=True, slots=True)
class System:
    """Runs whose probabilities are averaged, each counted as often as it is named; ``f1`` is on validation.

    A hybrid has rules beside them, merged by the priority of each rule.
    """

    kind: str
    members: tuple[str, ...]
    f1: float
    scores: dict[str, dict[str, list[int]]]
    priorities: dict[str, str] | None = None

    @property
    def name(self) -> str:
        """The name its evaluations are kept under."""
        return f"system-{self.kind}"


class Member:
    """A kept checkpoint and its scores on the splits of the data, computed once."""

    def __init__(self, run: Run, folder: StudyFolder, splits: Splits) -> None:
        self.run = run
        self.tagger = open_tagger(folder, run)
        self.tags = self.tagger.tags
        self.scores = {part: self.tagger.scores([d.text for d in splits.of(part)]) for part in _PARTS}


def open_tagger(folder: StudyFolder, run: Run) -> EncoderTagger:
    """The tagger over a run's checkpoint."""
    return EncoderTagger(str(folder.checkpoints / run.name))


def build_systems(folder: StudyFolder, splits: Splits, *, say: Callable[[str], None] = lambda line: None) -> list[System]:
    """Every system that can be made of the kept checkpoints, scored and written to the folder, best first."""
    keep = int((folder.read_table("study") or {}).get("keep", 1))
    groups = group_best(folder.read_runs(), keep)
    kept = [run for group in groups for run in group if (folder.checkpoints / run.name).is_dir()]
    members = [Member(run, folder, splits) for run in kept]
    if not members:
        return []
    leaders = [member for group in groups for member in members if group and member.run.name == group[0].name]
    best = max(members, key=lambda member: member.run.f1)
    choices = {SINGLE: [best]}
    if len(leaders) > 1:
        choices[BEST_OF_EACH] = leaders
    if len(members) > len(leaders):
        choices[ALL_KEPT] = members
    if len(members) > 1:
        choices[SELECTED] = select_members(sorted(members, key=lambda member: -member.run.f1)[:_CANDIDATES], splits)
    systems = [_score_system(kind, chosen, folder, splits) for kind, chosen in choices.items()]
    if name_rule_labels(labels_of(best.tags)):
        systems += [_score_system(HYBRID, [best], folder, splits)]
    systems.sort(key=lambda system: (-system.f1, len(system.members)))
    folder.write_table("systems", [asdict(system) | {"name": system.name} for system in systems])
    for system in systems:
        say(f"{system.kind}: validation F1 {system.f1:.4f}, {len(system.members)} member(s)")
    return systems


def select_members(members: Sequence[Member], splits: Splits) -> list[Member]:
    """Add the member that helps most on validation, one already in again too, until none helps (Caruana et al. 2004)."""
    chosen: list[Member] = []
    joined: list[Scores] = []
    best = -1.0
    while len(chosen) < _MOST:
        trials = []
        for at, member in enumerate(members):
            mixed = _mix(joined, len(chosen), member.scores["validation"], member.tags)
            trials.append((_score(mixed, member, splits), -at, mixed))
        f1, at, mixed = max(trials, key=lambda trial: trial[:2])
        if f1 <= best:
            break
        best, joined = f1, mixed
        chosen.append(members[-at])
    return chosen


def _mix(joined: list[Scores], count: int, added: list[Scores], tags: Sequence[str]) -> list[Scores]:
    """The average of ``count`` members and one more; each step needs the last average alone."""
    if not count:
        return added
    return [average([one, other], [float(count), 1.0], tags) for one, other in zip(joined, added, strict=True)]


def _score(scores: Sequence[Scores], member: Member, splits: Splits) -> float:
    found = [decode(document.text, each, member.tags) for document, each in zip(splits.validation, scores, strict=True)]
    return score_quickly(splits.validation, found, member.run.recipe.get("select", "strict"))["f1"]


def find_together(members: Sequence[Member], documents: Sequence[Document], part: str) -> list[tuple[Span, ...]]:
    """The spans of the members' averaged probabilities."""
    found = []
    for at, document in enumerate(documents):
        layers: list[Scores] = [member.scores[part][at] for member in members]
        joined = layers[0] if len(layers) == 1 else average(layers, [1.0] * len(layers), members[0].tags)
        found.append(decode(document.text, joined, members[0].tags, source="model.study"))
    return found


def _score_system(kind: str, members: Sequence[Member], folder: StudyFolder, splits: Splits) -> System:
    recipe = members[0].run.as_recipe()
    labels = labels_of(members[0].tags)
    found = {part: find_together(members, splits.of(part), part) for part in _PARTS if splits.of(part)}
    named: dict[str, str] | None = None
    if kind == HYBRID:
        priorities = fit_priorities(splits.validation, found["validation"], labels)
        found = {part: merge_layers(splits.of(part), spans, priorities, labels) for part, spans in found.items()}
        named = name_roles(priorities)
        save_priorities(priorities, folder.priorities)
    scores: dict[str, Any] = {}
    for part, spans in found.items():
        evaluation = evaluate_part(splits.of(part), spans, recipe)
        folder.write_predictions(f"system-{kind}", part, splits.of(part), spans)
        folder.write_evaluation(f"system-{kind}", part, evaluation)
        scores[part] = total(evaluation)
    f1 = score_quickly(splits.validation, found["validation"], recipe.select)["f1"]
    return System(kind, tuple(member.run.name for member in members), f1, scores, named)
