"""Students: a small model to begin with, and the whole way from teachers and notes to a finished Checkpoint."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from incognote.document import Document
from incognote.errors import CheckpointError, ConfigError
from incognote.find.model.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.weights import start_model
from incognote.lab.shrink.distillation import DistillationSettings, prepare_distillation
from incognote.lab.shrink.distillation_targets import check_teachers
from incognote.lab.shrink.layers import count_layers
from incognote.lab.shrink.shapes import Shape, shape_model
from incognote.lab.shrink.table import count_parameters
from incognote.lab.shrink.tuning import retrain
from incognote.lab.training.data import Splits
from incognote.lab.training.loop import Watch
from incognote.lab.training.recipe import Recipe
from incognote.lab.training.run import Run
from incognote.lab.training.task import Task
from incognote.lab.training.tasks.tagging import Tagging


def distill(
    teachers: Sequence[Checkpoint],
    target: Path,
    recipe: Recipe,
    splits: Splits,
    *,
    begin: Callable[[Path], Path],
    settings: DistillationSettings = DistillationSettings(),
    unlabelled: Sequence[Document] = (),
    scored: Sequence[str] = ("validation", "test"),
    watch: Watch | None = None,
) -> Run:
    """Teach a student what the teachers know and save it as ``target``; ``begin`` writes it, untaught, into the folder it is given."""
    taggers = [EncoderTagger(str(teacher.folder)) for teacher in teachers]
    check_teachers(taggers)

    def wrap(tagging: Tagging) -> Task:
        return prepare_distillation(tagging, taggers, settings, unlabelled=unlabelled)

    with tempfile.TemporaryDirectory(prefix="incognote-student-") as scratch:
        student = begin(Path(scratch) / "student")
        check_smaller(student, teachers)
        origin = "+".join(teacher.name for teacher in teachers)
        return retrain(student, target, recipe, splits, origin=origin, wrap=wrap, scored=scored, watch=watch)


def begin_from_layers(teacher: Checkpoint, place: Path, *, layers: int = 0) -> Path:
    """A student of every other layer of its teacher, or of so many at even distances."""
    count = count_layers(teacher.config)
    keep = layers or max(1, count // 2)
    if keep > count:
        raise ConfigError(
            "distill", [f"a student of {keep} layers: its teacher {teacher.name} has {count}, and a student must not be larger"]
        )
    return shape_model(teacher, place, Shape(drop=count - keep))


def begin_from_folder(source: str | Path, tags: Sequence[str], place: Path, *, seed: int = 0) -> Path:
    """A student of another architecture, bare or a tagger already, with a head for these tags."""
    torch.manual_seed(seed)
    model, folder = start_model(source, tags)
    try:
        own = load_checkpoint(folder).tags
    except CheckpointError:
        own = tuple(tags)  # a bare encoder
    if own != tuple(tags):
        raise ConfigError("distill", [f"{source}: is a tagger with other tags than its teachers'; give a bare encoder"])
    return save_checkpoint(place, model, tags=tags, tokenizer_from=folder)


def check_smaller(student: Path, teachers: Sequence[Checkpoint]) -> None:
    """Raise when the student has more parameters than every teacher."""
    own, most = count_parameters(student), max(count_parameters(teacher.folder) for teacher in teachers)
    if own > most:
        raise ConfigError("distill", [f"the student has {own:,} parameters and its largest teacher {most:,}; a student must not be larger"])
