"""The class of each note, from a column beside the notes or from a table of its own."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from incognote.corpora.rows import read_rows
from incognote.errors import CorpusError
from incognote.lab.audit.alignment import Aligned, name_some


@dataclass(frozen=True, slots=True)
class Labels:
    """The classes in order, and for each labelled note (by its place) which one it has."""

    classes: tuple[str, ...]
    places: tuple[int, ...]
    targets: tuple[int, ...]
    unlabelled: int = 0
    left_out: tuple[str, ...] = ()


def find_labels(notes: Aligned, source: str, *, least: int = 1) -> Labels:
    """The labels named by ``source``: a file with columns id and label, or else a column beside the original notes.

    Classes with fewer than ``least`` notes are left out. What remains must be at least two classes, each with two patients or more:
    one to learn from and one to be tested on.
    """
    path = Path(source)
    named = _read_file(notes, path) if path.is_file() else _read_column(notes, source)
    counts = Counter(named.values())
    rare = sorted(label for label, count in counts.items() if count < least)
    kept = {id: label for id, label in named.items() if counts[label] >= least}
    places = tuple(at for at, id in enumerate(notes.ids) if id in kept)
    classes = tuple(sorted(set(kept.values())))
    if rare and len(classes) < 2:
        fault = f"{len(classes)} of {len(counts)} classes have {least} notes or more; a classifier needs two"
        raise CorpusError(fault, path=source, fix="lower {least}, or join classes")
    _check_classes(notes, kept, classes, source)
    targets = tuple(classes.index(kept[notes.ids[at]]) for at in places)
    return Labels(classes, places, targets, len(notes) - len(named), tuple(rare))


def _check_classes(notes: Aligned, kept: Mapping[str, str], classes: Sequence[str], source: str) -> None:
    if len(classes) < 2:
        what = f"every labelled note has the class {classes[0]}" if classes else "no note has a label"
        raise CorpusError(f"{what}; a classifier needs two classes or more", path=source)
    patients: dict[str, set[str]] = {label: set() for label in classes}
    for id, cluster in zip(notes.ids, notes.clusters, strict=True):
        if id in kept:
            patients[kept[id]].add(cluster)
    single = [label for label in classes if len(patients[label]) < 2]
    if single:
        raise CorpusError(
            f"{len(single)} class(es) have notes of one patient only ({name_some(single)}): nothing is left to test on",
            path=source,
            fix="leave small classes out with {least}, or join them",
        )


def _read_column(notes: Aligned, column: str) -> dict[str, str]:
    if column not in notes.columns:
        some = f"the extra columns are: {', '.join(notes.columns)}" if notes.columns else "there are no extra columns"
        raise CorpusError(f"{column} is neither a file nor a column; {some}")
    found = {}
    for id, meta in zip(notes.ids, notes.meta, strict=True):
        value = meta.get(column)
        if isinstance(value, list | dict):
            raise CorpusError(f"column {column} holds a list here; give one label for each note", document=id)
        if value is not None and str(value).strip():
            found[id] = str(value).strip()
    return found


def _read_file(notes: Aligned, path: Path) -> dict[str, str]:
    known, found = set(notes.ids), {}
    for place, row in read_table(path, ("id", "label")):
        id, label = row["id"], row["label"]
        if id in found:
            raise CorpusError("this note has two labels", path=path, document=id, place=place)
        if label:
            found[id] = label
    strange = [id for id in found if id not in known]
    if strange:
        raise CorpusError(f"{len(strange):,} labels are for notes that are not in the corpora ({name_some(strange)})", path=path)
    return found


def read_table(path: Path, columns: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """The rows of a table, each with its place and these columns as stripped text; other columns are ignored."""
    found = []
    for row in read_rows(path):
        lacking = [name for name in columns if row.cells.get(name) is None]
        if lacking:
            fault = f"no {' and no '.join(lacking)} here; each row needs: {', '.join(columns)}"
            raise CorpusError(fault, path=path, place=row.place)
        found.append((row.place, {name: str(row.cells[name]).strip() for name in columns}))
    if not found:
        raise CorpusError("the table has no row", path=path)
    return found
