"""A Recipe: every setting of one training, frozen, read from TOML, with all its faults listed at once."""

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from incognote.document import scheme_names
from incognote.errors import ConfigError
from incognote.lab.training.regimes import FEATURES, FREEZE, find_conflicts
from incognote.lab.training.settings import (
    ANY_TEXT,
    FLAG,
    LABEL_MAP,
    RATES,
    RATIO,
    SEED,
    TEXT,
    Rule,
    choice,
    find_faults,
    format_toml,
    number,
    setting,
    whole,
)

RECIPES = Path(__file__).parent / "recipes"
SCHEME = Rule("one of " + ", ".join(scheme_names()) + ", or none", lambda value: value == "" or value in scheme_names())
TASKS = ("tags", "classes", "pairs", "answers", "words")
SCHEDULES = ("constant", "linear", "cosine", "warmup-stable-decay")


@dataclass(frozen=True, slots=True)
class Source:
    """A corpus to read. ``part`` says what its documents serve for; ``map`` renames its labels after ``scheme``'s own map.

    ``all`` takes the parts of the corpus as they are, ``learn`` the same without its test documents.
    """

    path: str = setting(TEXT)
    name: str = setting(ANY_TEXT, "")
    scheme: str = setting(SCHEME, "")
    part: str = setting(choice("all", "learn", "train", "validation", "test"), "all")
    map: Mapping[str, str] = field(default_factory=dict, metadata={"rule": LABEL_MAP}, hash=False)


@dataclass(frozen=True, slots=True)
class SplitSettings:
    """How to divide a corpus that comes without splits: a ratio, or the record that ``incognote split`` wrote.

    By note is what Meaney et al. did; by patient keeps what is learned of a patient out of the test.
    """

    ratio: str = setting(RATIO, "50:10:40")
    by: str = setting(choice("patient", "note"), "patient")
    seed: int = setting(whole(0), 0)
    record: str = setting(ANY_TEXT, "")


@dataclass(frozen=True, slots=True)
class Recipe:
    """The settings of one training.

    ``batch`` is the number of samples for each step of the optimizer; ``memory_tokens`` caps how many tokens pass through
    the model at once and changes memory, and the result only by what dropout draws and by rounding. ``warmup`` counts epochs, so that
    runs of different length share their beginning; ``decay`` is the last share of a warmup-stable-decay run. ``learning_rates`` sets the
    rate of ``head``, ``embeddings`` or a layer by number; other parts get ``learning_rate`` times ``layer_decay``
    for each layer below the top. ``freeze`` holds that many lower layers still; with ``features``, a frozen encoder runs once over each
    text and the head learns from the hidden states kept: the ``last``, those after a layer, or several together.
    ``save_every`` counts epochs between saved states; 0 saves none, for runs too short to resume.
    """

    model: str = setting(TEXT)
    task: str = setting(choice(*TASKS), "tags")
    scheme: str = setting(SCHEME, "")
    data: tuple[Source, ...] = ()
    split: SplitSettings | None = None
    seed: int = setting(SEED, 0)

    batch: int = setting(whole(1), 16)
    memory_tokens: int = setting(whole(0), 0)
    epochs: int = setting(whole(1), 10)
    learning_rate: float = setting(number(1e-9, 1), 5e-5)
    schedule: str = setting(choice(*SCHEDULES), "linear")
    warmup: float = setting(number(0), 0.0)
    decay: float = setting(number(0, 1), 0.1)
    weight_decay: float = setting(number(0, 1), 0.01)
    max_grad_norm: float = setting(number(0), 1.0)
    label_smoothing: float = setting(number(0, 0.9), 0.0)
    freeze: str | int = setting(FREEZE, "none")
    features: str | int = setting(FEATURES, "")
    layer_decay: float = setting(number(0.01, 1), 1.0)
    learning_rates: Mapping[str, float] = field(default_factory=dict, metadata={"rule": RATES}, hash=False)

    dropout: float = setting(number(-1, 0.9), -1.0)
    ema: float = setting(number(0, 0.99999), 0.0)
    r_drop: float = setting(number(0), 0.0)
    adversarial: float = setting(number(0), 0.0)
    token_masking: float = setting(number(0, 0.9), 0.0)

    window: int = setting(whole(8), 512)
    overlap: int = setting(whole(0), 128)
    newline_token: bool = setting(FLAG, False)

    select: str = setting(choice("strict", "token"), "strict")
    validate_every: int = setting(whole(1), 1)
    early_stopping: int = setting(whole(0), 0)
    save_every: int = setting(whole(0), 1)

    precision: str = setting(choice("auto", "fp32", "bf16", "bf16-weights"), "auto")
    compile: str = setting(choice("auto", "yes", "no"), "auto")
    gradient_checkpointing: bool = setting(FLAG, False)


