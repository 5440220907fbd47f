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
from typing import Any

from incognote.errors import ConfigError, TrainingError
from incognote.study.census import describe_corpus
from incognote.study.folder import StudyFolder
from incognote.study.study import Study, Unit, group_units, plan_runs
from incognote.training.data import load_parts

Say = Callable[[str], None]


def run_study(
    study: Study,
    path: Path,
    *,
    exact: bool = False,
    gpus: Sequence[int] = (),
    workers: int = 1,
    minutes: float = 0.0,
    say: Say = lambda line: None,
) -> StudyFolder:
    """Do every run that is not yet in the folder. ``workers`` processes share each GPU (or the CPU); after ``minutes`` none is begun."""
    if not study.data:
        raise ConfigError(f"study {study.name}", ["data: missing; name a corpus in the study or pass it with --data"])
    folder = StudyFolder(path)
    runs = plan_runs(study)
    _check_same(folder, study, exact)
    units = [unit for unit in group_units(runs, exact=exact) if not all(folder.has_run(run.name) for run in unit.runs)]
    # The longest first, so that the last process does not work alone for long.
    units.sort(key=lambda unit: -unit.epochs)
    say(f"{study.name}: {len(runs)} runs, {sum(folder.has_run(run.name) for run in runs)} done, {len(units)} units to train")
    if runs and not folder.read_table("corpus"):
        folder.write_table("corpus", describe_corpus(load_parts(runs[0].recipe)))
    deadline = time.monotonic() + 60 * minutes if minutes else float("inf")
    if len(gpus) * workers <= 1:
        _work_here(units, folder, study.keep, deadline, say)
    else:
        _work_apart(units, folder, study.keep, deadline, gpus, workers, say)
    return folder


def _check_same(folder: StudyFolder, study: Study, exact: bool) -> None:
    plan = {"name": study.name, "title": study.title, "exact": exact, "published": study.published, "keep": study.keep, "scheme": study.scheme}
    plan["study"] = asdict(study)
    old = folder.read_table("study")
    if old and (old["name"], old["exact"]) != (study.name, exact):
        how = "exact" if old["exact"] else "shared"
        raise ConfigError(str(folder.path), [f"holds the {how} study {old['name']}; give another folder with -o"])
    folder.write_table("study", plan)


def _work_here(units: Sequence[Unit], folder: StudyFolder, keep: int, deadline: float, say: Say) -> None:
    from incognote.study.work import do_unit

    for unit in units:
        if time.monotonic() > deadline:
            say("out of time; run the same command again to go on")
            return
        do_unit(unit, folder, keep=keep, say=say)


def _work_apart(
    units: Sequence[Unit], folder: StudyFolder, keep: int, deadline: float, gpus: Sequence[int], workers: int, say: Say
) -> None:
    context = multiprocessing.get_context("spawn")
    todo: Queue[Unit | None] = context.Queue()
    lines: Queue[str | None] = context.Queue()
    seats = [(gpu, seat) for seat in range(workers) for gpu in (gpus or (-1,))][: len(units)]
    for unit in [*units, *([None] * len(seats))]:
        todo.put(unit)
    # Deadlines travel as wall-clock time: monotonic clocks of two processes need not agree.
    end = time.time() + (deadline - time.monotonic())
    processes = [context.Process(target=_work, args=(gpu, todo, lines, str(folder.path), keep, end), daemon=True) for gpu, _ in seats]
    for process in processes:
        process.start()
    open_seats = len(processes)
    failures = []
    while open_seats:
        try:
            line = lines.get(timeout=5)
        except Exception:  # noqa: BLE001 - queue.Empty; a process that died without a word must not be waited for
            dead = [process for process in processes if process.exitcode not in (None, 0)]
            if dead and not any(process.is_alive() for process in processes):
                failures.append(f"{len(dead)} process(es) ended with exit code {dead[0].exitcode}")
                break
            continue
        if line is None:
            open_seats -= 1
        elif line.startswith("error: "):
            failures.append(line.removeprefix("error: "))
            say(line)
        else:
            say(line)
    for process in processes:
        process.join(timeout=10)
    if failures:
        raise TrainingError(f"{len(failures)} unit(s) failed: {failures[0]}; run the same command again to go on")


def _work(gpu: int, todo: Any, lines: Any, path: str, keep: int, end: float) -> None:
    os.environ["CUDA_VISIBLE_DEVICES"] = "" if gpu < 0 else str(gpu)
    import torch

    from incognote.study.work import do_unit

    torch.set_num_threads(max(1, (os.cpu_count() or 1) // 8))
    folder = StudyFolder(Path(path))
    while (unit := todo.get()) is not None:
        if time.time() > end:
            continue
        try:
            do_unit(unit, folder, keep=keep, say=lines.put)
        except Exception as error:  # noqa: BLE001 - one unit must not take the others down; its type and place are told, no text
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
