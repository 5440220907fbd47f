"""incognote evaluate: predictions scored against gold, with intervals, and against another system."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli.options import IdColumn, NoteColumn, PatientColumn, Resamples, json_option
from incognote.cli.output import check_pages, say, track, write_json, write_text

if TYPE_CHECKING:
    from incognote.corpora import Columns
    from incognote.document import Document, LabelScheme
    from incognote.evaluate.summary import Summary

_NAMED = 10


def evaluate(
    gold: Annotated[Path, typer.Argument(metavar="GOLD", help="The notes with the right spans.")],
    predicted: Annotated[Path, typer.Argument(metavar="PRED", help="The same notes with the spans a system found.")],
    against: Annotated[Path | None, typer.Option(metavar="OTHER", help="What another system found: adds the paired difference.")] = None,
    scheme: Annotated[str | None, typer.Option(metavar="NAME", help="The label scheme; found from the labels when not named.")] = None,
    map_to: Annotated[str | None, typer.Option(metavar="SCHEME", help="Put all labels in the words of this scheme first.")] = None,
    format: Annotated[
        str | None, typer.Option("--format", metavar="FORMAT", help="The format of GOLD, when its files do not tell.")
    ] = None,
    pred_format: Annotated[str | None, typer.Option(metavar="FORMAT", help="The format of PRED and OTHER, likewise.")] = None,
    resamples: Resamples = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 0,
    ignore_extra: Annotated[bool, typer.Option("--ignore-extra", help="Leave out predicted notes that GOLD lacks; else an error.")] = False,
    json: Annotated[str | None, json_option("all scores")] = None,
    html: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Write one self-contained HTML page; - is standard output.")
    ] = None,
    note_column: NoteColumn = "text",
    id_column: IdColumn = "id",
    patient_column: PatientColumn = "patient",
) -> None:
    """Score found spans against gold: tokens, entities, i2b2 2014, MEDDOCAN, leaks, with 95 % intervals.

    Notes are matched by id. Notes that PRED lacks count as empty and are named. Patients are resampled, not notes.

    Example: incognote evaluate gold/ found.jsonl --against other.jsonl --html scores.html
    """
    from incognote.corpora import Columns
    from incognote.evaluate import evaluate as score
    from incognote.evaluate.page import BLANK, render_page
    from incognote.evaluate.schemes import fit_scheme, map_labels
    from incognote.evaluate.summary import as_dict, summarize

    check_pages({"--json": json, "--html": html}, files=[gold, predicted, against])
    columns = Columns(note_column, id_column, patient_column)
    paths = [gold, predicted, *([against] if against else [])]
    corpora = [_read(path, format if path is gold else pred_format, columns, scheme) for path in paths]
    if map_to:
        corpora = [map_labels(documents, map_to, source=scheme) for documents in corpora]
    chosen = fit_scheme([document for documents in corpora for document in documents], name=map_to or scheme)
    _warn_scheme(chosen)
    evaluations = [
        score(corpora[0], found, scheme=chosen, ignore_extra=ignore_extra, path=str(path))
        for path, found in zip(paths[1:], corpora[1:], strict=True)
    ]
    if evaluations[0].blank:
        say(f"warning: {gold}: {BLANK}")
    summary = summarize(evaluations[0], against=evaluations[1] if against else None, resamples=resamples, seed=seed)
    for path, evaluation in zip(paths[1:], evaluations, strict=True):
        _warn_ids(path, "lacks {} of the gold notes; they count as empty", evaluation.missing)
        _warn_ids(path, "has {} notes that are not in the gold; they were ignored", evaluation.ignored)
    names = _name(paths)
    if json is not None:
        write_json({"gold": str(gold), "predicted": str(predicted), "against": str(against) if against else None, **as_dict(summary)}, json)
    if html is not None:
        write_text(render_page(summary, names=names), html)
    if "-" not in (json, html):
        print_summary(summary, names)


def _name(paths: Sequence[Path]) -> list[str]:
    """The name of each file or folder, or its whole path where two would be called the same.

    >>> _name([Path("gold.jsonl"), Path("one/found.jsonl"), Path("two/found.jsonl")])
    ['gold.jsonl', 'one/found.jsonl', 'two/found.jsonl']
    """
    short = [path.name for path in paths]
    return [name if name and short.count(name) == 1 else str(path) for name, path in zip(short, paths, strict=True)]


def _read(path: Path, format: str | None, columns: "Columns", scheme: str | None) -> "list[Document]":
    from incognote.corpora import read_corpus

    return list(track(read_corpus(path, format=format, columns=columns, scheme=scheme), f"read {path.name}"))


def _warn_scheme(scheme: "LabelScheme | None") -> None:
    if scheme is None:
        say("warning: no shipped label scheme has all these labels; HIPAA scores are left out, --map-to or --scheme may help")


def _warn_ids(path: Path, what: str, ids: Sequence[str]) -> None:
    if ids:
        more = f", and {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
        say(f"warning: {path} {what.format(f'{len(ids):,}')}: {', '.join(ids[:_NAMED])}{more}")


def print_summary(summary: "Summary", names: Sequence[str]) -> None:
    """The tables, on standard output."""
    from rich.markup import escape

    from incognote.cli.evaluate_tables import list_tables, print_tables

    evaluation = summary.evaluation
    found, gold = escape(names[1]), escape(names[0])
    print_tables(
        list_tables(summary, names),
        f"[bold]{found}[/] against gold [bold]{gold}[/]: {len(evaluation.documents):,} notes, "
        f"{len(set(evaluation.patients)):,} patients, {sum(evaluation.pairs.values()):,} tokens",
        f"[dim]95 % intervals: {summary.resamples:,} resamples of patients, seed {summary.seed}[/]",
    )
