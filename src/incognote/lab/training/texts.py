"""Labelled texts to learn from: examples with a class, pairs with a class, questions with answers; read from tables and checked at once."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from incognote.document import Document
from incognote.errors import ConfigError, CorpusError
from incognote.lab.training.data import SPLIT_HINT, SPLITS, check_apart, divide, split_folders
from incognote.lab.training.recipe import Recipe, Source
from incognote.lab.training.settings import nearest

if TYPE_CHECKING:
    from incognote.corpora.rows import Row

# What a row of each task holds; the columns after these are known to all.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "classes": ("text", "label"),
    "pairs": ("text", "other", "label"),
    "answers": ("text", "question", "answer"),
}
_OPTIONAL: Mapping[str, tuple[str, ...]] = {"answers": ("start",)}
_ALWAYS = ("id", "patient")


@dataclass(frozen=True, slots=True)
class Example:
    """A text and what is to be learned of it. An empty ``answer`` says that the text holds none; ``start`` is where it begins.

    A ``start`` of -1 means the first place where the answer is found. ``place`` is the file and row, for messages.
    """

    id: str
    text: str = field(repr=False)
    label: str = ""
    other: str = field(default="", repr=False)
    question: str = field(default="", repr=False)
    answer: str = field(default="", repr=False)
    start: int = -1
    patient: str = ""
    place: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Examples:
    """The examples to learn from, to select by, and to test on."""

    train: tuple[Example, ...] = field(repr=False)
    validation: tuple[Example, ...] = field(repr=False)
    test: tuple[Example, ...] = field(default=(), repr=False)

    @property
    def digest(self) -> str:
        """A fingerprint of all that is learned from, which gives none of it away."""
        state = hashlib.sha256()
        for part in SPLITS:
            for one in self.of(part):
                row = (part, one.id, one.text, one.other, one.question, one.label, one.answer, str(one.start))
                state.update("\0".join((*row, "")).encode())
        return state.hexdigest()[:16]

    def of(self, part: str) -> tuple[Example, ...]:
        """The examples of ``train``, ``validation`` or ``test``."""
        found: tuple[Example, ...] = getattr(self, part)
        return found


def load_examples(recipe: Recipe) -> Examples:
    """Every source of the recipe as its task's examples, divided as the recipe says; not yet checked."""
    if not recipe.data:
        raise ConfigError("recipe", ["data: missing; name a table in the recipe or with {data}"])
    splits: dict[str, list[Example]] = {part: [] for part in SPLITS}
    for source in recipe.data:
        for part, examples in _read_source(source, recipe).items():
            if not (source.part == "learn" and part == "test"):
                splits[part] += examples
    check_apart(splits)
    for part in ("train", "validation"):
        if not splits[part]:
            raise CorpusError(f"there is no {part} example", fix=SPLIT_HINT, path=", ".join(s.path for s in recipe.data))
    return Examples(*(tuple(splits[part]) for part in SPLITS))


def _read_source(source: Source, recipe: Recipe) -> dict[str, list[Example]]:
    path = Path(source.path)
    if source.part not in ("all", "learn"):
        return {source.part: read_examples(path, recipe.task, labels=source.map)}
    if folders := split_folders(path):
        return {part: [one for p in paths for one in read_examples(p, recipe.task, labels=source.map)] for part, paths in folders.items()}
    if recipe.split is None:
        raise CorpusError("the table has no split", path=path, fix=SPLIT_HINT)
    examples = {one.id: one for one in read_examples(path, recipe.task, labels=source.map)}
    dealt = divide([Document(one.id, "", patient=one.patient) for one in examples.values()], recipe.split)
    return {part: [examples[document.id] for document in documents] for part, documents in dealt.items()}


def read_examples(path: Path, task: str, *, labels: Mapping[str, str] | None = None) -> list[Example]:
    """The examples of a table. A row without an id gets its place as one; ``labels`` renames classes."""
    from incognote.corpora.rows import read_rows

    rows = list(read_rows(path))
    _check_columns(rows, task, path)
    examples = [_make_example(row, task, labels or {}) for row in rows]
    twice = [id for id, count in Counter(one.id for one in examples).items() if count > 1]
    if twice:
        raise CorpusError("an id is in two rows; every example has its own", path=path, document=twice[0])
    return examples


def _check_columns(rows: "Iterable[Row]", task: str, path: Path) -> None:
    needed, known = COLUMNS[task], (*COLUMNS[task], *_OPTIONAL.get(task, ()), *_ALWAYS)
    faults: dict[str, str] = {}
    for row in rows:
        missing = [name for name in needed if name not in row.cells]
        # Where no name is known, the table has no header and its first row is taken for the header: it must not be shown.
        unknown = [name for name in row.cells if name not in known] if any(name in known for name in row.cells) else []
        for name in missing:
            faults.setdefault(f"{name}: no such column", row.place)
        for name in unknown:
            faults.setdefault(f"{name}: not a column of {task}; {nearest(name, known)}", row.place)
    if faults:
        raise ConfigError(str(path), [f"{fault} ({place})" for fault, place in faults.items()])


def _make_example(row: "Row", task: str, labels: Mapping[str, str]) -> Example:
    cells = {name: row.cells.get(name) for name in (*COLUMNS[task], *_ALWAYS)}
    place = f"{row.path.name} {row.place}"
    for name in ("text", "other", "question", "answer"):
        if not isinstance(cells.get(name), str | None):
            raise CorpusError(f"column {name} does not hold text", path=row.path, place=row.place)
    # A class may be written as a number; its name is that number's.
    texts = {name: "" if value is None else str(value) for name, value in cells.items()}
    texts["id"] = texts["id"] or place
    if "label" in texts:
        texts["label"] = labels.get(texts["label"], texts["label"])
    return Example(**texts, start=_read_start(row, task), place=place)


def _read_start(row: "Row", task: str) -> int:
    value = row.cells.get("start") if task == "answers" else None
    if value is None or value == "":
        return -1
    if (isinstance(value, str) and value.isdecimal()) or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
        return int(value)
    raise CorpusError("column start wants a whole number from 0 up, or nothing", path=row.path, place=row.place)


def name_place(example: Example) -> str:
    """Where an example is from: its row, or its id when it was made in memory."""
    return example.place or example.id


def list_places(fault: str, examples: Sequence[Example]) -> list[str]:
    """One fault that names every example that has it; none for none."""
    return [f"{fault}: {', '.join(name_place(one) for one in examples)}"] if examples else []
