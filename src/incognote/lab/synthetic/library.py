"""The library of templates: skeletons, sentence patterns, fillers, the name grammar, headers and footers; each is parsed when asked for."""

import re
import tomllib
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import translate
from functools import cache
from pathlib import Path
from typing import Literal

from incognote.errors import MissingExtraError
from incognote.lab.synthetic.language import Template, parse

Part = Literal["train", "tune", "test", "all"]
FOLDER = Path(__file__).parent
TEMPLATES = FOLDER / "templates"
# Whom a skeleton is about, where it is not any adult: === well_visit @child
AUDIENCES = frozenset({"child", "infant", "woman", "man", "elder"})
_HELD_OUT = 10  # of a hundred, for tuning and for tests each
# A topic with fewer lines is not divided: both parts need a choice.
_DIVIDED_FROM = 10


@cache
def _parse(source: str) -> Template:
    return parse(source)[0]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a topic, a filler or the name grammar, and where it is written."""

    source: str
    place: str

    @property
    def template(self) -> Template:
        return _parse(self.source)


@dataclass(frozen=True, slots=True)
class Skeleton:
    """One whole note: ``name`` is ``document_type/topic.variant``, ``locales`` the countries it may be of, none for any."""

    name: str
    audience: str
    locales: tuple[str, ...]
    part: str
    body: str

    @property
    def kind(self) -> str:
        """The type of document."""
        return self.name.partition("/")[0]

    @property
    def template(self) -> Template:
        return _parse(body_text(self.body))


@dataclass(frozen=True, slots=True, eq=False)
class Topics(Mapping[str, tuple[Line, ...]]):
    """The lines of each file of a folder by the file's name, read when first asked for; of a part, where one is named."""

    paths: Mapping[str, Path]
    part: Part = "all"
    repeats: bool = False
    _read: dict[str, tuple[Line, ...]] = field(default_factory=dict)

    def __getitem__(self, name: str) -> tuple[Line, ...]:
        if name not in self._read:
            self._read[name] = _keep_lines(tuple(read_lines(self.paths[name], repeats=self.repeats)), self.part)
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)


@dataclass(frozen=True, slots=True)
class Library:
    """Skeletons in their order; the lines of each topic, of each filler (a plain slot) and of the name grammar; headers and footers."""

    skeletons: tuple[Skeleton, ...]
    patterns: Topics
    fillers: Topics
    names: Topics
    headers_footers: tuple[Skeleton, ...]

    def select(self, only: str) -> list[Skeleton]:
        """The skeletons of a set, or whose name fits a pattern."""
        fits = re.compile("|".join(map(translate, template_sets().get(only, (only,))))).match
        return [skeleton for skeleton in self.skeletons if fits(skeleton.name)]

    def keep(self, part: Part) -> "Library":
        """What belongs to a part: parts have no skeleton in common, and of a topic of ten lines or more no line either, but where a part
        would get fewer than two of them it takes all.
        """
        if part == "all":
            return self
        kept = tuple(skeleton for skeleton in self.skeletons if skeleton.part == part)
        return replace(self, skeletons=kept, patterns=Topics(self.patterns.paths, part))


def part_of(value: str) -> Literal["train", "tune", "test"]:
    """The part that a value belongs to, by a hash that is the same everywhere: to train on, to tune on, or to score only.

    >>> part_of("Kaczmarek"), part_of("KACZMAREK") == part_of("kaczmarek")
    ('train', True)
    """
    return _part_at(zlib.crc32(value.casefold().encode()))


def _part_at(hashed: int) -> Literal["train", "tune", "test"]:
    place = hashed % 100 // _HELD_OUT
    return "test" if place == 0 else "tune" if place == 1 else "train"


def _keep_lines(lines: tuple[Line, ...], part: Part) -> tuple[Line, ...]:
    kept = tuple(line for line in lines if part_of(line.source) == part)
    return kept if len(lines) >= _DIVIDED_FROM and len(kept) > 1 else lines


@cache
def library() -> Library:
    """The library of the package's own templates."""
    if not TEMPLATES.is_dir():
        raise MissingExtraError("incognote-templates", "synthetic")
    return read_library(TEMPLATES)


