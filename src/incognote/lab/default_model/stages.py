"""The stages that make the shipped model, from data to package, as a table."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from incognote.errors import ConfigError
from incognote.lab.default_model.build import Build, log
from incognote.lab.default_model.data import ENCODER, make_data
from incognote.lab.default_model.package import package_model
from incognote.lab.default_model.quantization import add_pruning_heads, average_weights, make_int8, measure_margin
from incognote.lab.default_model.rescorer import make_rescorer
from incognote.lab.default_model.training import Plan, train_model


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of the build: ``make`` writes all its output into the folder it is given."""

    name: str
    makes: str
    make: Callable[[Build, Path], object]


def train_teachers(build: Build, out: Path) -> None:
    """Each teacher alone, from its encoder."""
    settings = build.settings
    for seed, name in enumerate(settings.teachers):
        start = build.encoder(name)
        train_model(build, out / name, Plan(start=start, minutes=settings.teacher_minutes, rate=settings.teacher_rate, seed=seed))


def distill_student(build: Build, out: Path) -> None:
    """The student, distilled from all teachers."""
    settings, teachers = build.settings, build.stage("teachers")
    plan = Plan(
        start=build.stage("data") / ENCODER,
        minutes=settings.distillation_minutes,
        rate=settings.rate,
        seed=len(settings.teachers),
        teachers=tuple(teachers / name for name in settings.teachers),
    )
    train_model(build, out, plan)


def train_members(build: Build, out: Path) -> None:
    """The mean of several trainings that start from the distilled student, each of which ends in rounding as int8 does."""
    settings = build.settings
    members = [
        train_model(
            build,
            out.with_name(f"{out.name}-{number}"),
            Plan(
                start=build.stage("distillation"),
                minutes=settings.training_minutes,
                rate=settings.rate,
                seed=len(settings.teachers) + 1 + number,
                rounding_from=settings.rounding_from,
            ),
        )
        for number in range(settings.members)
    ]
    average_weights(members, out)
    for member in members:
        rmtree(member)


STAGES = (
    Stage("data", "notes with synthetic PHI, and the student with its vocabulary cut", make_data),
    Stage("teachers", "larger encoders trained alone", train_teachers),
    Stage("distillation", "the student, distilled from the teachers", distill_student),
    Stage("training", "the mean of several further trainings", train_members),
    Stage("int8", "the model in int8, calibrated, with its recall bias", make_int8),
    Stage("pruning-heads", "the same with token pruning heads", add_pruning_heads),
    Stage("confidence-margin", "the same with the margin of the cascade", measure_margin),
    Stage("rescorer", "the weights of the rescorer", make_rescorer),
    Stage("package", "the folder that ships, with card and checksums", package_model),
)
"""In this order. Heads and margin come after int8, because both are fitted on what the int8 model says."""


def run_stages(build: Build, *, only: str = "") -> None:
    """Run every stage whose output is not there, or that one alone, again; an output appears whole or not at all."""
    if only and only not in {stage.name for stage in STAGES}:
        raise ConfigError("stage", [f"no stage {only!r}"], fix=f"take one of {', '.join(stage.name for stage in STAGES)}")
    build.out.mkdir(parents=True, exist_ok=True)
    for stage in STAGES:
        target, draft = build.out / stage.name, build.out / f".{stage.name}"
        if (only and stage.name != only) or (not only and target.exists()):
            continue
        log(f"{stage.name}: {stage.makes}")
        rmtree(draft, ignore_errors=True)
        stage.make(build, draft)
        rmtree(target, ignore_errors=True)
        draft.rename(target)
