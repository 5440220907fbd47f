"""The ways of shrinking that bench/shrink_gpu.py measures, each a function from a job to a row of figures."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incognote.document import scheme
from incognote.find.model.checkpoint import load_checkpoint, save_checkpoint
from incognote.find.model.weights import start_model
from incognote.lab.shrink.aware import train_aware
from incognote.lab.shrink.distillation import DistillationSettings
from incognote.lab.shrink.factorize_tuned import factorize_tuned
from incognote.lab.shrink.layers import STRATEGIES, count_layers
from incognote.lab.shrink.quantize import load_gpu_runtime, quantize_dynamic, quantize_static
from incognote.lab.shrink.shapes import Shape, count_usage, measure_layers, shape_model
from incognote.lab.shrink.students import begin_from_layers, distill
from incognote.lab.shrink.table import F1, measure
from incognote.lab.shrink.tuning import inherit_recipe, retrain
from incognote.lab.training.data import Splits, load_splits
from incognote.lab.training.recipe import Recipe, Source
from incognote.lab.training.tasks.tagging import prepare_tagging


@dataclass(frozen=True, slots=True)
class Model:
    """An encoder, how it is fine-tuned, and how many layers are dropped from it."""

    rate: float
    epochs: int
    drops: Sequence[int]
    every_way: bool


MODELS = {
    "granite-30m": Model(rate=6e-4, epochs=24, drops=(2, 4), every_way=True),
    "gte-small": Model(rate=3e-4, epochs=24, drops=(2, 4, 6), every_way=False),
}
# Epochs of what follows the full fine-tuning. The student and the model of equal size that lost its top layers get the same.
STUDENT, SHORT, AWARE = 18, 4, 4
TOKENS, RANK = 12_000, 96


@dataclass(frozen=True, slots=True)
class Job:
    """One row of the table for one seed."""

    model: str
    seed: int
    way: str
    drop: int = 0
    strategy: str = ""
    epochs: int = 0

    @property
    def label(self) -> str:
        """The row, whatever the seed."""
        return " ".join(part for part in (self.way, f"{self.strategy} {self.drop}" if self.drop else "") if part)

    @property
    def name(self) -> str:
        return f"{self.model} {self.label} seed {self.seed}"

    @property
    def after(self) -> str:
        """The job that this one starts from."""
        return "" if self.way == "full" else Job(self.model, self.seed, "full").name


def list_jobs(models: Sequence[str], seeds: Sequence[int], *, tiny: bool) -> list[Job]:
    """Full models first; then way by way over all seeds, so that time that runs out takes whole ways and not whole seeds."""
    full = [Job(model, seed, "full", epochs=_epochs(MODELS[model].epochs, tiny)) for model in models for seed in seeds]
    rest = []
    for model in models:
        depth = 2 if tiny else 6 if MODELS[model].every_way else 12
        ways: list[tuple[str, int, str, int]] = []
        if MODELS[model].every_way:
            half = depth // 2
            ways += [("distilled", half, "spread", STUDENT), ("dropped", half, "top", STUDENT), ("qat-int8", 0, "", AWARE)]
            ways += [("dynamic-int8", 0, "", 0), ("static-int8", 0, "", 0), ("factorized", 0, "", SHORT), ("vocabulary", 0, "", SHORT)]
        drops = [1] if tiny else MODELS[model].drops
        ways += [("dropped", drop, strategy, SHORT) for drop in drops for strategy in STRATEGIES]
        kept = {way[:3]: way for way in ways[::-1]}
        rest += [
            Job(model, seed, way, drop, strategy, _epochs(epochs, tiny))
            for way, drop, strategy, epochs in ways
            if kept[way, drop, strategy] == (way, drop, strategy, epochs)
            for seed in seeds
        ]
    return full + rest


def _epochs(epochs: int, tiny: bool) -> int:
    return min(1, epochs) if tiny else epochs


def read_splits(place: Any) -> Splits:
    """Train and dev of MEDDOCAN."""
    return load_splits(Recipe(model="-", data=(Source(place.train, part="train"), Source(place.dev, part="validation"))))


def full_folder(job: Job, place: Any) -> Path:
    return Path(place.work) / "models" / Job(job.model, job.seed, "full").name.replace(" ", "-")


def own_folder(job: Job, place: Any) -> Path:
    return Path(place.work) / "models" / job.name.replace(" ", "-")


def clear(job: Job, place: Any) -> None:
    """Remove what a run that was ended may have left of the job."""
    own = own_folder(job, place)
    for name in (own.name, f"{own.name}-cut", f"{own.name}-fp32", f"{own.name}.draft"):
        shutil.rmtree(own.with_name(name), ignore_errors=True)


def make_recipe(job: Job, place: Any) -> Recipe:
    """The settings of the study meddocan; validation comes once, at the end."""
    small = {"window": 64, "overlap": 16, "batch": 4} if place.tiny else {"window": 512, "overlap": 128, "batch": 16}
    return Recipe(
        model=str(Path(place.encoders) / job.model),
        scheme="meddocan",
        seed=job.seed,
        epochs=max(1, job.epochs),
        learning_rate=MODELS[job.model].rate,
        warmup=1,
        newline_token=True,
        validate_every=1000,
        save_every=0,
        compile="no",
        **small,
    )


def train_full(job: Job, place: Any, splits: Splits) -> dict[str, Any]:
    recipe = make_recipe(job, place)
    from incognote.lab.training.loop import train

    task = prepare_tagging(recipe, splits)
    outcome = train(task, recipe)
    draft = own_folder(job, place).with_name(f"{own_folder(job, place).name}.draft")
    task.save(task.model, draft, card={})
    draft.rename(own_folder(job, place))
    return score(own_folder(job, place), splits) | {"epoch": outcome.epoch}


def tuning(job: Job, place: Any) -> Recipe:
    """A short training from the full model: half its rate, warmed up for a tenth of it."""
    changes = {"learning_rate": MODELS[job.model].rate / 2, "warmup": 0.1 * job.epochs, "validate_every": 1000, "compile": "no"}
    batch = 4 if place.tiny else 16
    return inherit_recipe(load_checkpoint(full_folder(job, place)), epochs=job.epochs, seed=job.seed, batch=batch, **changes)


def quantize_now(job: Job, place: Any, splits: Splits) -> dict[str, Any]:
    return score(quantize_dynamic(full_folder(job, place), own_folder(job, place)), splits, clean=True)


def quantize_calibrated(job: Job, place: Any, splits: Splits) -> dict[str, Any]:
    return score(quantize_static(full_folder(job, place), own_folder(job, place), splits.train, device=_device()), splits, clean=True)


def quantize_aware(job: Job, place: Any, splits: Splits) -> dict[str, Any]:
    target = own_folder(job, place)
    exact = target.with_name(f"{target.name}-fp32")
    train_aware(full_folder(job, place), target, tuning(job, place), splits, exact=exact)
    whole = score(exact, splits, clean=True)
    return score(target, splits, clean=True) | {"fp32": whole}


def factor(job: Job, place: Any, splits: Splits) -> dict[str, Any]:
    target = own_folder(job, place)
    factorize_tuned(
        load_checkpoint(full_folder(job, place)), target, rank=8 if place.tiny else RANK, recipe=tuning(job, place), splits=splits
    )
    return score(target, splits, clean=True)


def prune_words(job: Job, place: Any, splits: Splits) -> dict[str, Any]:
    return shaped(job, place, splits, Shape(tokens=330 if place.tiny else TOKENS))


def drop(job: Job, place: Any, splits: Splits) -> dict[str, Any]:
    return shaped(job, place, splits, Shape(drop=job.drop, strategy=job.strategy))


def shaped(job: Job, place: Any, splits: Splits, shape: Shape) -> dict[str, Any]:
    """The full model cut to the shape, scored as it is and after a short training."""
    source, target = load_checkpoint(full_folder(job, place)), own_folder(job, place)
    counts = count_usage(source, splits.train) if shape.tokens else None
    likeness = measure_layers(source, shape, splits.train)
    cut = shape_model(source, target.with_name(f"{target.name}-cut"), shape, counts=counts, likeness=likeness)
    untrained = score(cut, splits)
    retrain(cut, target, tuning(job, place), splits, origin=source.name, scored=())
    shutil.rmtree(cut)
    return score(target, splits, clean=True) | {"untrained": untrained["f1"]} | ({"likeness": list(likeness)} if likeness else {})


def teach(job: Job, place: Any, splits: Splits) -> dict[str, Any]:
    teacher, target = load_checkpoint(full_folder(job, place)), own_folder(job, place)
    layers = count_layers(teacher.config) - job.drop
    recipe = tuning(job, place)
    distill(
        [teacher],
        target,
        recipe,
        splits,
        begin=lambda at: begin_from_layers(teacher, at, layers=layers),
        settings=DistillationSettings(),
        scored=(),
    )
    return score(target, splits, clean=True)


WAYS: dict[str, Callable[[Job, Any, Splits], dict[str, Any]]] = {
    "full": train_full,
    "dynamic-int8": quantize_now,
    "static-int8": quantize_calibrated,
    "qat-int8": quantize_aware,
    "factorized": factor,
    "vocabulary": prune_words,
    "dropped": drop,
    "distilled": teach,
}


def score(folder: Path, splits: Splits, *, clean: bool = False) -> dict[str, Any]:
    """Sizes and dev scores of a model, on the GPU where there is one; int8 is rounded there as the processor's graph rounds."""
    line = measure(folder, splits.validation, runtime=load_gpu_runtime(folder), timed=False)
    assert line.evaluation
    assert line.f1
    assert line.recall
    counts = line.evaluation.counts(F1.counts)
    if clean:
        shutil.rmtree(folder)
    figures = {"f1": line.f1.value, "recall": line.recall.value, "weights": line.weights, "size": line.size, "parameters": line.parameters}
    return figures | {"counts": [counts.tp, counts.fp, counts.fn]}


def _device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def begin_models(place: Any, model: str, work: Path) -> Path:
    """A tagger with the shape of the full model and a new head: for measuring speed, weights do not matter."""
    tags = scheme("meddocan").tags
    network, folder = start_model(Path(place.encoders) / model, tags)
    return save_checkpoint(work / "full", network, tags=tags, tokenizer_from=folder, settings={"window": 512, "overlap": 128})
