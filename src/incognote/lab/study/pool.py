"""A study run to its end: units in parallel, one process for each GPU (or several), resumable at any time.

This module loads no torch, so that each process can first be given its GPU.
"""

import multiprocessing
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from multiprocessing.queues import Queue
from pathlib import Path
from queue import Empty
from typing import Any

from incognote.errors import CheckpointError, ConfigError, TrainingError
from incognote.find.model.checkpoint import check_weights, find_folder
from incognote.find.model.machine import end_with_parent, share_cores
from incognote.lab.study.census import describe_corpus
from incognote.lab.study.folder import StudyFolder
from incognote.lab.study.sameness import check_same
from incognote.lab.study.study import PlannedRun, Study, Unit, find_unnamed, group_units, plan_runs
from incognote.lab.training.data import load_splits

Say = Callable[[str], None]


def run_study(
    study: Study,
    path: Path,
    *,
    exact: bool = False,
    gpus: Sequence[int] = (),
    workers: int = 1,
    minutes: float = 0.0,
    unsafe: bool = False,
    say: Say = lambda line: None,
) -> StudyFolder:
    """Do every run that is not yet in the folder. ``workers`` processes share each GPU (or the CPU); after ``minutes`` none is started.

    ``unsafe`` opens encoders whose weights are pickles; a study cannot ask for it, because studies come from strangers too.
    """
    if not study.data:
        raise ConfigError(f"study {study.name}", ["data: missing; name a corpus in the study or with {data}"])
    if study.leave_one_out and (faults := find_unnamed(study.data)):
        raise ConfigError(f"study {study.name}", faults)
    folder = StudyFolder(path)
    runs = plan_runs(study)
    planned = group_units(runs, exact=exact)
    corpus = describe_corpus(load_splits(runs[0].recipe))
    check_same(folder, study, planned, _take_digests(runs) | {runs[0].held_out: corpus["digest"]}, exact=exact)
    folder.write_table("study", _plan_table(study, exact))
    folder.write_table("corpus", corpus)
    units = [unit for unit in planned if not all(folder.has_run(run.name) for run in unit.runs)]
    # The longest first, so that the last process does not work alone for long.
    units.sort(key=lambda unit: -unit.epochs)
    say(f"{study.name}: {len(runs)} runs, {sum(folder.has_run(run.name) for run in runs)} done, {len(units)} units to train")
    _check_encoders(study, units, unsafe=unsafe)
    run_units(units, folder, keep=study.keep, gpus=gpus, workers=workers, minutes=minutes, unsafe=unsafe, say=say)
    return folder


def _take_digests(runs: Sequence[PlannedRun]) -> dict[str, str]:
    """The digest of the data without each corpus that is left out, but for that of the first run."""
    recipes = {run.held_out: run.recipe for run in runs if run.held_out != runs[0].held_out}
    return {held_out: load_splits(recipe).digest for held_out, recipe in recipes.items()}


def _check_encoders(study: Study, units: Sequence[Unit], *, unsafe: bool) -> None:
    """Fetch what is not here, and name every encoder that is missing or unsafe before the first is trained, not hours later."""
    faults = []
    for model in dict.fromkeys(run.recipe.model for unit in units for run in unit.runs):
        try:
            check_weights(find_folder(model, unsafe=unsafe), unsafe=unsafe)
        except CheckpointError as error:
            faults.append(str(error))
    if faults:
        raise ConfigError(f"study {study.name}", faults)


def run_units(
    units: Sequence[Unit],
    folder: StudyFolder,
    *,
    keep: int,
    gpus: Sequence[int] = (),
    workers: int = 1,
    minutes: float = 0.0,
    stop_minutes: float = 0.0,
    unsafe: bool = False,
    say: Say = lambda line: None,
) -> None:
    """Train the units in this order; those still running after ``stop_minutes`` are ended, to be gone on with another time."""
    if len(gpus or (-1,)) * workers <= 1:
        _work_here(units, folder, keep, time.time() + 60 * minutes if minutes else float("inf"), unsafe, say)
    else:
        _work_apart(units, folder, keep, (minutes, stop_minutes), gpus, workers, unsafe, say)
    if left := sum(not folder.has_run(run.name) for unit in units for run in unit.runs):
        say(f"out of time: {left} runs are left; run the same command again to continue")


