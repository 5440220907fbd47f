"""The documents of a recipe: corpora read, labels brought into one scheme, and the splits to train, select and test on."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from incognote.document import Document, relabel, scheme, translate
from incognote.errors import ConfigError, CorpusError
from incognote.lab.training.recipe import Recipe, Source, SplitSettings

SPLITS = ("train", "validation", "test")
_PART_NAMES = {
    "train": "train",
    "training": "train",
    "dev": "validation",
    "valid": "validation",
    "validation": "validation",
    "test": "test",
}


@dataclass(frozen=True, slots=True)
class Splits:
    """The documents to learn from, to select by, and to test on; no document is in two of them."""

    train: tuple[Document, ...] = field(repr=False)
    validation: tuple[Document, ...] = field(repr=False)
    test: tuple[Document, ...] = field(default=(), repr=False)

    @property
    def digest(self) -> str:
        """A fingerprint of ids, texts, labels and the division; it changes when any of them does, and gives none of them away."""
        state = hashlib.sha256()
        for part in SPLITS:
            for document in getattr(self, part):
                spans = ",".join(f"{s.start}:{s.end}:{s.label}" for s in document.spans)
                state.update(f"{part}\0{document.id}\0{document.text}\0{spans}\0".encode())
        return state.hexdigest()[:16]

    def of(self, part: str) -> tuple[Document, ...]:
        """The documents of ``train``, ``validation`` or ``test``."""
        found: tuple[Document, ...] = getattr(self, part)
        return found


def load_splits(recipe: Recipe) -> Splits:
    """Read every source of the recipe and divide the documents as it says."""
    if not recipe.data:
        raise ConfigError("recipe", ["data: missing; name a corpus in the recipe or with {data}"])
    splits: dict[str, list[Document]] = {part: [] for part in SPLITS}
    for source in recipe.data:
        for part, documents in read_source(source, recipe.scheme, recipe.split).items():
            splits[part] += documents
    check_apart(splits)
    prefixed = _keep_ids_apart(splits, recipe.data)
    for part in ("train", "validation"):
        if not prefixed[part]:
            raise CorpusError(f"there is no {part} document", fix=SPLIT_HINT, path=", ".join(s.path for s in recipe.data))
    return Splits(*(tuple(prefixed[part]) for part in SPLITS))


class Member(Protocol):
    """What a part of the data is made of: a Document, or an example of another task."""

    @property
    def id(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def patient(self) -> str: ...


def check_apart(splits: Mapping[str, Sequence[Member]]) -> None:
    """Raise when one and the same text is in two splits, as when a file is named twice: its score would be that of a memory."""
    homes: dict[tuple[str, str], str] = {}
    for part in SPLITS:
        for one in splits[part]:
            home = homes.setdefault((one.id, one.text), part)
            if home != part:
                fault = f"is in the splits {home} and {part}; a model cannot be judged by what it learned from, so give other files"
                raise CorpusError(fault, document=one.id)


def describe_shared(splits: Mapping[str, Sequence[Member]]) -> list[str]:
    """A line for each part that has patients of the training part, where the files or a split by note put them."""
    learned = {one.patient for one in splits["train"]} - {""}
    lines = []
    for part in SPLITS[1:]:
        judged = {one.patient for one in splits[part]} - {""}
        if common := judged & learned:
            lines.append(f"{part}: {len(common)} of {len(judged)} patients are in train too, so the scores flatter the model")
    return lines


SPLIT_HINT = (
    'give the corpus folders named train, dev and test, or sources with part = "train" and so on ({data} train=PATH), '
    "or a [split] table with a ratio ({split})"
)


def read_source(source: Source, target: str, split: SplitSettings | None) -> dict[str, list[Document]]:
    """The splits of one corpus: by its folders, by the source's own ``part``, or by the recipe's split."""
    path = Path(source.path)
    if source.part == "learn":
        splits = read_source(replace(source, part="all"), target, split)
        return {part: documents for part, documents in splits.items() if part != "test"}
    if source.part != "all":
        return {source.part: list(read_documents(path, source, target))}
    folders = split_folders(path)
    if folders:
        return {
            part: [document for folder in paths for document in read_documents(folder, source, target)] for part, paths in folders.items()
        }
    if split is None:
        raise CorpusError("the corpus has no split", path=path, fix=SPLIT_HINT)
    return divide(list(read_documents(path, source, target)), split)


def split_folders(path: Path) -> dict[str, list[Path]]:
    """The entries of a folder that are named after a part, by part; none unless one is for training."""
    folders: dict[str, list[Path]] = {}
    for entry in sorted(path.iterdir()) if path.is_dir() else ():
        name = entry.name.split(".")[0]
        if name in _PART_NAMES:
            folders.setdefault(_PART_NAMES[name], []).append(entry)
    return folders if "train" in folders else {}


def read_documents(path: Path, source: Source, target: str) -> Iterable[Document]:
    """The documents of a path, with their labels in the words of ``target`` and then of the source's own map."""
    from incognote.corpora import read_corpus

    for document in read_corpus(path, scheme=source.scheme or None):
        if source.scheme and target and source.scheme != target:
            document = translate(document, scheme(source.scheme), target)
        yield document.with_spans(relabel(document.spans, source.map)) if source.map else document


def divide(documents: Sequence[Document], split: SplitSettings) -> dict[str, list[Document]]:
    """The documents as the recipe's split deals them out.

    >>> notes = [Document(f"n{i}", "x", patient=f"p{i // 2}") for i in range(20)]
    >>> {part: len(found) for part, found in divide(notes, SplitSettings()).items()}
    {'train': 10, 'validation': 2, 'test': 8}
    """
    from incognote.corpora import apply_split, parse_ratio, read_split, split_corpus

    if split.record:
        found = read_split(split.record)
    else:
        found = split_corpus(documents, ratio=parse_ratio(split.ratio), by="note" if split.by == "note" else "patient", seed=split.seed)
    return {part: list(members) for part, members in apply_split(found, documents).splits.items()}


def _keep_ids_apart(splits: dict[str, list[Document]], sources: Sequence[Source]) -> dict[str, list[Document]]:
    """Ids must differ over all splits; with several corpora each id gets the position of its part to keep it apart."""
    ids = [document.id for documents in splits.values() for document in documents]
    if len(set(ids)) == len(ids):
        return splits
    if len(sources) == 1:
        twice = next(id for id in ids if ids.count(id) > 1)
        raise CorpusError("a document id is in two splits; every document belongs to one", path=sources[0].path, document=twice)
    return {part: [replace(d, id=f"{part}-{at}-{d.id}") for at, d in enumerate(documents)] for part, documents in splits.items()}
