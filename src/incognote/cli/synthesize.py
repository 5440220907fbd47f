"""incognote synthesize: generates clinical notes with exact gold spans, to train and to test on."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli.output import say, track, write_text
from incognote.errors import ConfigError

if TYPE_CHECKING:
    from incognote.document import Document
    from incognote.lab.synthetic import Part

_PARTS: tuple["Part", ...] = ("train", "tune", "test", "all")


def synthesize(
    target: Annotated[
        str | None, typer.Option("-o", "--output", metavar="OUT", help="A folder, or a file such as notes.jsonl; - prints marked-up notes.")
    ] = None,
    count: Annotated[int, typer.Option("-n", "--count", min=1, help="How many notes.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, other notes.")] = 0,
    part: Annotated[str, typer.Option(help="train, tune, test or all. The first three share no skeleton and few names.")] = "all",
    only: Annotated[
        str, typer.Option(help="Only templates of such a name, e.g. 'discharge_summary/*', or of a set.", metavar="PATTERN")
    ] = "*",
    format: Annotated[
        str | None,
        typer.Option("--format", help="The format of OUT, when its name does not tell. [default: i2b2 for a folder]", metavar="FORMAT"),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the notes at OUT.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; read all templates and name every fault.")] = False,
    list_: Annotated[
        bool, typer.Option("--list", help="Write nothing; list the templates that --only can name, and how many each has.")
    ] = False,
) -> None:
    """Generate synthetic notes with gold spans in the scheme i2b2-2014. The same options give the same notes, on every machine.

    Example: incognote synthesize -n 1000 --seed 7 -o notes/
    """
    from incognote.corpora import write_corpus
    from incognote.lab.synthetic import check_library, library
    from incognote.lab.synthetic import synthesize as make_notes

    if check:
        books = check_library()
        lines = sum(len(lines) for lines in books.patterns.values())
        say(f"{len(books.skeletons):,} skeletons, {lines:,} sentence patterns of {len(books.patterns):,} topics: no fault")
        return
    if list_:
        counts = Counter(skeleton.name.partition(".")[0] for skeleton in library().select(only))
        write_text("\n".join(f"{name}.*  {count}" for name, count in sorted(counts.items())), "-")
        return
    chosen = next((one for one in _PARTS if one == part), None)
    faults = [] if chosen else [f"--part {part}: is one of {', '.join(_PARTS)}"]
    if target is None:
        faults.append("say where the notes go with -o")
    if target is None or chosen is None:
        raise ConfigError("synthesize", faults)
    notes = make_notes(count, seed=seed, part=chosen, only=only)
    if target == "-":
        write_text("\n\n".join(_print_each(notes)), target)
        return
    kind = format or _format_of(Path(target))
    written = write_corpus(track(notes, "synthesize", total=count), target, format=kind, scheme="i2b2-2014", overwrite=overwrite)
    say(f"{written:,} notes, {kind} → {target}")


def _print_each(notes: "Iterator[Document]") -> Iterator[str]:
    from incognote.document import format_markup

    for note in notes:
        yield f"=== {note.id} {note.meta['skeleton']}\n{format_markup(note)}"


def _format_of(target: Path) -> str:
    """The format that the name of a file tells; a folder gets i2b2 XML."""
    from incognote.corpora import FORMATS

    named = [format.name for format in FORMATS.values() if format.layout == "file" and target.name.lower().endswith(format.suffixes)]
    if not named and target.suffix and not target.is_dir():
        raise ConfigError("synthesize", [f"{target}: the name tells no format; give it with --format, one of {', '.join(FORMATS)}"])
    return named[0] if named else "i2b2"
