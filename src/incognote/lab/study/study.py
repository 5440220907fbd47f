"""A Study: models, each with a grid of settings, times seeds, on a corpus; read from TOML and expanded into the runs it plans."""

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from incognote.errors import ConfigError
from incognote.lab.study.published import read_published
from incognote.lab.training.recipe import (
    SCHEME,
    Recipe,
    Source,
    SplitSettings,
    find_settings,
    parse_recipe,
    parse_sources,
    parse_split,
    place_encoder,
    read_toml,
)
from incognote.lab.training.settings import ANY_TEXT, FLAG, SEED, TEXT, Rule, find_faults, setting, whole

STUDIES = Path(__file__).parent / "studies"
SEEDS = Rule(
    f"a list of different numbers, each {SEED.wants}",
    lambda value: isinstance(value, list | tuple) and bool(value) and all(map(SEED.accepts, value)) and len(set(value)) == len(value),
)
TABLE = Rule("a table", lambda value: isinstance(value, Mapping))
TABLES = Rule(
    "a list of tables", lambda value: isinstance(value, list | tuple) and bool(value) and all(isinstance(v, Mapping) for v in value)
)
PUBLISHED = Rule("none, or one of " + ", ".join(read_published()), lambda value: value == "" or value in read_published())
# Where no folder is given, the study goes to out/NAME.
NAME = Rule(
    "a text that names a folder in out/, without .. or a / before it",
    lambda value: TEXT.accepts(value) and not Path(value).is_absolute() and ".." not in Path(value).parts,
)
MODEL_NAME = Rule("a text with a letter or a digit", lambda value: isinstance(value, str) and bool(slug(value)))
# What a study says once, for all its runs, and under which name.
_SAID_ONCE = {"seed": "seeds", "scheme": "scheme", "data": "data", "split": "split"}
_SHORT = {"epochs": "e", "learning_rate": "lr", "weight_decay": "wd", "batch": "b", "seed": "s"}


@dataclass(frozen=True, slots=True)
class Study:
    """``keep`` is how many checkpoints stay for each model; ``published`` names a table of published numbers for the same corpus."""

    name: str = setting(NAME)
    models: tuple["Model", ...] = setting(TABLES)
    title: str = setting(ANY_TEXT, "")
    seeds: tuple[int, ...] = setting(SEEDS, (0,))
    scheme: str = setting(SCHEME, "")
    data: tuple[Source, ...] = ()
    split: SplitSettings | None = None
    recipe: Mapping[str, Any] = field(default_factory=dict, metadata={"rule": TABLE})
    leave_one_out: bool = setting(FLAG, False)
    keep: int = setting(whole(1), 1)
    published: str = setting(PUBLISHED, "")


@dataclass(frozen=True, slots=True)
class Model:
    """One row of the comparison: an encoder, what its recipe sets, and the grid over which it is tuned."""

    name: str
    recipe: Mapping[str, Any]
    grid: Mapping[str, Sequence[Any]]


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A run still to do: its name, the model's name in the study, its recipe, and the corpus it leaves out, if any."""

    name: str
    model: str
    recipe: Recipe
    held_out: str = ""


@dataclass(frozen=True, slots=True)
class Unit:
    """Runs that are trained together: one, or all the lengths that share a prefix."""

    name: str
    runs: tuple[PlannedRun, ...]
    shared: bool

    @property
    def epochs(self) -> float:
        """How many epochs are trained for it."""
        lengths = [run.recipe.epochs for run in self.runs]
        return max(lengths) * (1 - self._decay) + self._decay * sum(lengths) if self.shared else float(sum(lengths))

    @property
    def _decay(self) -> float:
        return self.runs[0].recipe.decay


def read_study(path: str | Path) -> Study:
    """The study in a TOML file, or the one that ships under that name, with every fault of it and of its recipes listed at once."""
    file, folder = find_settings(path, STUDIES)
    return parse_study(read_toml(file), subject=str(path), folder=folder)


def parse_study(table: Mapping[str, Any], *, subject: str = "study", folder: Path | None = None) -> Study:
    """The study of a TOML table; paths in it are relative to ``folder``."""
    table = dict(table)
    sources, source_faults = parse_sources(table.get("data", ()), folder=folder)
    split, split_faults = parse_split(table.get("split"), folder=folder)
    faults = find_faults(Study, table) + source_faults + split_faults
    models, model_faults = _parse_models(table["models"]) if TABLES.accepts(table.get("models")) else ((), [])
    common = table.get("recipe", {})
    faults += model_faults + _recipe_faults(models, common if isinstance(common, Mapping) else {}, folder)
    faults += find_unnamed(sources) if table.get("leave_one_out") else []
    if faults:
        raise ConfigError(subject, faults)
    models = tuple(replace(model, recipe=_placed(model.recipe, folder)) for model in models)
    table |= {"models": models, "recipe": _placed(common, folder), "seeds": tuple(table.get("seeds", (0,)))}
    study = Study(**table | {"data": sources, "split": split})
    if faults := _same_names(study):
        raise ConfigError(subject, faults)
    return study


def find_unnamed(sources: Sequence[Source]) -> list[str]:
    """What is wrong with the sources of a study that leaves each out in turn; they may still be missing."""
    fine = not sources or len({source.name for source in sources}) > 1
    return [] if fine else ["leave_one_out: needs at least two sources in data, each with a name of its own"]


