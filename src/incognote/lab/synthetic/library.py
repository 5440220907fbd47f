"""The library of skeletons, patterns and fillers: read from their files, checked strictly, all faults told at once with file and line."""

import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from incognote.errors import ConfigError
from incognote.lab.synthetic.language import Fill, Lines, Template, parse, walk
from incognote.lab.synthetic.literals import find_literals
from incognote.lab.synthetic.slots import DRAWN, SLOTS, find_fault, split_slot

Part = Literal["train", "tune", "test", "all"]
FOLDER = Path(__file__).parent
# Whom a skeleton is about, said after its name: === clinic.wellchild @child
TAGS = frozenset({"child", "infant", "woman", "man", "elder"})
_HELD_OUT = 10  # of a hundred, for tuning and for tests each
# A topic with fewer lines is not divided: both parts need a choice.
_DIVIDED_FROM = 10


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a topic or a filler, and where it is written."""

    template: Template
    source: str
    place: str


@dataclass(frozen=True, slots=True)
class Skeleton:
    """One kind and variant of note."""

    name: str
    tags: frozenset[str]
    template: Template
    file: str
    lines: tuple[tuple[int, str], ...]

    def place(self, written: str = "") -> str:
        """File and line of something written in it, or of its name."""
        line = next((number for number, line in self.lines[1:] if written and written in line), self.lines[0][0])
        return f"{self.file}:{line}"

    @property
    def kind(self) -> str:
        return self.name.partition(".")[0]


Lists: TypeAlias = Mapping[str, tuple[Line, ...]]


@dataclass(slots=True)
class _Faults:
    found: list[str] = field(default_factory=list)

    def add(self, path: Path, line: int, message: str) -> None:
        self.found.append(f"{path.parent.name}/{path.name}:{line}: {message}")


@dataclass(frozen=True, slots=True)
class Library:
    """Skeletons by order of their names; the lines of each topic, of each filler (a plain slot) and of each maker of names.

    ``pieces`` are headers and trailers, written like skeletons, that injection puts around real text.
    """

    skeletons: tuple[Skeleton, ...]
    patterns: Lists
    fillers: Lists
    makers: Lists
    pieces: tuple[Skeleton, ...]

    def keep(self, part: Part) -> "Library":
        """What belongs to a part: parts have no skeleton in common, and of a topic of ten lines or more no line either, but where a part
        would get fewer than two of them it takes all.
        """
        if part == "all":
            return self
        return Library(
            tuple(skeleton for skeleton in self.skeletons if part_of(skeleton.name) == part),
            {topic: _keep_lines(lines, part) for topic, lines in self.patterns.items()},
            self.fillers,
            self.makers,
            self.pieces,
        )


def part_of(value: str) -> Literal["train", "tune", "test"]:
    """The part that a value belongs to, by a hash that is the same everywhere: to train on, to tune on, or to score only.

    >>> part_of("Kaczmarek"), part_of("KACZMAREK") == part_of("kaczmarek")
    ('train', True)
    """
    place = zlib.crc32(value.casefold().encode()) % 100 // _HELD_OUT
    return "test" if place == 0 else "tune" if place == 1 else "train"


def _keep_lines(lines: tuple[Line, ...], part: Part) -> tuple[Line, ...]:
    kept = tuple(line for line in lines if part_of(line.source) == part)
    return kept if len(lines) >= _DIVIDED_FROM and len(kept) > 1 else lines


@cache
def library() -> Library:
    """The library that ships with the package."""
    return read_library(FOLDER)


def read_library(folder: Path) -> Library:
    """Read ``skeletons/``, ``patterns/`` and ``fillers/`` of the folder; raise :class:`ConfigError` with every fault."""
    faults = _Faults()
    skeletons = [skeleton for path in _files(folder / "skeletons") for skeleton in _read_skeletons(path, faults)]
    pieces = [piece for path in _files(folder / "pieces") for piece in _read_skeletons(path, faults)]
    patterns = {path.stem: tuple(_read_lines(path, faults)) for path in _files(folder / "patterns")}
    fillers = {path.stem: tuple(_read_lines(path, faults)) for path in _files(folder / "fillers")}
    makers = {path.stem: tuple(_read_makers(path, faults)) for path in _files(folder / "makers")}
    _check_repeats((*skeletons, *pieces), faults)
    for skeleton in (*skeletons, *pieces):
        for written, message in _check_template(skeleton.template, patterns, fillers):
            faults.found.append(f"{skeleton.place(written)}: {message}")
    for line in (line for lines in (*patterns.values(), *fillers.values()) for line in lines):
        faults.found += [f"{line.place}: {message}" for _, message in _check_template(line.template, patterns, fillers)]
    for line in (line for lines in makers.values() for line in lines):
        unknown = [piece.slot for piece in walk(line.template) if isinstance(piece, Fill) and piece.slot not in {*makers, *DRAWN}]
        faults.found += [f"{line.place}: {{{name}}}: there is no makers/{name}.txt" for name in unknown]
    faults.found += _check_circles(patterns, ">") + _check_circles(fillers, "") + _check_circles(makers, "")
    if faults.found:
        raise ConfigError("synthetic notes", faults.found)
    return Library(tuple(sorted(skeletons, key=lambda skeleton: skeleton.name)), patterns, fillers, makers, tuple(pieces))


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.txt"))


def _read_skeletons(path: Path, faults: _Faults) -> Iterator[Skeleton]:
    head, begun, body = "", 0, list[tuple[int, str]]()
    for number, line in enumerate([*path.read_text(encoding="utf-8").split("\n"), "==="], 1):
        if line.startswith("==="):
            if begun:
                yield _make_skeleton(path, (begun, head), body, faults)
            head, begun, body = line[3:], number, []
        elif line.startswith("#"):
            continue
        elif begun and (body or line.strip()):
            body.append((number, line.removeprefix("\\") if line.startswith("\\#") else line))
        elif line.strip():
            faults.add(path, number, "text before the first ===")


def _make_skeleton(path: Path, head: tuple[int, str], body: list[tuple[int, str]], faults: _Faults) -> Skeleton:
    begun, (name, *marks) = head[0], head[1].split() or [""]
    tags = frozenset(mark.removeprefix("@") for mark in marks)
    kind, dot, variant = name.partition(".")
    if not (kind and dot and variant):
        faults.add(path, begun, f"=== {name}: a skeleton's name is kind.variant")
    if tags - TAGS or any(not mark.startswith("@") for mark in marks):
        faults.add(path, begun, f"after the name may stand {', '.join(f'@{tag}' for tag in sorted(TAGS))}")
    text = "\n".join(line for _, line in body).rstrip()
    if not text:
        faults.add(path, begun, f"=== {name}: has no text")
    template, found = parse(text)
    for fault in found:
        faults.add(path, body[fault.line - 1][0], fault.message)
    for line, literal in find_literals(template, text):
        faults.add(path, body[line - 1][0], literal)
    return Skeleton(name, tags, template, f"{path.parent.name}/{path.name}", ((begun, ""), *body))


def _read_lines(path: Path, faults: _Faults) -> Iterator[Line]:
    seen: dict[str, int] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        source = line.strip()
        if not source or line.startswith("#"):
            continue
        if source in seen:
            faults.add(path, number, f"the same as line {seen[source]}")
            continue
        seen[source] = number
        template, found = parse(source)
        for fault in found:
            faults.add(path, number, fault.message)
        for _, literal in find_literals(template, source):
            faults.add(path, number, literal)
        yield Line(template, source, f"{path.parent.name}/{path.name}:{number}")
    if not seen:
        faults.add(path, 1, "has no lines")


def _read_makers(path: Path, faults: _Faults) -> Iterator[Line]:
    """Lines that may be repeated, to be drawn more often."""
    for number, source in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        template, found = parse(source)
        for fault in found:
            faults.add(path, number, fault.message)
        yield Line(template, source, f"{path.parent.name}/{path.name}:{number}")


def _check_repeats(skeletons: Iterable[Skeleton], faults: _Faults) -> None:
    seen: dict[str, str] = {}
    for skeleton in skeletons:
        if skeleton.name in seen:
            faults.found.append(f"{skeleton.place()}: the name {skeleton.name} is taken by {seen[skeleton.name]}")
        seen[skeleton.name] = skeleton.place()


def _check_template(template: Template, patterns: Lists, fillers: Lists) -> Iterator[tuple[str, str]]:
    """The start of each bad piece as it is written, and what is wrong with it."""
    for piece in walk(template):
        if isinstance(piece, Fill) and piece.slot not in fillers and (message := find_fault(piece.slot)):
            known = split_slot(piece.slot)[0] in SLOTS
            yield f"{{{piece.slot}}}", message if known else message + _near(piece.slot, (*SLOTS, *fillers))
        elif isinstance(piece, Lines):
            written, lines = f"{{>{piece.topic}", patterns.get(piece.topic)
            if lines is None:
                yield written, f"{written}}}: there is no patterns/{piece.topic}.txt" + _near(piece.topic, patterns)
            elif not 0 <= piece.low <= piece.high or piece.high > max(1, len(lines)):
                yield written, f"{written}}}: {piece.low}-{piece.high} lines of a topic that has {len(lines)}"


def _near(name: str, names: Iterable[str]) -> str:
    close = get_close_matches(name, list(names), n=2, cutoff=0.6)
    return f"; nearest: {', '.join(close)}" if close else ""


def _check_circles(topics: Lists, mark: str) -> list[str]:
    """Topics that ask for themselves, by whatever way round."""
    asks = {
        topic: {
            piece.topic if isinstance(piece, Lines) else piece.slot
            for line in lines
            for piece in walk(line.template)
            if isinstance(piece, Lines if mark else Fill)
        }
        for topic, lines in topics.items()
    }
    for topic in asks:
        reached: set[str] = set()
        ahead = set(asks[topic])
        while ahead:
            reached |= ahead
            ahead = {further for one in ahead for further in asks.get(one, ())} - reached
        if topic in reached:
            return [f"{{{mark}{topic}}}: asks for itself"]
    return []
