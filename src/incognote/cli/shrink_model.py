"""Shared by the ways of shrinking: their options, the folder they write, and the table of what the smaller model costs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli.options import json_option
from incognote.cli.output import check_pages, say, write_json, write_text

if TYPE_CHECKING:
    from incognote.document import Document
    from incognote.find.model.checkpoint import Checkpoint

Model = Annotated[str, typer.Argument(metavar="MODEL", help="The tagging model: a folder, a hub name, or default.")]
Split = Annotated[str, typer.Option(metavar="RATIO", help="Split a corpus by patient, such as 80:10:10.")]
Rate = Annotated[float | None, typer.Option("--learning-rate", help="The peak learning rate. [default: that of the model's training]")]
Json = Annotated[str | None, json_option("the table")]


@contextmanager
def claimed(output: Path, json_to: str | None = None, *, overwrite: bool) -> Iterator[None]:
    """Lock the folder of the smaller model; raise, before any work is done, if it or the table cannot be written."""
    from incognote.corpora.locks import writing_alone
    from incognote.lab.shrink.derived import check_new

    check_pages({"--json": json_to})
    with writing_alone(output):
        check_new(output, overwrite=overwrite)
        yield


def write_cost(checkpoint: "Checkpoint", folders: dict[str, Path], notes: "Sequence[Document]", json_to: str | None) -> None:
    """Write the size, quality and speed of the original model and of each smaller one, by name."""
    from incognote.lab.shrink.table import format_lines, line_dict, measure

    before = measure(checkpoint.folder, notes, name=checkpoint.name)
    lines = [before, *(measure(folder, notes, name=name, against=before) for name, folder in folders.items())]
    if json_to != "-":
        write_text(format_lines(lines), "-")
    if json_to:
        write_json([line_dict(line) for line in lines], json_to)
    if not notes:
        say("quality and speed not measured: no notes given (--data)")
