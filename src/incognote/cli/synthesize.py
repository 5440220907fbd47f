"""incognote synthesize: synthetic clinical notes with exact gold spans, for training and tests."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli.options import Overwrite
from incognote.cli.output import count, say, write_text
from incognote.cli.progress import track
from incognote.errors import ConfigError

if TYPE_CHECKING:
    from incognote.document import Document
    from incognote.lab.synthetic import Part

_PARTS: tuple["Part", ...] = ("train", "tune", "test", "all")


def synthesize(
    target: Annotated[
        str | None, typer.Option("-o", "--output", metavar="OUT", help="A folder, or a file such as notes.jsonl; - prints inline markup.")
    ] = None,
    number: Annotated[int, typer.Option("-n", "--count", min=1, help="The number of notes.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the notes.")] = 0,
    part: Annotated[
        str, typer.Option(metavar="train|tune|test|all", help="The templates to use; the first three share none, and few names.")
    ] = "all",
    only: Annotated[str, typer.Option(help="Only templates or sets with a matching name.", metavar="PATTERN")] = "*",
    format: Annotated[
        str | None,
        typer.Option("--format", help="The format of OUT. [default: from the name of the file; i2b2 for a folder]", metavar="FORMAT"),
    ] = None,
    overwrite: Overwrite = False,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; check all templates and name every fault.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="Write nothing; list the sets of templates and their sizes.")] = False,
) -> None:
    """Generate synthetic notes with gold spans.

    Labels are those of i2b2-2014. The same options give the same notes on every machine.

    Example: incognote synthesize -n 1000 --seed 7 -o notes/
    """
    from incognote.corpora import write_corpus
    from incognote.lab.synthetic import check_library, library
    from incognote.lab.synthetic import synthesize as make_notes

    if check:
        books = check_library()
        lines = sum(len(lines) for lines in books.patterns.values())
        say(f"{len(books.skeletons):,} templates, {lines:,} sentence patterns of {len(books.patterns):,} topics: no fault")
        return
    if list_:
        counts = Counter(skeleton.name.partition(".")[0] for skeleton in library().select(only))
        write_text("\n".join(f"{name}.*  {size}" for name, size in sorted(counts.items())), "-")
        return
    chosen = next((one for one in _PARTS if one == part), None)
    faults = [] if chosen else [f"--part {part}: must be one of {', '.join(_PARTS)}"]
    if target is None:
        faults.append("-o OUT is missing: where to write the notes")
    if target is None or chosen is None:
        raise ConfigError("synthesize", faults)
    notes = make_notes(number, seed=seed, part=chosen, only=only)
    if target == "-":
        write_text("\n\n".join(_print_each(notes)), target)
        return
    kind = format or _format_of(Path(target))
    written = write_corpus(track(notes, "synthesize", total=number), target, format=kind, scheme="i2b2-2014", overwrite=overwrite)
    say(f"{count(written, 'note')}, {kind} → {target}")


def _print_each(notes: "Iterator[Document]") -> Iterator[str]:
    from incognote.document import format_markup

    for note in notes:
        yield f"=== {note.id} {note.meta['skeleton']}\n{format_markup(note)}"


def _format_of(target: Path) -> str:
    """The format that the name of a file implies; i2b2 XML for a folder."""
    from incognote.corpora import FORMATS

    named = [format.name for format in FORMATS.values() if format.layout == "file" and target.name.lower().endswith(format.suffixes)]
    if not named and target.suffix and not target.is_dir():
        raise ConfigError("synthesize", [f"{target}: no format has this file name ending; add --format, one of {', '.join(FORMATS)}"])
    return named[0] if named else "i2b2"
