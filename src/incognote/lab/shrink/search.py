"""The search for a smaller model that is good enough: trials one after the other, the cheap ways first, resumable at any time."""

import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from incognote.corpora.files import write_whole
from incognote.errors import ConfigError, OutputError, TrainingError
from incognote.find.model.checkpoint import Checkpoint, load_checkpoint
from incognote.find.model.tensors import is_quantized
from incognote.lab.shrink.aware import train_aware
from incognote.lab.shrink.factorize import check_rank, factorize
from incognote.lab.shrink.factorize_tuned import factorize_tuned
from incognote.lab.shrink.frontier import Found, find_frontier, find_out, meets, read_found, write_found
from incognote.lab.shrink.quantize import load_gpu_runtime, name_bits, quantize_dynamic
from incognote.lab.shrink.shapes import count_usage, shape_model
from incognote.lab.shrink.students import distill
from incognote.lab.shrink.table import Line, measure
from incognote.lab.shrink.trials import Trial, by_way, measure_parts, plan_trials
from incognote.lab.shrink.tuning import inherit_recipe, retrain
from incognote.lab.training.data import Splits
from incognote.lab.training.loop import Watch
from incognote.lab.training.recipe import Recipe

WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Wish:
    """What is searched for: a folder of at most ``target`` bytes that loses at most ``max_loss`` of F1, within some minutes (0: any)."""

    target: float
    max_loss: float = 0.005
    minutes: float = 0.0
    every_way: bool = False


@dataclass(frozen=True, slots=True)
class Search:
    """A search under way: the model, its notes, the folder, and the recipes of its trainings."""

    source: Checkpoint
    splits: Splits = field(repr=False)
    folder: Path
    tuning: Recipe
    distilling: Recipe
    watch: Watch | None = None
    say: Callable[[str], None] = lambda line: None

    @property
    def models(self) -> Path:
        return self.folder / "models"

    def result(self, name: str) -> Path:
        return self.folder / "trials" / f"{name}.json"


