"""Checks templates strictly and names all faults at once, each with its file and line."""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from incognote.errors import ConfigError
from incognote.lab.synthetic.language import Fill, Lines, Piece, parse, walk
from incognote.lab.synthetic.library import AUDIENCES, TEMPLATES, Library, Line, body_lines, body_text, read_library, split_skeletons
from incognote.lab.synthetic.literals import find_literals
from incognote.lab.synthetic.locales import locales
from incognote.lab.synthetic.slots import DRAWN, SLOTS, find_fault, split_slot


def check_library(folder: Path = TEMPLATES) -> Library:
    """The templates of a folder; raises :class:`ConfigError` with every fault."""
    library = read_library(folder)
    faults = [*_check_skeletons(folder, library), *_check_topics(library), *_check_names(library)]
    for lines, mark in ((library.patterns, ">"), (library.fillers, ""), (library.names, "")):
        faults += _check_cycles(lines, mark)
    if faults:
        raise ConfigError("synthetic notes", faults)
    return library


def _check_skeletons(folder: Path, library: Library) -> Iterator[str]:
    for path in sorted((*folder.glob("skeletons/**/*.txt"), *folder.glob("headers_footers/*.txt"))):
        place, text = path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8")
        head, skeletons = split_skeletons(text)
        starts = [number for number, line in enumerate(text.split("\n"), 1) if line.startswith("===")]
        for number, line in enumerate(head.split("\n"), 1):
            if line.strip() and not line.startswith("#"):
                yield from _check_tags(line, f"{place}:{number}", "before the first === may stand")
        seen: dict[str, int] = {}
        for begun, (variant, tags, body) in zip(starts, skeletons, strict=True):
            here = f"{place}:{begun}"
            if not variant:
                yield f"{here}: ===: has no name"
            elif variant in seen:
                yield f"{here}: the name {variant} is taken by line {seen[variant]}"
            seen[variant] = begun
            yield from _check_tags(tags, here, "after the name may stand")
            yield from _check_body(variant, body, place, begun, library)


def _check_tags(tags: str, place: str, message: str) -> Iterator[str]:
    if any(tag[:1] != "@" or tag[1:] not in {*AUDIENCES, *locales()} for tag in tags.split()):
        yield f"{place}: {message} {', '.join(f'@{tag}' for tag in sorted(AUDIENCES))} and codes of countries"


def _check_body(variant: str, body: str, place: str, begun: int, library: Library) -> Iterator[str]:
    lines, text = list(body_lines(body)), body_text(body)
    if not text:
        yield f"{place}:{begun}: === {variant}: has no text"
    for number, message in _check_source(text, library):
        yield f"{place}:{begun + lines[number - 1][0]}: {message}"


def _check_source(text: str, library: Library) -> Iterator[tuple[int, str]]:
    """Line and message of each fault of one text."""
    template, faults = parse(text)
    yield from ((fault.line, fault.message) for fault in faults)
    yield from find_literals(template, text)
    for piece in walk(template):
        written, message = "", None
        if isinstance(piece, Fill) and piece.slot not in library.fillers:
            written, message = f"{{{piece.slot}}}", find_fault(piece.slot)
            if message and split_slot(piece.slot)[0] not in SLOTS:
                message += _name_nearest(piece.slot, (*SLOTS, *library.fillers))
        elif isinstance(piece, Lines):
            written, message = f"{{>{piece.topic}", _find_fault_of_lines(piece, library)
        if message:
            yield text[: max(0, text.find(written))].count("\n") + 1, message


def _find_fault_of_lines(piece: Lines, library: Library) -> str | None:
    if piece.topic not in library.patterns:
        return f"{{>{piece.topic}}}: there is no patterns/{piece.topic}.txt" + _name_nearest(piece.topic, library.patterns)
    count = len({line.source for line in library.patterns[piece.topic]})
    if not 0 <= piece.low <= piece.high or piece.high > max(1, count):
        return f"{{>{piece.topic}}}: {piece.low}-{piece.high} lines of a topic that has {count}"
    return None


def _check_topics(library: Library) -> Iterator[str]:
    for topics, folder in ((library.patterns, "patterns"), (library.fillers, "fillers")):
        for name, lines in topics.items():
            if not lines:
                yield f"{folder}/{name}.txt:1: has no lines"
            seen: dict[str, str] = {}
            for line in lines:
                if line.source in seen:
                    yield f"{line.place}: the same as line {seen[line.source]}"
                seen.setdefault(line.source, line.place.rpartition(":")[2])
                yield from (f"{line.place}: {message}" for _, message in _check_source(line.source, library))


def _check_names(library: Library) -> Iterator[str]:
    for line in (line for lines in library.names.values() for line in lines):
        template, faults = parse(line.source)
        yield from (f"{line.place}: {fault.message}" for fault in faults)
        for piece in walk(template):
            if isinstance(piece, Fill) and piece.slot not in {*library.names, *DRAWN}:
                yield f"{line.place}: {{{piece.slot}}}: there is no names/{piece.slot}.txt"


def _name_nearest(name: str, names: Iterable[str]) -> str:
    close = get_close_matches(name, list(names), n=2, cutoff=0.6)
    return f"; nearest: {', '.join(close)}" if close else ""


def _check_cycles(topics: Mapping[str, tuple[Line, ...]], mark: str) -> Iterator[str]:
    """A topic that asks for itself, by whatever way round."""
    asks: dict[str, set[str]] = {}
    for topic, lines in topics.items():
        pieces = [piece for line in lines for piece in walk(line.template)]
        asks[topic] = {piece.topic for piece in pieces if isinstance(piece, Lines)} if mark else _slots(pieces)
    try:
        TopologicalSorter(asks).prepare()
    except CycleError as error:
        yield f"{{{mark}{error.args[1][0]}}}: asks for itself"


def _slots(pieces: Iterable[Piece]) -> set[str]:
    return {piece.slot for piece in pieces if isinstance(piece, Fill)}
