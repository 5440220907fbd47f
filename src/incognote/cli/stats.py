"""incognote stats: the counts of a corpus, in the layout of Meaney et al. 2022, Table 3."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli import options
from incognote.cli.output import check_pages, write_json
from incognote.cli.progress import track
from incognote.errors import CorpusError

if TYPE_CHECKING:
    from incognote.document import Document
    from incognote.evaluate.census import Census


def stats(
    corpora: Annotated[list[Path], typer.Argument(metavar="CORPUS", help="A folder or file of notes; several are shown side by side.")],
    split: Annotated[Path | None, typer.Option(metavar="FILE", help="A record of incognote split: a column for each split.")] = None,
    format: options.CorpusFormat = None,
    scheme: Annotated[str | None, typer.Option(metavar="NAME", help="The label scheme; other labels are an error.")] = None,
    json: Annotated[str | None, options.json_option("the counts")] = None,
    note_column: options.NoteColumn = "text",
    id_column: options.IdColumn = "id",
    patient_column: options.PatientColumn = "patient",
) -> None:
    """Count notes, patients, tokens and PHI by label.

    Percentages are of all tokens. A note without a patient id counts as one patient.

    Example: incognote stats notes/ --split split.json
    """
    check_pages({"--json": json}, files=[*corpora, split])
    for path, count in Counter(path.resolve() for path in corpora).items():
        if count > 1:
            raise CorpusError("this corpus is given twice", path=path)
    from incognote.corpora import Columns, read_corpus
    from incognote.evaluate.census import census_dict, take_census

    def read(path: Path) -> "Iterator[Document]":
        columns = Columns(note_column, id_column, patient_column)
        return track(read_corpus(path, format=format, columns=columns, scheme=scheme), f"read {path.name}")

    if split is None:
        splits = {name: take_census(read(path)) for name, path in zip(_name(corpora), corpora, strict=True)}
    else:
        from incognote.corpora.split import apply_split, read_split

        corpus = apply_split(read_split(split), [document for path in corpora for document in read(path)])
        splits = {name: take_census(documents) for name, documents in corpus.splits.items()}
    if json is not None:
        write_json(census_dict(splits), json)
    if json != "-":
        _print_tables(splits)


def _name(paths: Sequence[Path]) -> list[str]:
    """Short names that still differ: the paths without the folders they have in common. ``total`` is the name of the sum.

    >>> _name([Path("data/train/xml"), Path("data/dev/xml")])
    ['train', 'dev']
    >>> _name([Path("/data/total/xml"), Path("/data/dev/xml")])
    ['/data/total/xml', 'dev']
    """
    from incognote.evaluate.census import TOTAL

    if len(paths) == 1:
        return ["all"]
    parts = [path.parts for path in paths]
    for end in (0, -1):
        while all(len(each) > 1 for each in parts) and len({each[end] for each in parts}) == 1:
            parts = [each[1:] if end == 0 else each[:-1] for each in parts]
    names = ["/".join(each) for each in parts]
    return [name if name != TOTAL else str(path.resolve()) for name, path in zip(names, paths, strict=True)]


_SIZES: "Mapping[str, Callable[[Census], int]]" = {
    "notes": lambda census: census.notes,
    "patients": lambda census: len(census.patients),
    "tokens": lambda census: census.tokens.total(),
    "PHI tokens": lambda census: census.phi_tokens,
    "PHI entities": lambda census: census.entities.total(),
}


def _print_tables(splits: "dict[str, Census]") -> None:
    from rich.markup import escape

    from incognote.cli.evaluate_tables import make_table, print_tables
    from incognote.evaluate.census import TOTAL, Census, list_labels

    total = sum(splits.values(), Census())
    shown = {**splits, TOTAL: total} if len(splits) > 1 else splits
    names = [escape(name) for name in shown]
    sizes = make_table("Size", "", *names)
    columns = (column for name in names for column in (f"{name} tokens", "entities"))
    phi = make_table("Tokens of each type: count (percent of all tokens), and entities", "", *columns)
    for column in phi.columns[2::2]:
        column.style = "dim"
    for name, size in _SIZES.items():
        sizes.add_row(name, *(f"{size(census):,}" for census in shown.values()))
    for label in list_labels(splits):
        cells = ((f"{each.tokens[label]:,} ({each.percent(label):.4f})", _blank_zero(each.entities[label])) for each in shown.values())
        phi.add_row(escape(label), *(cell for pair in cells for cell in pair))
    phi.add_section()
    sums = ((f"{each.tokens.total():,} ({100 if each.tokens else 0:.4f})", f"{each.entities.total():,}") for each in shown.values())
    phi.add_row("Total", *(cell for pair in sums for cell in pair))
    print_tables([sizes, phi])


def _blank_zero(number: int) -> str:
    return f"{number:,}" if number else ""
