"""The winner of a study: its checkpoints found, or trained again from their recipes, and its tagger for any texts."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from incognote.errors import ConfigError
from incognote.find.finder import Tagger
from incognote.find.model.ensemble import EnsembleTagger
from incognote.find.model.tagger import EncoderTagger
from incognote.lab.study.folder import StudyFolder, group_best, open_study
from incognote.lab.study.hybrid import HybridTagger, labels_of
from incognote.lab.study.systems import open_tagger
from incognote.lab.training.checkpointing import train_checkpoint
from incognote.lab.training.loop import Watch
from incognote.lab.training.recipe import Recipe, Source
from incognote.lab.training.run import Run
from incognote.priorities import read_roles

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Winner:
    """The system with the highest validation F1: its runs, and how often each counts."""

    kind: str
    f1: float
    runs: tuple[Run, ...]
    weights: tuple[int, ...]
    priorities: dict[str, str] | None = None


def find_winner(path: Path, *, single: bool = False) -> Winner:
    """The best system of a study's folder; with ``single`` the best model alone."""
    folder = open_study(path)
    runs = {run.name: run for run in folder.read_runs()}
    if not runs:
        raise ConfigError(str(path), ["the study has no finished run yet; continue it with incognote study run"])
    systems = [s for s in folder.read_table("systems") or [] if set(s["members"]) <= runs.keys()]
    if systems and not single:
        counts = Counter(systems[0]["members"])
        return Winner(
            systems[0]["kind"], systems[0]["f1"], tuple(runs[name] for name in counts), tuple(counts.values()), systems[0].get("priorities")
        )
    best = max((group[0] for group in group_best(runs.values())), key=lambda run: run.f1)
    return Winner("single", best.f1, (best,), (1,))


def open_winner(
    path: Path,
    winner: Winner,
    *,
    data: Sequence[Source] = (),
    encoders: Path | None = None,
    say: Say = lambda line: None,
    watch: Watch | None = None,
) -> Tagger:
    """The winner as a tagger. Runs whose weights are not in the folder are trained again first.

    ``data`` and ``encoders`` say where corpus and encoders are on this machine, when they are not where the study had them.
    """
    folder = StudyFolder(path)
    members: list[EncoderTagger] = []
    for run in winner.runs:
        target = folder.checkpoints / run.name
        if not (target / "config.json").is_file():
            say(f"{run.name}: no weights in {folder.checkpoints}; training it again")
            again = train_checkpoint(place_recipe(run, data, encoders), target, resume=True, watch=watch)
            other = "" if again.digest == run.digest else ", on other data than the study's"
            say(f"{run.name}: validation F1 {again.f1:.4f}, {run.f1:.4f} in the study{other}")
        members.append(open_tagger(folder, run))
    tagger: EncoderTagger | EnsembleTagger = members[0]
    if len(members) > 1:
        tagger = EnsembleTagger(tuple(members), tuple(float(weight) for weight in winner.weights), name=path.name or "ensemble")
    if winner.priorities is None:
        return tagger
    return HybridTagger(tagger, read_roles(winner.priorities, subject=str(path)), labels_of(tagger.tags))


def place_recipe(run: Run, data: Sequence[Source], encoders: Path | None) -> Recipe:
    """The run's recipe with the paths of this machine."""
    recipe = run.as_recipe()
    if data:
        recipe = replace(recipe, data=tuple(data))
    if encoders:
        folder = encoders / Path(recipe.model).name
        if not folder.is_dir():
            raise ConfigError(f"run {run.name}", [f"{folder}: there is no such encoder folder"])
        recipe = replace(recipe, model=str(folder))
    return recipe