@cache
def template_sets() -> Mapping[str, tuple[str, ...]]:
    """Named sets of templates, each as patterns of names."""
    return {name: tuple(patterns) for name, patterns in tomllib.loads((FOLDER / "sets.toml").read_text(encoding="utf-8")).items()}


def read_library(folder: Path) -> Library:
    """The templates of a folder; nothing is checked (see ``checks``)."""
    return Library(
        tuple(_read_skeletons(folder / "skeletons", by_name=True)),
        Topics(_files(folder / "patterns")),
        Topics(_files(folder / "fillers")),
        Topics(_files(folder / "names"), repeats=True),
        tuple(_read_skeletons(folder / "headers_footers")),
    )


def _files(folder: Path) -> dict[str, Path]:
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in sorted(folder.rglob("*.txt"))}


def _read_skeletons(folder: Path, *, by_name: bool = False) -> Iterator[Skeleton]:
    """Files in the order of ``order.tsv``, then by name. The order and the hash there keep notes the same when a file is renamed."""
    files, order = _files(folder), folder / "order.tsv"
    rows = [row.split("\t") for row in order.read_text(encoding="utf-8").splitlines()] if order.exists() else []
    hashes = {name: int(start, 16) for name, start in rows if name in files}
    for name in (*hashes, *sorted(files.keys() - hashes.keys())):
        start = hashes.get(name, zlib.crc32(f"{name}.".encode()))
        head, skeletons = split_skeletons(files[name].read_text(encoding="utf-8"))
        audience, locales = read_tags(head)
        for variant, tags, body in sorted(skeletons) if by_name else skeletons:
            own_audience, own_locales = read_tags(tags)
            part = _part_at(zlib.crc32(variant.casefold().encode(), start))
            yield Skeleton(f"{name}.{variant}", own_audience or audience or "adult", own_locales or locales, part, body)


def split_skeletons(text: str) -> tuple[str, list[tuple[str, str, str]]]:
    """What stands before the first ``===``; then the variant, the tags and the body of each skeleton.

    >>> split_skeletons("# Clinics.\\n@GB\\n=== one @child\\nSeen {today}.\\n")
    ('# Clinics.\\n@GB', [('one', '@child', 'Seen {today}.\\n')])
    """
    head, *chunks = f"\n{text}".split("\n===")
    skeletons = []
    for chunk in chunks:
        line, _, body = chunk.partition("\n")
        variant, _, tags = line.strip().partition(" ")
        skeletons.append((variant, tags, body))
    return head[1:], skeletons


def read_tags(text: str) -> tuple[str, tuple[str, ...]]:
    """The audience, or an empty string, and the codes of countries.

    >>> read_tags("@GB @GB @IE @child")
    ('child', ('GB', 'GB', 'IE'))
    """
    if "@" not in text:
        return "", ()
    tags = [tag[1:] for line in text.splitlines() if not line.startswith("#") for tag in line.split() if tag.startswith("@")]
    return min((tag for tag in tags if tag in AUDIENCES), default=""), tuple(tag for tag in tags if tag.isupper())


def body_lines(body: str) -> Iterator[tuple[int, str]]:
    """The lines of a skeleton without comments and leading blanks, each with its number after the ``===``."""
    begun = False
    for number, line in enumerate(body.split("\n"), 1):
        begun = begun or bool(line.strip() and not line.startswith("#"))
        if begun and not line.startswith("#"):
            yield number, line.removeprefix("\\") if line.startswith("\\#") else line


def body_text(body: str) -> str:
    return "\n".join(line for _, line in body_lines(body)).rstrip()


def read_lines(path: Path, *, repeats: bool = False) -> Iterator[Line]:
    """The lines of a topic; with ``repeats``, as they are: one that stands twice is drawn more often."""
    text = path.read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines() if repeats else text.split("\n"), 1):
        if repeats or (line.strip() and not line.startswith("#")):
            yield Line(line if repeats else line.strip(), f"{path.parent.name}/{path.name}:{number}")
