"""Whether the runs in a study's folder are those the study would make now: a report must not mix two corpora or two settings."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from incognote.errors import ConfigError
from incognote.lab.study.folder import StudyFolder
from incognote.lab.study.study import PlannedRun, Study, Unit
from incognote.lab.training.run import Run, plain_recipe
from incognote.lab.training.schedule import SHARED

_SHOWN = 3  # runs named in the message; one is the rule, hundreds would hide it


def check_same(folder: StudyFolder, study: Study, units: Sequence[Unit], digests: Mapping[str, str], *, exact: bool) -> None:
    """Raise when the folder is another study's, or holds runs of other settings or another corpus; new models and values are welcome.

    ``digests`` are those of the data now, by the corpus that is left out.
    """
    old = folder.read_table("study")
    if not old and any(folder.path.glob("[!.]*")) and not (folder.path / "runs").is_dir():
        raise ConfigError(str(folder.path), ["holds something else than a study; give another folder with -o"])
    if old and (old["name"], old["exact"]) != (study.name, exact):
        how = "exact" if old["exact"] else "shared"
        raise ConfigError(str(folder.path), [f"holds the {how} study {old['name']}; give another folder with -o"])
    faults = list(_differences(folder, units, digests))
    if faults:
        rest = [f"and {len(faults) - _SHOWN} more runs"] if len(faults) > _SHOWN else []
        raise ConfigError(str(folder.path), [*faults[:_SHOWN], *rest, "give another folder with -o, or remove what no longer holds"])


def _differences(folder: StudyFolder, units: Sequence[Unit], digests: Mapping[str, str]) -> Iterator[str]:
    done = {run.name: run for run in folder.read_runs()}
    for planned, shared in ((planned, unit.shared) for unit in units for planned in unit.runs):
        run = done.get(planned.name)
        if run is None:
            continue
        changed = _other_keys(run, planned, shared=shared)
        if changed:
            yield f"{run.name}: was trained with other settings ({', '.join(changed)})"
        elif run.digest != (digest := digests[planned.held_out]):
            yield f"{run.name}: was trained on another corpus or split (digest {run.digest}, now {digest})"


def _other_keys(run: Run, planned: PlannedRun, *, shared: bool) -> list[str]:
    """The settings that differ; where files lie on this machine does not count."""
    was, now = _comparable(run.recipe), _comparable(plain_recipe(planned.recipe))
    # A run that failed never got the schedule of its shared prefix.
    if shared and run.cost:
        now["schedule"] = SHARED
    return sorted(key for key in was.keys() | now.keys() if was.get(key) != now.get(key))


def _comparable(recipe: Mapping[str, Any]) -> dict[str, Any]:
    return {**recipe, "model": Path(str(recipe["model"])).name, "data": None, "split": None}
