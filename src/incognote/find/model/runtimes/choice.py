"""The choice of a runtime: the fastest that works here and tags as the exact one does, tried once and remembered.

Every candidate is tried in a child process (see ``probe``). The answer is kept in the user's cache for this machine, these packages and
this model; where nothing can be written, or a trial was cut short, it is found anew each time. What the makers of a model vouch for is not
tried where it is the only one installed, or where few notes would wait longer for an answer than for their spans.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from incognote.errors import CheckpointError
from incognote.find.model.checkpoint import Checkpoint, load_checkpoint
from incognote.find.model.machine import cpu_flags, has_gpu
from incognote.find.model.runtimes.choice_cache import Choice, Trial, answer_file, keep, recall
from incognote.find.model.runtimes.loading import (
    AUTO,
    ISAS,
    ONNX,
    ONNX_FINE,
    ONNX_FP32,
    OPENVINO,
    OPENVINO_FINE,
    QUICK,
    TORCH,
    check_runtime,
    missing_package,
)
from incognote.find.model.runtimes.stack import fits

AGREEMENT = 0.995
"""The share of tokens on which a runtime must give the tags of the exact one to be chosen by itself."""

VOUCHED = "vouched"  # the setting of a checkpoint that names the runtimes its makers measured
_SECONDS = 120
_CUT_SHORT = "was cut short: there was no time or no memory for it, or it was ended from outside"
_ENDINGS = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP")  # what says nothing about a runtime
_KILLED = -9


Run = Callable[[str, str], tuple[int, str]]


def choose_runtime(checkpoint: Checkpoint, *, wanted: str = "auto", device: str = "auto") -> Choice:
    """The runtime for this checkpoint on this machine; ``wanted`` other than ``auto`` and ``quick`` is checked and taken.

    OpenVINO, which uses every instruction that a processor names, is kept to those that work.
    """
    fitting = fits(checkpoint.config) and not checkpoint.unsafe
    if check_runtime(wanted) in (OPENVINO, OPENVINO_FINE) and fitting and _claims_tiles():
        return _cap(checkpoint, wanted)
    if wanted not in (AUTO, QUICK):
        return Choice(wanted, "asked for")
    if not fitting:
        return Choice(check_runtime(TORCH), f"there is no graph of ours for {checkpoint.config.get('model_type')} encoders")
    unseen = needs_no_trial(checkpoint)
    if unseen and wanted == QUICK and device in ("auto", "cpu"):
        return Choice(unseen, "its makers vouch for it, and it is open soonest")
    if device not in ("auto", "cpu") or (device == "auto" and uses_gpu()):
        return Choice(check_runtime(TORCH), "there is a GPU")
    if unseen and missing_package(OPENVINO):
        return Choice(unseen, "its makers vouch for it")
    return _remember(checkpoint.folder, answer_file(checkpoint))


def uses_gpu() -> bool:
    """Whether PyTorch is here and finds a GPU: a driver alone says little, for the card may be hidden, or PyTorch made without CUDA."""
    if not has_gpu() or missing_package(TORCH):
        return False
    import torch

    return torch.cuda.is_available()


def needs_no_trial(checkpoint: Checkpoint) -> str:
    """The runtime that may be used unseen, if any: vouched for, on a processor that does not claim to multiply tiles."""
    return "" if _claims_tiles() else _vouched(checkpoint)


def _claims_tiles() -> bool:
    """Virtual machines are known to name the instructions for tiles and to stop a program that uses them."""
    return any(flag.startswith("amx") for flag in cpu_flags())


def _cap(checkpoint: Checkpoint, wanted: str) -> Choice:
    """OpenVINO, asked for alone or with a fine reading, with the most instructions that it was seen to run with."""
    seen = [trial for trial in _remember(checkpoint.folder, answer_file(checkpoint)).trials if trial.runtime.startswith(OPENVINO)]
    works = next((trial.runtime for trial in seen if not trial.fault), None)
    if works is None:
        faults = "; ".join(f"{trial.runtime} {trial.fault}" for trial in seen)
        raise CheckpointError(f"{checkpoint.folder}: OpenVINO does not work here ({faults}); use --runtime auto")
    return Choice(works.replace(OPENVINO, wanted), "asked for", tuple(seen))


def _vouched(checkpoint: Checkpoint) -> str:
    """The first runtime of the plain installation that the makers of a checkpoint vouch for."""
    named = checkpoint.settings.get(VOUCHED) or ()
    return next((name for name in (ONNX, ONNX_FINE) if name in named and not missing_package(name)), "")


@cache
def _remember(folder: Path, file: Path | None) -> Choice:
    found = recall(file)
    if found is None:
        found = pick(load_checkpoint(folder), run_probe)
        if file is not None and all(trial.fault != _CUT_SHORT for trial in found.trials):
            keep(file, found)
    return found


def pick(checkpoint: Checkpoint, run: Run) -> Choice:
    """Try every candidate and take the fastest that works and agrees; full precision where none does.

    What its makers measured is as good a measure as full precision, which is then tried only where that does not run.
    """
    vouched = checkpoint.settings.get(VOUCHED) or ()
    trials: list[Trial] = []
    tags: Sequence[int] | None = None
    measure = ""
    for name in dict.fromkeys((_vouched(checkpoint) or ONNX, ONNX, OPENVINO)):
        if missing_package(name):
            trials.append(Trial(name, fault=f"{missing_package(name)} is not installed"))
            continue
        if tags is None and name not in vouched and not measure:
            measure = "full precision"
            exact, tags = _try(checkpoint, ONNX_FP32, run, None)
            trials.append(exact)
        for isa in ISAS if name == OPENVINO else ("",):
            trial, own = _try(checkpoint, f"{name}/{isa}".rstrip("/"), run, None if name in vouched else tags)
            trials.append(trial)
            if not trial.fault:
                if tags is None:
                    tags, measure = own, name
                break
    usable = [trial for trial in trials if not trial.fault and (trial.agreement is None or trial.agreement >= AGREEMENT)]
    if not usable:
        return _fall_back(checkpoint, trials, run)
    best = max(usable, key=lambda trial: trial.speed)
    why = "its makers vouch for it" if best.runtime in vouched else f"it agrees with {measure}"
    return Choice(best.runtime, f"the fastest that works here, and {why}", tuple(trials))


def _fall_back(checkpoint: Checkpoint, trials: Sequence[Trial], run: Run) -> Choice:
    """Full precision, where no other works; on PyTorch, where that is all there is."""
    tried = [trial for trial in trials if trial.runtime == ONNX_FP32] or [_try(checkpoint, ONNX_FP32, run, None)[0]]
    trials = tuple(dict.fromkeys((*trials, *tried)))
    if not tried[0].fault:
        return Choice(ONNX_FP32, "no faster one works here", trials)
    if missing_package(TORCH):
        faults = "; ".join(f"{trial.runtime} {trial.fault}" for trial in trials)
        raise CheckpointError(f"{checkpoint.folder}: no runtime works here ({faults}); see incognote doctor, or use --model none")
    return Choice(check_runtime(TORCH), "no other works here", trials)


def _try(checkpoint: Checkpoint, name: str, run: Run, tags: Sequence[int] | None) -> tuple[Trial, list[int] | None]:
    status, output = run(str(checkpoint.folder), name)
    if status:
        return Trial(name, fault=_describe(status, output)), None
    found = json.loads(output.splitlines()[-1])
    own: list[int] = found["tags"]
    same = None if tags is None else round(sum(one == two for one, two in zip(own, tags, strict=True)) / max(1, len(own)), 4)
    return Trial(name, round(found["speed"], 1), same), own


def _describe(status: int, output: str = "") -> str:
    """
    >>> _describe(-4), _describe(1, "Traceback\\nImportError: no such library\\n")
    ('died of SIGILL: the processor names an instruction that it cannot run', 'could not run: ImportError: no such library')
    """
    if status >= 0:
        return ": ".join(["could not run", *(line[:200] for line in output.strip().splitlines()[-1:])])
    name = signal.Signals(-status).name
    if name in _ENDINGS:
        return _CUT_SHORT
    return f"died of {name}" + (": the processor names an instruction that it cannot run" if name == "SIGILL" else "")


_begun: dict[tuple[str, str], "subprocess.Popen[str]"] = {}


def begin_trial(checkpoint: Checkpoint) -> None:
    """Start the trial that :func:`choose_runtime` would wait for, so that it runs beside what else a program loads first.

    Only where one runtime is vouched for and nothing is remembered: then it is the first to be tried.
    """
    name = _vouched(checkpoint)
    unseen = needs_no_trial(checkpoint) and missing_package(OPENVINO)
    if name and not unseen and not has_gpu() and recall(answer_file(checkpoint)) is None:
        with suppress(OSError):
            _begun[str(checkpoint.folder), name] = _start_probe(str(checkpoint.folder), name)


def run_probe(folder: str, name: str) -> tuple[int, str]:
    """Exit status of the trial in a process of its own, and what it answered, or said of what was wrong."""
    try:
        process = _begun.pop((folder, name), None) or _start_probe(folder, name)
    except OSError:
        return _KILLED, ""
    with process:
        try:
            output, complaint = process.communicate(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            return _KILLED, ""
    return process.returncode, complaint if process.returncode else output


def _start_probe(folder: str, name: str) -> "subprocess.Popen[str]":
    """The packages are found where this process finds them, but never in the folder it stands in: that may hold anything."""
    here = Path.cwd()
    paths = os.pathsep.join(path for path in sys.path if path and Path(path) != here)
    command = [sys.executable, "-P", "-m", "incognote.find.model.runtimes.probe", folder, name]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
