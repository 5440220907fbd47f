"""Answers to which runtime to use, kept in the user's cache."""

import hashlib
import json
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from incognote.errors import IncognoteError
from incognote.find.model.checkpoint import Checkpoint
from incognote.find.model.machine import cpu_flags, cpu_name, installed_packages
from incognote.find.model.runtimes.loading import check_runtime, missing_package
from incognote.version import __version__

CACHE_VARIABLE = "INCOGNOTE_CACHE"


@dataclass(frozen=True, slots=True)
class Trial:
    """How a candidate did: tokens per second on one core, the share of tags it gets as the exact one, and what was wrong."""

    runtime: str
    speed: float = 0.0
    agreement: float | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """The runtime to use, why, what else was tried, and whether this was remembered from an earlier run, and since when."""

    runtime: str
    reason: str
    trials: tuple[Trial, ...] = ()
    cached: bool = False
    since: str = ""

    @property
    def setbacks(self) -> tuple[str, ...]:
        """What is installed and did not work here, and how it ended."""
        tried = (trial for trial in self.trials if trial.fault and not missing_package(trial.runtime.partition("/")[0]))
        return tuple(f"{trial.runtime} {trial.fault}" for trial in tried)


def cache_folder() -> Path | None:
    """Where this user's answers are kept; nowhere for one who has no home, as in some containers."""
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "incognote"
    except RuntimeError:
        return None


def answer_file(checkpoint: Checkpoint) -> Path | None:
    """The file for the answer about this checkpoint, if it can be kept."""
    folder = cache_folder()
    return None if folder is None else folder / "runtimes" / f"{_fingerprint(checkpoint)}.json"


def _fingerprint(checkpoint: Checkpoint) -> str:
    """Changes with the processor, the packages and the model."""
    digest = hashlib.sha256()
    facts = [__version__, cpu_name(), sorted(cpu_flags()), installed_packages(), str(checkpoint.folder), sys.version]
    digest.update(json.dumps([*facts, dict(checkpoint.config)], sort_keys=True).encode())
    for file in sorted((*checkpoint.folder.glob("*.safetensors"), *checkpoint.folder.glob("tokenizer*.json"))):
        stat = file.stat()
        digest.update(f"{file.name} {stat.st_size} {stat.st_mtime_ns}".encode())
    return digest.hexdigest()[:32]


def recall(file: Path | None) -> Choice | None:
    """An answer kept before; a file that is damaged or of an older version is as good as none."""
    if file is None:
        return None
    try:
        kept: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        name = check_runtime(kept["runtime"])
        trials = tuple(Trial(**trial) for trial in kept["trials"])
        return Choice(name, str(kept["reason"]), trials, cached=True, since=str(kept["since"]))
    except (OSError, ValueError, KeyError, TypeError, IncognoteError):
        return None


def keep(file: Path, choice: Choice) -> None:
    """Whole or not at all, so that another process never reads half a file; a cache that cannot be written is done without."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_name(f".{file.name}.{os.getpid()}")
        draft.write_text(json.dumps(asdict(choice) | {"since": time.strftime("%Y-%m-%d %H:%M")}), encoding="utf-8")
        draft.replace(file)
    except OSError:
        return


def forget(file: Path | None) -> None:
    """Let what was kept be found anew."""
    if file is not None:
        file.unlink(missing_ok=True)
