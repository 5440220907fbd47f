"""A Build: where its inputs are, where its stages write, and the numbers it is made with."""

import logging
import os
from dataclasses import dataclass, field
from pathlib import Path

from incognote.errors import ConfigError

log = logging.getLogger("incognote.lab.default_model").info


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The numbers of a build. ``docs/results/teachers.md`` says how the model that ships was trained, part by part."""

    student: str = "granite-30m"
    teachers: tuple[str, ...] = ("distilbert-cased", "mpnet-base")
    tokens: int = 24_000  # that the student's vocabulary is cut to
    variants: int = 5  # of each real text, with other PHI in it
    counted: int = 6_000  # synthetic notes whose tokens are counted, four times
    listed: int | None = None  # entries of each word list whose tokens are counted; all of them when None
    teacher_minutes: float = 10.0
    distillation_minutes: float = 9.0
    training_minutes: float = 11.0
    teacher_rate: float = 1e-4
    rate: float = 5e-4
    members: int = 4  # trainings whose weights are averaged
    rounding_from: float = 0.55  # of the time of a training: from then on weights are rounded as int8 rounds them
    batch_tokens: int = 49_152
    pool: int = 4_096  # windows sorted by length together
    readers: int = 2
    writers: int = max(1, min(12, (os.cpu_count() or 2) - 3))
    evaluated: int = 400  # synthetic notes to score
    pruned_on: tuple[int, int] = (1_200, 3_000)  # real texts, as they are and with other PHI, and synthetic notes
    rescored_on: tuple[int, int] = (2_500, 150)  # synthetic notes, and notes of each natural kind
    most_lost: float = 0.002  # binary token F1 that int8 may cost


TINY = Settings(
    tokens=300,
    variants=1,
    counted=2,
    listed=50,
    teacher_minutes=0.01,
    distillation_minutes=0.01,
    training_minutes=0.01,
    members=2,
    batch_tokens=1_024,
    pool=16,
    readers=0,
    writers=0,
    evaluated=4,
    pruned_on=(8, 8),
    rescored_on=(6, 1),
    most_lost=1.0,
)
"""A build of seconds, with encoders of two layers, that tries every stage."""


@dataclass(frozen=True, slots=True)
class Build:
    """``data`` holds the real texts, ``encoders`` a Hugging Face folder for each name of the settings, ``repository`` the hand-written
    notes; each stage writes ``out/NAME``."""

    data: Path
    encoders: Path
    repository: Path
    out: Path
    settings: Settings = field(default_factory=Settings)

    def stage(self, name: str) -> Path:
        """What that stage wrote."""
        folder = self.out / name
        if not folder.exists():
            raise ConfigError(str(folder), [f"the stage {name} has not run"], fix=f"run the stage {name} first")
        return folder

    def encoder(self, name: str) -> Path:
        """The folder of a pretrained encoder."""
        folder = self.encoders / name
        if not (folder / "config.json").is_file():
            raise ConfigError(str(folder), [f"no encoder {name}"], fix="save it there as a Hugging Face folder")
        return folder
