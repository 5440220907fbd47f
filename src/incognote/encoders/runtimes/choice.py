"""The choice of a runtime: the fastest that works here and tags as the exact one does, tried once and remembered.

Every candidate is tried in a child process (see ``probe``). The answer is kept in the user's cache for this machine, these packages and
this model; where nothing can be written it is found anew each time. What the makers of a model vouch for is not tried where it is the
only one installed, or where few notes would wait longer for an answer than for their spans.
"""

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from incognote.encoders.checkpoint import Checkpoint, load_checkpoint
from incognote.encoders.machine import cpu_flags, cpu_name, has_gpu, installed_packages
from incognote.encoders.runtimes.loading import AUTO, ONNX, ONNX_FINE, ONNX_FP32, OPENVINO, QUICK, TORCH, check_runtime, missing_package
from incognote.encoders.runtimes.stack import fits
from incognote.errors import CheckpointError, IncognoteError
from incognote.version import __version__

AGREEMENT = 0.995
"""The share of tokens on which a runtime must give the tags of the exact one to be chosen by itself."""

CACHE_VARIABLE = "INCOGNOTE_CACHE"
VOUCHED = "vouched"  # the setting of a checkpoint that names the runtimes its makers measured
_ISAS = ("", "AVX512_CORE_FP16", "AVX512_CORE_VNNI", "AVX2")
_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Trial:
    """How a candidate did: tokens per second on one core, the share of tags it gets as the exact one, and what was wrong."""

    runtime: str
    speed: float = 0.0
    agreement: float | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """The runtime to use, why, what else was tried, and whether this was remembered from an earlier run."""

    runtime: str
    reason: str
    trials: tuple[Trial, ...] = ()
    cached: bool = False


Run = Callable[[str, str], tuple[int, str]]


def choose_runtime(checkpoint: Checkpoint, *, wanted: str = "auto", device: str = "auto") -> Choice:
    """The runtime for this checkpoint on this machine; ``wanted`` other than ``auto`` and ``quick`` is checked and taken."""
    if check_runtime(wanted) not in (AUTO, QUICK):
        return Choice(wanted, "asked for")
    if device not in ("auto", "cpu") or (device == "auto" and has_gpu() and not missing_package(TORCH)):
        return Choice(check_runtime(TORCH), "there is a GPU")
    if not fits(checkpoint.config) or checkpoint.unsafe:
        return Choice(check_runtime(TORCH), f"there is no graph of ours for {checkpoint.config.get('model_type')} encoders")
    unseen = needs_no_trial(checkpoint)
    if unseen and (wanted == QUICK or missing_package(OPENVINO)):
        return Choice(unseen, "its makers vouch for it, and it is open soonest" if wanted == QUICK else "its makers vouch for it")
    return _remember(checkpoint.folder, _answer_file(checkpoint))


def needs_no_trial(checkpoint: Checkpoint) -> str:
    """The runtime that may be used unseen, if any: vouched for, on a processor that does not claim to multiply tiles.

    Virtual machines are known to name those instructions and to stop a program that uses them.
    """
    return "" if any(flag.startswith("amx") for flag in cpu_flags()) else _vouched(checkpoint)


def _vouched(checkpoint: Checkpoint) -> str:
    """The first runtime of the plain installation that the makers of a checkpoint vouch for."""
    named = checkpoint.settings.get(VOUCHED, ())
    return next((name for name in (ONNX, ONNX_FINE) if name in named and not missing_package(name)), "")


def _answer_file(checkpoint: Checkpoint) -> Path:
    return cache_folder() / "runtimes" / f"{_fingerprint(checkpoint)}.json"


@cache
def _remember(folder: Path, file: Path) -> Choice:
    found = _recall(file)
    if found is None:
        found = pick(load_checkpoint(folder), run_probe)
        _keep(file, found)
    return found


