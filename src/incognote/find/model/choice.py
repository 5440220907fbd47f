"""The choice of a runtime: what ``auto`` takes depends on this machine and the model alone, never on time or the number of notes.

With a GPU that PyTorch can use: ``torch``. Otherwise ``onnx``, where it is validated with the model or tags a short text as full precision
does; else ``onnx-fp32``. Encoders that our ONNX graph does not cover run on ``torch``. A runtime that is not validated, or a processor that
lists AMX, is tried in a child process first (see ``probe``): an instruction that is listed but cannot run kills the process.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

from incognote.errors import CheckpointError
from incognote.find.model.checkpoint import Checkpoint, load_checkpoint
from incognote.find.model.choice_cache import Check, Choice, cache_file, read_choice, write_choice
from incognote.find.model.config import VALIDATED
from incognote.find.model.machine import cpu_flags, has_gpu
from incognote.find.model.runtimes.loading import AUTO, ONNX, ONNX_FP32, TORCH, check_runtime, missing_package
from incognote.find.model.runtimes.stack import fits

AGREEMENT = 0.995
"""The share of tokens on which int8 must give the tags of full precision to be chosen by ``auto``."""

_SECONDS = 600
_PASSING = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)  # what says nothing about a runtime

Run = Callable[[str, str], tuple[int, str]]


def choose_runtime(checkpoint: Checkpoint, *, wanted: str = AUTO, device: str = "auto") -> Choice:
    """The runtime for this checkpoint on this machine; ``wanted`` other than ``auto`` is checked and taken."""
    if check_runtime(wanted) != AUTO:
        return Choice(wanted, "asked for")
    if not fits(checkpoint.config) or checkpoint.unsafe:
        return Choice(check_runtime(TORCH), f"the ONNX graph does not cover {checkpoint.config.get('model_type')} encoders of this kind")
    if device not in ("auto", "cpu") or (device == "auto" and uses_gpu()):
        return Choice(check_runtime(TORCH), "there is a GPU")
    if is_validated(checkpoint) and not claims_amx():
        return Choice(ONNX, "validated with this model")
    return _check_once(checkpoint.folder, cache_file(checkpoint))


def uses_gpu() -> bool:
    """Whether PyTorch is installed and finds a GPU; a driver is not enough, as PyTorch may be built without CUDA."""
    if not has_gpu() or missing_package(TORCH):
        return False
    import torch

    return torch.cuda.is_available()


def is_validated(checkpoint: Checkpoint) -> bool:
    """Whether the spans of ``onnx`` were scored with these weights, so that no comparison on this machine is needed."""
    return ONNX in checkpoint.settings.get(VALIDATED, ())


def claims_amx() -> bool:
    """Whether the processor lists AMX (tile) instructions, which some virtual machines list but cannot run."""
    return any(flag.startswith("amx") for flag in cpu_flags())


@cache
def _check_once(folder: Path, file: Path | None) -> Choice:
    found = read_choice(file)
    if found is None:
        found = check_runtimes(load_checkpoint(folder), run_probe)
        write_choice(file, found)
    return found


def check_runtimes(checkpoint: Checkpoint, run: Run) -> Choice:
    """``onnx`` where it runs and agrees with full precision, else full precision; ``run`` gives exit status and output of a probe."""
    int8, tags = _check(checkpoint, ONNX, run)
    if is_validated(checkpoint) and not int8.fault:
        return Choice(ONNX, "validated with this model, and it runs here", (int8,))
    full, exact = _check(checkpoint, ONNX_FP32, run)
    if tags and exact:
        int8 = replace(int8, agreement=round(sum(one == two for one, two in zip(tags, exact, strict=True)) / len(exact), 4))
    checks = (int8, full)
    if int8.agreement is not None and int8.agreement >= AGREEMENT:
        return Choice(ONNX, "it agrees with full precision here", checks)
    if not full.fault:
        return Choice(ONNX_FP32, "int8 does not agree with it, or does not run here", checks)
    if missing_package(TORCH):
        faults = "; ".join(f"{check.runtime} {check.fault}" for check in checks)
        raise CheckpointError(f"no runtime works here ({faults})", where=str(checkpoint.folder), fix="see incognote doctor")
    return Choice(TORCH, "ONNX Runtime does not work here", checks)


def _check(checkpoint: Checkpoint, name: str, run: Run) -> tuple[Check, list[int]]:
    """The Check of a runtime, and its tags. An interrupted check raises: it must not decide which runtime finds the PHI."""
    status, output = run(str(checkpoint.folder), name)
    if -status in _PASSING:
        raise CheckpointError(
            f"the check of the runtime {name} was cut short: there was no time or no memory for it, or it was ended from outside",
            where=str(checkpoint.folder),
            fix="run it again, or name a {runtime}",
        )
    if status:
        return Check(name, fault=_describe(status, output)), []
    tags: list[int] = json.loads(output.splitlines()[-1])
    return Check(name), tags


def _describe(status: int, output: str = "") -> str:
    """
    >>> _describe(-4), _describe(1, "Traceback\\nImportError: no such library\\n")
    ('died of SIGILL: the processor names an instruction that it cannot run', 'could not run: ImportError: no such library')
    """
    if status >= 0:
        return ": ".join(["could not run", *(line[:200] for line in output.strip().splitlines()[-1:])])
    name = signal.Signals(-status).name
    return f"died of {name}" + (": the processor names an instruction that it cannot run" if name == "SIGILL" else "")


def run_probe(folder: str, name: str) -> tuple[int, str]:
    """Exit status and output (or error message) of the probe in a process of its own.

    It imports packages from where this process does, but never from the current folder, whose content is not trusted.
    """
    here = Path.cwd()
    paths = os.pathsep.join(path for path in sys.path if path and Path(path) != here)
    command = [sys.executable, "-P", "-m", "incognote.find.model.probe", folder, name]
    environment = {**os.environ, "PYTHONPATH": paths}
    try:
        done = subprocess.run(
            command, capture_output=True, stdin=subprocess.DEVNULL, text=True, env=environment, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return -signal.SIGKILL, ""
    return done.returncode, done.stderr if done.returncode else done.stdout
