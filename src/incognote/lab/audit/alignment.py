"""Original notes beside their scrubbed forms, matched by id, so that every form is judged on the same notes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from incognote.corpora.jsonl import HEADER
from incognote.document import Document
from incognote.errors import CorpusError

ORIGINAL = "original"
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Aligned:
    """The same notes in several forms. ``texts`` has a list for each form, ``original`` first, all in the order of ``ids``."""

    ids: tuple[str, ...]
    patients: tuple[str, ...]
    texts: Mapping[str, tuple[str, ...]] = field(repr=False)
    meta: tuple[Mapping[str, object], ...] = field(default=(), repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def forms(self) -> tuple[str, ...]:
        """The names of the forms, ``original`` first."""
        return tuple(self.texts)

    @property
    def scrubbed(self) -> tuple[str, ...]:
        """The names of the scrubbed forms."""
        return tuple(name for name in self.texts if name != ORIGINAL)

    @property
    def columns(self) -> list[str]:
        """The names of the columns beside the original notes."""
        return sorted({key for meta in self.meta for key in meta} - {HEADER})

    @property
    def clusters(self) -> tuple[str, ...]:
        """The patient of each note; a note without one is its own."""
        return tuple(f"patient {patient}" if patient else f"note {id}" for id, patient in zip(self.ids, self.patients, strict=True))

    def keep(self, places: Sequence[int]) -> "Aligned":
        """Only the notes at these places."""
        return Aligned(
            tuple(self.ids[at] for at in places),
            tuple(self.patients[at] for at in places),
            {name: tuple(texts[at] for at in places) for name, texts in self.texts.items()},
            tuple(self.meta[at] for at in places),
        )

    def changed(self, form: str) -> float:
        """The share of notes whose text in this form is not the original one."""
        pairs = zip(self.texts[ORIGINAL], self.texts[form], strict=True)
        return sum(one != two for one, two in pairs) / (len(self.ids) or 1)


def align(original: Iterable[Document], scrubbed: Mapping[str, Iterable[Document]]) -> Aligned:
    """The notes matched by id. Every corpus must hold exactly the notes of the original one.

    >>> align([Document("a", "Ann")], {"redact": [Document("a", "***")]}).texts["redact"]
    ('***',)
    """
    notes = list(original)
    if not notes:
        raise CorpusError("the original corpus has no note")
    ids = [note.id for note in notes]
    texts = {ORIGINAL: tuple(note.text for note in notes)}
    for name, documents in scrubbed.items():
        found = {document.id: document.text for document in documents}
        _check_ids(name, ids, found)
        texts[name] = tuple(found[id] for id in ids)
    return Aligned(tuple(ids), tuple(note.patient for note in notes), texts, tuple(note.meta for note in notes))


def _check_ids(name: str, wanted: Sequence[str], found: Mapping[str, str]) -> None:
    known = set(wanted)
    missing, extra = [id for id in wanted if id not in found], [id for id in found if id not in known]
    faults = []
    if missing:
        faults.append(f"{len(missing):,} of the {len(wanted):,} original notes are not in it ({name_some(missing)})")
    if extra:
        faults.append(f"{len(extra):,} of its {len(found):,} notes are not in the original corpus ({name_some(extra)})")
    if faults:
        raise CorpusError(f"{'; '.join(faults)}; give the scrubbed form of the same notes, with the same ids", path=name)


def name_some(names: Sequence[str]) -> str:
    """The first few, and a sign that there are more.

    >>> name_some(["a", "b"]), name_some(list("abcdefg"))
    ('a, b', 'a, b, c, d, e, …')
    """
    return ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")


def name_forms(paths: Sequence[Path]) -> list[str]:
    """A short name for each corpus: its file or folder name without the suffix, or the whole path where two would be called the same.

    >>> name_forms([Path("clean/redact.jsonl"), Path("tag.jsonl")])
    ['redact', 'tag']
    >>> name_forms([Path("a/notes.jsonl"), Path("b/notes.jsonl")])
    ['a/notes.jsonl', 'b/notes.jsonl']
    >>> name_forms([Path(".")])
    ['.']
    """
    short = [path.name.partition(".")[0] or path.name or str(path) for path in paths]
    names = [name if short.count(name) == 1 and name != ORIGINAL else str(path) for name, path in zip(short, paths, strict=True)]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise CorpusError("this corpus is given twice", path=repeated[0])
    return names