def pick(checkpoint: Checkpoint, run: Run) -> Choice:
    """Try every candidate and take the fastest that works and agrees; full precision where none does."""
    vouched = checkpoint.settings.get(VOUCHED, ())
    exact, tags = (Trial(ONNX_FP32), None) if vouched else _try(checkpoint, ONNX_FP32, run, None)
    trials = [] if vouched else [exact]
    for name in dict.fromkeys((_vouched(checkpoint) or ONNX, ONNX, OPENVINO)):
        if missing_package(name):
            trials.append(Trial(name, fault=f"{missing_package(name)} is not installed"))
            continue
        for isa in _ISAS if name == OPENVINO else ("",):
            trial, own = _try(checkpoint, f"{name}/{isa}".rstrip("/"), run, None if name in vouched else tags)
            trials.append(trial)
            if not trial.fault:
                tags = tags or own  # what its makers measured is as good a measure as the exact one
                break
    usable = [trial for trial in trials if not trial.fault and (trial.agreement is None or trial.agreement >= AGREEMENT)]
    if not usable:
        exact, _ = _try(checkpoint, ONNX_FP32, run, None)
        if exact.fault and missing_package(TORCH):
            faults = "; ".join(f"{trial.runtime} {trial.fault}" for trial in (*trials, exact))
            raise CheckpointError(f"{checkpoint.folder}: no runtime works here ({faults}); see incognote doctor, or use --model none")
        if exact.fault:
            return Choice(check_runtime(TORCH), "no other works here", (*trials, exact))
        return Choice(ONNX_FP32, "no faster one works here", (*trials, exact))
    best = max(usable, key=lambda trial: trial.speed)
    return Choice(best.runtime, "the fastest that works here and agrees with full precision", tuple(trials))


def _try(checkpoint: Checkpoint, name: str, run: Run, tags: Sequence[int] | None) -> tuple[Trial, list[int] | None]:
    status, output = run(str(checkpoint.folder), name)
    if status:
        return Trial(name, fault=_describe(status)), None
    found = json.loads(output.splitlines()[-1])
    own: list[int] = found["tags"]
    same = None if tags is None else round(sum(one == two for one, two in zip(own, tags, strict=True)) / max(1, len(own)), 4)
    return Trial(name, round(found["speed"], 1), same), own


def _describe(status: int) -> str:
    """
    >>> _describe(-4), _describe(1)
    ('died of SIGILL: the processor names an instruction that it cannot run', 'could not run')
    """
    if status >= 0:
        return "could not run"
    name = signal.Signals(-status).name
    return f"died of {name}" + (": the processor names an instruction that it cannot run" if name == "SIGILL" else "")


_begun: dict[tuple[str, str], "subprocess.Popen[str]"] = {}


def begin_trial(checkpoint: Checkpoint) -> None:
    """Start the trial that :func:`choose_runtime` would wait for, so that it runs beside what else a program loads first.

    Only where one runtime is vouched for and nothing is remembered: then it is the first to be tried.
    """
    name = _vouched(checkpoint)
    if name and not (needs_no_trial(checkpoint) and missing_package(OPENVINO)) and _recall(_answer_file(checkpoint)) is None:
        _begun[str(checkpoint.folder), name] = _start_probe(str(checkpoint.folder), name)


def run_probe(folder: str, name: str) -> tuple[int, str]:
    """Exit status and output of the trial in a process of its own."""
    try:
        process = _begun.pop((folder, name), None) or _start_probe(folder, name)
    except OSError:
        return 1, ""
    with process:
        try:
            output, _ = process.communicate(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            return 1, ""
    return process.returncode, output


def _start_probe(folder: str, name: str) -> "subprocess.Popen[str]":
    """The packages are found where this process finds them, but never in the folder it stands in: that may hold anything."""
    here = Path.cwd()
    paths = os.pathsep.join(path for path in sys.path if path and Path(path) != here)
    command = [sys.executable, "-P", "-m", "incognote.encoders.runtimes.probe", folder, name]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )


def cache_folder() -> Path:
    """Where this user's answers are kept."""
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "incognote"


def _fingerprint(checkpoint: Checkpoint) -> str:
    """Changes with the processor, the packages and the model."""
    digest = hashlib.sha256()
    facts = [__version__, cpu_name(), sorted(cpu_flags()), installed_packages(), str(checkpoint.folder), sys.version]
    digest.update(json.dumps([*facts, dict(checkpoint.config)], sort_keys=True).encode())
    for file in sorted(checkpoint.folder.glob("*.safetensors")):
        stat = file.stat()
        digest.update(f"{file.name} {stat.st_size} {stat.st_mtime_ns}".encode())
    return digest.hexdigest()[:32]


def _recall(file: Path) -> Choice | None:
    """An answer kept before; a file that is damaged or of an older version is as good as none."""
    try:
        kept: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        name = check_runtime(kept["runtime"])
        return Choice(name, str(kept["reason"]), tuple(Trial(**trial) for trial in kept["trials"]), cached=True)
    except (OSError, ValueError, KeyError, TypeError, IncognoteError):
        return None


def _keep(file: Path, choice: Choice) -> None:
    """Whole or not at all, so that another process never reads half a file; a cache that cannot be written is done without."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_name(f".{file.name}.{os.getpid()}")
        draft.write_text(json.dumps(asdict(choice)), encoding="utf-8")
        draft.replace(file)
    except OSError:
        return