def _plan_table(study: Study, exact: bool) -> dict[str, Any]:
    plan = {"name": study.name, "title": study.title, "exact": exact, "published": study.published, "keep": study.keep}
    return plan | {"scheme": study.scheme, "study": asdict(study)}


def _work_here(units: Sequence[Unit], folder: StudyFolder, keep: int, deadline: float, unsafe: bool, say: Say) -> None:
    from incognote.lab.study.work import do_unit

    for unit in units:
        if time.time() > deadline:
            return
        do_unit(unit, folder, keep=keep, unsafe=unsafe, say=say)


def _work_apart(
    units: Sequence[Unit],
    folder: StudyFolder,
    keep: int,
    limits: tuple[float, float],
    gpus: Sequence[int],
    workers: int,
    unsafe: bool,
    say: Say,
) -> None:
    context = multiprocessing.get_context("spawn")
    todo: Queue[Unit | None] = context.Queue()
    lines: Queue[str | None] = context.Queue()
    seats = [gpu for _ in range(workers) for gpu in (gpus or (-1,))][: len(units)]
    for unit in [*units, *([None] * len(seats))]:
        todo.put(unit)
    begin_until, stop_at = (time.time() + 60 * limit if limit else float("inf") for limit in limits)
    shared = (len(seats), todo, lines, str(folder.path), keep, begin_until, unsafe)
    processes = [context.Process(target=_work, args=(name_card(gpu), *shared), daemon=True) for gpu in seats]
    for process in processes:
        process.start()
    failures = _listen(processes, lines, stop_at, say)
    for process in processes:
        process.join(timeout=10)
        if process.is_alive():
            process.kill()
    if failures:
        raise TrainingError(f"{len(failures)} unit(s) failed: {failures[0]}; run the same command again to continue")


def _listen(processes: Sequence[Any], lines: Any, stop_at: float, say: Say) -> list[str]:
    """Pass on what the processes say until each has said that it is done, has died, or is out of time; returns the failures."""
    seated, failures = len(processes), []
    while seated:
        try:
            line = lines.get(timeout=2)
        except Empty:
            if time.time() > stop_at:
                for process in processes:
                    process.kill()
                break
            if not any(process.is_alive() for process in processes):
                codes = sorted({process.exitcode for process in processes if process.exitcode})
                failures.append(f"processes ended with exit codes {codes}")
                break
            continue
        if line is None:
            seated -= 1
            continue
        say(line)
        if line.startswith("error: "):
            failures.append(line.removeprefix("error: "))
    return failures


def name_card(gpu: int) -> str:
    """What CUDA_VISIBLE_DEVICES calls the GPU of this number among those that this process may use; below 0 it is none."""
    if gpu < 0:
        return ""
    allowed = os.environ.get("CUDA_VISIBLE_DEVICES")
    return allowed.split(",")[gpu].strip() if allowed else str(gpu)


def _work(card: str, seats: int, todo: Any, lines: Any, path: str, keep: int, end: float, unsafe: bool) -> None:
    end_with_parent()
    share_cores(seats)
    os.environ["CUDA_VISIBLE_DEVICES"] = card
    from incognote.lab.study.work import do_unit

    folder = StudyFolder(Path(path))
    while (unit := todo.get()) is not None:
        if time.time() > end:
            continue
        try:
            do_unit(unit, folder, keep=keep, unsafe=unsafe, say=lines.put)
        except Exception as error:  # noqa: BLE001 - one unit must not take the others down; its type and place are reported, no text
            lines.put(f"error: {unit.name}: {type(error).__name__}: {_place(error)}")
    lines.put(None)


def _place(error: BaseException) -> str:
    from incognote.errors import IncognoteError

    if isinstance(error, IncognoteError):
        return str(error)
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else ""
