"""The choice cache: the result of the runtime check on this machine, so that it runs once. A new check would give the same result."""

import hashlib
import json
import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from incognote.errors import IncognoteError
from incognote.find.model.checkpoint import Checkpoint
from incognote.find.model.machine import cpu_flags, cpu_name, installed_packages
from incognote.find.model.runtimes.loading import check_runtime
from incognote.version import __version__

CACHE_VARIABLE = "INCOGNOTE_CACHE"


@dataclass(frozen=True, slots=True)
class Check:
    """The check of a runtime on this machine: the share of tokens with the tag of full precision, and its fault."""

    runtime: str
    agreement: float | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """The runtime to use, why, and what was checked."""

    runtime: str
    reason: str
    checks: tuple[Check, ...] = ()

    @property
    def faults(self) -> tuple[str, ...]:
        """What does not work here, and how it ended."""
        return tuple(f"{check.runtime} {check.fault}" for check in self.checks if check.fault)


def cache_folder() -> Path | None:
    """The cache folder of this user; None without a home folder, as in some containers."""
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "incognote"
    except RuntimeError:
        return None


def cache_file(checkpoint: Checkpoint) -> Path | None:
    """The file for the choice of this checkpoint, if there is a cache."""
    folder = cache_folder()
    return None if folder is None else folder / "runtimes" / f"{_fingerprint(checkpoint)}.json"


def _fingerprint(checkpoint: Checkpoint) -> str:
    """Changes with the machine, the packages and the model."""
    digest = hashlib.sha256()
    machine = [cpu_name(), sorted(cpu_flags()), platform.release(), installed_packages(), sys.version]
    digest.update(json.dumps([__version__, *machine, str(checkpoint.folder), dict(checkpoint.config)], sort_keys=True).encode())
    for file in sorted((*checkpoint.folder.glob("*.safetensors"), *checkpoint.folder.glob("tokenizer*.json"))):
        stat = file.stat()
        digest.update(f"{file.name} {stat.st_size} {stat.st_mtime_ns}".encode())
    return digest.hexdigest()[:32]


def read_choice(file: Path | None) -> Choice | None:
    """The choice in a file; None for one that is missing, damaged or of an older version."""
    if file is None:
        return None
    try:
        kept: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        checks = tuple(Check(**check) for check in kept["checks"])
        return Choice(check_runtime(kept["runtime"]), str(kept["reason"]), checks)
    except (OSError, ValueError, KeyError, TypeError, IncognoteError):
        return None


def write_choice(file: Path | None, choice: Choice) -> None:
    """Write the choice atomically, so that no other process reads half a file; a cache that cannot be written is skipped."""
    if file is None:
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_name(f".{file.name}.{os.getpid()}")
        draft.write_text(json.dumps(asdict(choice)), encoding="utf-8")
        draft.replace(file)
    except OSError:
        return
