"""Splits of a corpus into train, validation and test: by patient or by note, seeded, and kept in a small file to use again."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from incognote.corpora.files import draft, read_text
from incognote.document import Document
from incognote.errors import CorpusError
from incognote.shown import show_text

By = Literal["patient", "note"]
NAMES = {2: ("train", "test"), 3: ("train", "validation", "test")}
PAPER_RATIO = (50, 10, 40)


@dataclass(frozen=True, slots=True)
class Split:
    """Which document ids each split holds, and how that came about."""

    seed: int
    ratio: tuple[int, ...]
    by: By
    ids: Mapping[str, tuple[str, ...]]

    def home(self) -> dict[str, str]:
        """The split of each document id."""
        return {id: name for name, ids in self.ids.items() for id in ids}


@dataclass(frozen=True, slots=True)
class Corpus:
    """Named splits of documents; when split by patient, no patient is in two of them."""

    splits: Mapping[str, tuple[Document, ...]]
    by: By = "patient"

    def __post_init__(self) -> None:
        homes: dict[str, str] = {}
        for name, documents in self.splits.items():
            for document in documents:
                if self.by == "patient" and homes.setdefault(_unit(document.id, document.patient, "patient"), name) != name:
                    raise CorpusError(
                        f"its patient is also in another split than {show_text(name)}", document=document.id, fix="split again by patient"
                    )


def parse_ratio(ratio: str) -> tuple[int, ...]:
    """Whole numbers from text.

    >>> parse_ratio("50:10:40")
    (50, 10, 40)
    """
    parts = ratio.split(":")
    if len(parts) not in NAMES or not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise _bad_ratio(ratio)
    return tuple(int(part) for part in parts)


def split_corpus(documents: Iterable[Document], *, ratio: Sequence[int] = PAPER_RATIO, by: By = "patient", seed: int = 0) -> Split:
    """Deal the documents into splits.

    The shares are of notes; by patient they come as close as whole patients allow. The order of the documents does not matter.
    A document without a patient is its own patient.

    >>> notes = [Document(f"n{number}", "", patient=f"p{number // 2}") for number in range(20)]
    >>> {name: len(ids) for name, ids in split_corpus(notes).ids.items()}
    {'train': 10, 'validation': 2, 'test': 8}
    """
    return _deal(documents, Split(seed, tuple(ratio), by, dict.fromkeys(_names(ratio), ())))


def extend_split(split: Split, documents: Iterable[Document]) -> Split:
    """The split for these documents: known ids stay where they were, new notes follow their patient, the rest is dealt as before.

    Ids of the split that are not among the documents are left out.
    """
    return _deal(documents, split)


def apply_split(split: Split, documents: Iterable[Document]) -> Corpus:
    """The documents in their splits, each in the order given."""
    homes, seen = split.home(), set[str]()
    found: dict[str, list[Document]] = {name: [] for name in split.ids}
    for document in documents:
        if document.id not in homes:
            raise CorpusError("the split record does not know this document", document=document.id, fix="extend it with {like}")
        if document.id in seen:
            fix = "give each its own: a split record goes by ids"
            raise CorpusError("a second document has this id", document=document.id, fix=fix)
        seen.add(document.id)
        found[homes[document.id]].append(document)
    return Corpus({name: tuple(members) for name, members in found.items()}, split.by)


def _bad_ratio(ratio: str) -> CorpusError:
    return CorpusError(f"ratio {show_text(ratio)} is not two or three whole numbers above 0", fix="give one such as 80:20 or 50:10:40")


def _names(ratio: Sequence[int]) -> tuple[str, ...]:
    if len(ratio) not in NAMES or min(ratio) < 1:
        raise _bad_ratio(":".join(map(str, ratio)))
    return NAMES[len(ratio)]


def _unit(id: str, patient: str, by: By) -> str:
    """The unit of a split: a patient, or a note. The prefix keeps a note apart from a patient of the same name."""
    return f"patient {patient}" if by == "patient" and patient else f"note {id}"


def _deal(documents: Iterable[Document], split: Split) -> Split:
    units: dict[str, list[str]] = {}
    for document in documents:
        units.setdefault(_unit(document.id, document.patient, split.by), []).append(document.id)
    if not units:
        raise CorpusError("there are no notes to split")
    known = split.home()
    if not known and len(units) < len(split.ratio):
        raise CorpusError(f"too few {show_text(split.by)}s ({len(units):d}) for {len(split.ratio):d} splits")
    found: dict[str, list[str]] = {name: [] for name in split.ids}
    new = []
    for unit, ids in units.items():
        homes = [known[id] for id in ids if id in known]
        if not homes:
            new.append(unit)
        else:
            for id in ids:
                found[known.get(id, homes[0])].append(id)
    _deal_new({unit: units[unit] for unit in new}, found, split)
    return Split(split.seed, split.ratio, split.by, {name: tuple(sorted(ids)) for name, ids in found.items()})


def _deal_new(units: Mapping[str, list[str]], found: dict[str, list[str]], split: Split) -> None:
    total = sum(map(len, units.values())) + sum(map(len, found.values()))
    goal = {name: total * share / sum(split.ratio) for name, share in zip(found, split.ratio, strict=True)}
    # The hash, not the order of the files, decides: the same patients land together on every machine.
    order = sorted(units, key=lambda unit: hashlib.sha256(f"{split.seed} {unit}".encode()).digest())
    for left, unit in zip(range(len(order), 0, -1), order, strict=True):
        empty = [name for name in found if not found[name]]
        open_to = empty if len(empty) >= left else list(found)
        name = max(open_to, key=lambda name: goal[name] - len(found[name]))
        found[name] += units[unit]


def write_split(split: Split, path: Path | str) -> None:
    """The record of a split, as JSON."""
    with draft(Path(path)) as file:
        file.write((json.dumps(split_record(split), indent=1, ensure_ascii=False) + "\n").encode("utf-8"))


def split_record(split: Split) -> dict[str, object]:
    """The split as plain values for JSON."""
    return {
        "seed": split.seed,
        "ratio": ":".join(map(str, split.ratio)),
        "by": split.by,
        "splits": {name: list(ids) for name, ids in split.ids.items()},
    }


def read_split(path: Path | str) -> Split:
    """The split of a record file."""
    try:
        record = json.loads(read_text(Path(path)))
        ratio, by, ids = parse_ratio(record["ratio"]), record["by"], {name: tuple(map(str, ids)) for name, ids in record["splits"].items()}
        if by not in ("patient", "note") or tuple(ids) != NAMES[len(ratio)]:
            raise ValueError
        split = Split(int(record["seed"]), ratio, cast(By, by), ids)
        if len(split.home()) != sum(map(len, ids.values())):
            raise ValueError
        return split
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise CorpusError("not a split record", path=path, fix="make one with incognote split")