def parse_recipe(table: Mapping[str, Any], *, subject: str = "recipe", folder: Path | None = None) -> Recipe:
    """The recipe of a TOML table; paths in it are relative to ``folder``.

    >>> parse_recipe({"modle": "x", "batch": 0})
    Traceback (most recent call last):
    incognote.errors.ConfigError: recipe: 3 faults
      - modle: not a setting; nearest: model
      - model: missing; wants a non-empty text
      - batch = 0: wants a whole number from 1 up
    """
    table = dict(table)
    sources, source_faults = parse_sources(table.get("data", ()), folder=folder)
    split, split_faults = parse_split(table.get("split"), folder=folder)
    faults = find_faults(Recipe, table) + source_faults + split_faults
    faults += [] if faults else find_conflicts(table)
    window, overlap = table.get("window", 512), table.get("overlap", 128)
    if isinstance(window, int) and isinstance(overlap, int) and overlap * 2 > window:
        faults.append(f"overlap = {overlap}: wants at most half of window = {window}")
    if faults:
        raise ConfigError(subject, faults)
    table["model"] = place_encoder(table["model"], folder)
    numbers = {f.name for f in fields(Recipe) if f.type is float}
    table |= {key: float(value) for key, value in table.items() if key in numbers}
    return Recipe(**table | {"data": sources, "split": split})


def place_encoder(model: str, folder: Path | None) -> str:
    """The encoder's name as it holds from anywhere: one that begins with a dot is a path, relative to ``folder``."""
    return str((folder / model).resolve()) if folder and model.startswith(".") else model


def parse_sources(value: object, *, folder: Path | None = None) -> tuple[tuple[Source, ...], list[str]]:
    """``data`` in any of its forms: a path, a list of paths, or tables; and its faults."""
    items = [value] if isinstance(value, str | Mapping) else value
    if not isinstance(items, list | tuple):
        return (), [f"data = {value!r}: wants a path, a list of paths, or tables with a path"]
    sources, faults = [], []
    for index, item in enumerate(items):
        row = {"path": item} if isinstance(item, str) else item
        if isinstance(row, Source):
            sources.append(row)
            continue
        if not isinstance(row, Mapping):
            faults.append(f"data[{index}] = {item!r}: wants a path or a table with a path")
            continue
        found = find_faults(Source, row, place=f"data[{index}].")
        faults += found
        if not found:
            path = str((folder / row["path"]).resolve()) if folder else row["path"]
            sources.append(Source(**{**row, "path": path}))
    return tuple(sources), faults


def parse_split(value: object, *, folder: Path | None = None) -> tuple[SplitSettings | None, list[str]]:
    """The ``split`` table and its faults; none when the corpus brings its own splits."""
    if value is None or isinstance(value, SplitSettings):
        return value, []
    if not isinstance(value, Mapping):
        return None, [f"split = {value!r}: wants a table with ratio, by and seed, or a record"]
    faults = find_faults(SplitSettings, value, place="split.")
    if faults:
        return None, faults
    record = value.get("record", "")
    return SplitSettings(**{**value, "record": str((folder / record).resolve()) if folder and record else record}), []


def read_recipe(path: str | Path) -> Recipe:
    """The recipe in a TOML file, or the one that ships under that name.

    >>> read_recipe("roberta-base").scheme
    'meaney-2022'
    """
    file, folder = find_settings(path, RECIPES)
    return parse_recipe(read_toml(file), subject=str(path), folder=folder)


def find_settings(path: str | Path, shipped: Path) -> tuple[Path, Path]:
    """A TOML file by its path or, in ``shipped``, by its name, and where its relative paths start: at the file, or where we are."""
    file = Path(path)
    if file.is_file() or file.suffix or len(file.parts) > 1:
        return file, file.parent
    names = sorted(toml.stem for toml in shipped.glob("*.toml"))
    if file.name in names:
        return shipped / f"{file.name}.toml", Path()
    raise ConfigError(str(path), ["no such file, and nothing ships under that name"], fix=f"name a TOML file, or one of {', '.join(names)}")


def read_toml(path: str | Path) -> dict[str, Any]:
    """The table in a TOML file, or an error that names the file."""
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))  # Windows editors put a mark before the first key
    except FileNotFoundError:
        raise ConfigError(str(path), ["there is no such file"]) from None
    except IsADirectoryError:
        raise ConfigError(str(path), ["is a folder; name the TOML file"]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(str(path), [f"not TOML: {error}"]) from None


def recipe_table(recipe: Recipe, *, with_data: bool = True) -> dict[str, Any]:
    """The recipe as plain values, without what is empty or unset."""
    table = {key: value for key, value in asdict(recipe).items() if value not in ((), None, {}, "")}
    if not with_data:
        table.pop("data", None)
    if "data" in table:
        table["data"] = [{k: v for k, v in row.items() if v not in ("", {})} for row in table["data"]]
    return table


def format_recipe(recipe: Recipe) -> str:
    """The recipe as TOML that reads back to the same recipe."""
    return format_toml(recipe_table(recipe)) + "\n"