def _same_names(study: Study) -> list[str]:
    names = Counter(run.name for run in plan_runs(study))
    return [f"two runs are named {name}; give the models other names, and each value once" for name, count in names.items() if count > 1]


def _placed(recipe: Mapping[str, Any], folder: Path | None) -> Mapping[str, Any]:
    return {**recipe, "model": place_encoder(recipe["model"], folder)} if "model" in recipe else recipe


def _parse_models(rows: Sequence[Mapping[str, Any]]) -> tuple[tuple[Model, ...], list[str]]:
    models, faults = [], []
    for index, row in enumerate(rows):
        name, grid = row.get("name", row.get("model", "")), row.get("grid", {})
        if not MODEL_NAME.accepts(name):
            faults.append(f"models[{index}].name = {name!r}: wants {MODEL_NAME.wants}")
        if not isinstance(grid, Mapping) or not all(isinstance(values, list) and values for values in grid.values()):
            faults.append(f"models[{index}].grid: wants a table of non-empty lists")
            continue
        if "model" in grid:
            faults.append(f"models[{index}].grid.model: give every encoder a [[models]] table of its own")
        models.append(Model(str(name), {key: value for key, value in row.items() if key not in ("name", "grid")}, dict(grid)))
    names = [model.name for model in models]
    faults += [f"models: two are named {name}" for name in sorted({n for n in names if names.count(n) > 1})]
    return tuple(models), faults


def _recipe_faults(models: Sequence[Model], common: Mapping[str, Any], folder: Path | None) -> list[str]:
    """The faults of every recipe the study would make, each fault once."""
    faults: dict[str, None] = {}
    for model in models:
        for settings in _settings(common, model):
            once = (key for key in _SAID_ONCE if key in settings)
            said = (f"{model.name}: {key}: is one for all runs; give {_SAID_ONCE[key]} before every table" for key in once)
            faults.update(dict.fromkeys(said))
            try:
                task = parse_recipe(settings, folder=folder).task
            except ConfigError as error:
                faults.update(dict.fromkeys(f"{model.name}: {fault}" for fault in error.faults))
                continue
            if task != "tags":
                faults[f"{model.name}: task = {task!r}: a study compares taggers only; train others one by one (incognote train)"] = None
    return list(faults)


def _settings(common: Mapping[str, Any], model: Model) -> Iterator[dict[str, Any]]:
    for values in itertools.product(*model.grid.values()):
        yield {**common, **model.recipe, **dict(zip(model.grid, values, strict=True))}


def plan_runs(study: Study) -> list[PlannedRun]:
    """Every run of the study: models × grid × seeds, and times corpora when each is left out in turn."""
    left_out = list(dict.fromkeys(source.name for source in study.data)) if study.leave_one_out else [""]
    planned = []
    for held_out, model, seed in itertools.product(left_out, study.models, study.seeds):
        for settings in _settings(study.recipe, model):
            recipe = parse_recipe({**settings, "seed": seed, "scheme": study.scheme})
            recipe = replace(recipe, data=_sources(study.data, held_out), split=study.split)
            name = "-".join([slug(model.name), *(_part(key, settings[key]) for key in model.grid), f"s{seed}"])
            planned.append(PlannedRun(f"{name}-without-{slug(held_out)}" if held_out else name, model.name, recipe, held_out))
    return planned


def _sources(sources: Sequence[Source], held_out: str) -> tuple[Source, ...]:
    """The corpora of a run; the one left out is its test, whole, and the others give no test of their own."""
    if not held_out:
        return tuple(sources)
    others = [source for source in sources if source.name != held_out and source.part != "test"]
    learned = (replace(source, part="learn") if source.part == "all" else source for source in others)
    return (*learned, *(replace(source, part="test") for source in sources if source.name == held_out))


def group_units(runs: Sequence[PlannedRun], *, exact: bool) -> list[Unit]:
    """The runs as they are trained: each alone when ``exact``, else those that differ in length only as one shared prefix."""
    if exact:
        return [Unit(run.name, (run,), shared=False) for run in runs]
    prefixes: dict[object, list[PlannedRun]] = {}
    for run in runs:
        values = tuple(str(getattr(run.recipe, f.name)) for f in fields(Recipe) if f.name != "epochs")
        prefixes.setdefault((run.model, run.held_out, values), []).append(run)
    units = []
    for group in prefixes.values():
        short = group[0].name.replace(f"-e{group[0].recipe.epochs}-", "-")
        units.append(Unit(f"{short}-prefix", tuple(sorted(group, key=lambda r: r.recipe.epochs)), shared=True))
    return units


def slug(name: str) -> str:
    """The name in characters that a file may have; no dot leads it, because such files are hidden.

    >>> slug("BERT-Base (cased)"), slug("../encoders/gte-v1.5")
    ('bert-base-cased', 'encoders-gte-v1.5')
    """
    return "-".join("".join(c if c.isalnum() or c in "._" else " " for c in name.lower()).split()).lstrip(".-")


def _part(key: str, value: object) -> str:
    text = f"{value:g}" if isinstance(value, float) else slug(str(value))
    return f"{_SHORT.get(key, key + '_')}{text}"