def search(
    source: Checkpoint,
    splits: Splits,
    folder: Path,
    wish: Wish,
    *,
    epochs: int = 3,
    resume: bool = False,
    changes: dict[str, object] | None = None,
    watch: Watch | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> list[Found]:
    """Try shapes and ways until one is good enough or the time is up; the models on the frontier stay in ``folder/models``.

    Ways that cost more are left out once a cheaper one gave what is wished for. ``epochs`` are those of a tuning; a student has
    twice as many. Models are scored on the validation notes, which also choose the epoch, so a test part should confirm the winner.
    """
    started = time.monotonic()
    tuning, distilling = (inherit_recipe(source, epochs=epochs * times, **(changes or {})) for times in (1, 2))
    under_way = Search(source, splits, folder, tuning, distilling, watch, say)
    _open_folder(under_way, epochs, changes, resume=resume)
    usage = count_usage(source, splits.train)
    trials = by_way(plan_trials(measure_parts(source), usage, target=wish.target))
    whole = measure(source.folder, splits.validation, name=WHOLE, runtime=load_gpu_runtime(source.folder))
    found = [find_out(whole, name=WHOLE, way=WHOLE)]
    for way, planned in trials.items():
        if not wish.every_way and any(meets(one, target=wish.target, max_loss=wish.max_loss) for one in found):
            if planned:
                say(f"{len(planned)} trials of the way {way} are left out: a cheaper way was good enough")
            continue
        for number, trial in enumerate(planned):
            if wish.minutes and time.monotonic() - started > 60 * wish.minutes:
                say(f"the time is up: {len(planned) - number} trials of the way {way} are left for a resumed search")
                return found
            found += _try(under_way, trial, usage, whole)
            _prune(under_way, found)
    return found


def _try(under_way: Search, trial: Trial, usage: Mapping[int, int], whole: Line) -> list[Found]:
    """The model of a trial as it is, in int8 and in int4; what was tried before is read."""
    file = under_way.result(trial.name)
    if file.exists():
        return read_found(file)
    started = time.monotonic()
    place = _fresh(under_way.models / trial.name)
    with tempfile.TemporaryDirectory(prefix="incognote-search-") as scratch:
        cut = _cut(under_way, trial, usage, Path(scratch) / "cut")
        try:
            if cut:
                _make(under_way, trial, cut, place)
        except TrainingError as error:
            under_way.say(f"{trial.name}: {error}")
            shutil.rmtree(place, ignore_errors=True)
    if not place.exists():
        write_found([], file)
        return []
    folders = {trial.name: place}
    if not is_quantized(place):
        for bits in (8, 4):
            name = f"{trial.name}-{name_bits(bits)}"
            folders[name] = quantize_dynamic(place, _fresh(under_way.models / name), bits=bits)
    seconds = time.monotonic() - started
    notes = under_way.splits.validation
    lines = {name: measure(made, notes, name=name, against=whole, runtime=load_gpu_runtime(made)) for name, made in folders.items()}
    found = [find_out(line, name=name, way=trial.way, seconds=seconds) for name, line in lines.items()]
    for one in found:
        under_way.say(f"{one.name}: {one.size / 1e6:.1f} MB, F1 {one.f1:.4f} ({one.change:+.4f}), speed ×{one.speed:.2f}")
    write_found(found, file)
    return found


def _fresh(place: Path) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    return place


def _cut(under_way: Search, trial: Trial, usage: Mapping[int, int], place: Path) -> Path | None:
    """The model in the trial's shape, its embedding still whole; none where there is no such shape.

    A tokenizer may need more tokens than a shape leaves it, and an embedding may be too small to be split.
    """
    shape = trial.shape
    try:
        cut = shape_model(under_way.source, place, replace(shape, rank=0), counts=usage)
        if shape.rank:
            check_rank(load_checkpoint(cut), shape.rank)
    except ConfigError as error:
        under_way.say(f"{trial.name}: cannot be made: {'; '.join(error.faults)}")
        return None
    return cut


def _make(under_way: Search, trial: Trial, cut: Path, place: Path) -> None:
    """The model of the trial from its cut shape."""
    source, splits, rank, watch = under_way.source, under_way.splits, trial.shape.rank, under_way.watch
    if trial.way == "distilled":

        def begin(folder: Path) -> Path:
            return Path(shutil.copytree(cut, folder))

        distill([source], place, under_way.distilling, splits, begin=begin, scored=("validation",), watch=watch)
    elif trial.way == "rounded":
        train_aware(cut, place, under_way.tuning, splits, exact=cut.with_name("exact"), bits=4, scored=("validation",), watch=watch)
    elif trial.way == "tuned" and rank:
        factorize_tuned(load_checkpoint(cut), place, rank=rank, recipe=under_way.tuning, splits=splits, scored=("validation",), watch=watch)
    elif trial.way == "tuned":
        retrain(cut, place, under_way.tuning, splits, origin=source.name, scored=("validation",), watch=watch)
    elif rank:
        factorize(load_checkpoint(cut), place, rank=rank, texts=[note.text for note in splits.train])
    else:
        shutil.copytree(cut, place)


def _prune(under_way: Search, found: Sequence[Found]) -> None:
    """Keep the models on the frontier and remove all others; their figures stay."""
    kept = {one.name for one in find_frontier(found)}
    for folder in under_way.models.iterdir() if under_way.models.is_dir() else ():
        if folder.name not in kept:
            shutil.rmtree(folder)


def _open_folder(under_way: Search, epochs: int, changes: dict[str, object] | None, *, resume: bool) -> None:
    """Begin or resume; a folder of another search is never resumed."""
    folder = under_way.folder
    state = hashlib.sha256(json.dumps([under_way.splits.digest, epochs, changes or {}], sort_keys=True, default=str).encode())
    for file in sorted(under_way.source.folder.glob("*.safetensors")):
        state.update(file.read_bytes())
    mark = state.hexdigest()[:16]
    record = folder / "search.json"
    if folder.exists() and not (resume and record.exists()):
        raise OutputError("exists already", where=folder, fix="give another folder, or set {resume} to continue a search")
    if record.exists() and _read_mark(record) != mark:
        raise OutputError("holds a search with another model, other notes or other settings", where=folder, fix="give another folder")
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(record, (json.dumps({"mark": mark, "model": under_way.source.name, "epochs": epochs}) + "\n").encode())


def _read_mark(record: Path) -> str:
    try:
        return str(json.loads(record.read_text(encoding="utf-8"))["mark"])
    except (ValueError, TypeError, KeyError):
        raise ConfigError(str(record), ["is not the record of a search"], fix="give another folder") from None
