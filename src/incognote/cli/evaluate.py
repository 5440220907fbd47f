"""incognote evaluate: predicted spans scored against gold, with intervals, and compared with another system."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli import options
from incognote.cli.output import check_pages, count, say, write_json, write_text
from incognote.cli.progress import track
from incognote.shown import show_id

if TYPE_CHECKING:
    from incognote.corpora import Columns
    from incognote.document import Document, LabelScheme
    from incognote.evaluate.summary import Summary

_NAMED = 10


def evaluate(
    gold: Annotated[Path, typer.Argument(metavar="GOLD", help="The notes with gold spans.")],
    predicted: Annotated[Path, typer.Argument(metavar="PRED", help="The same notes with predicted spans.")],
    against: Annotated[Path | None, typer.Option(metavar="OTHER", help="The spans of another system: adds paired differences.")] = None,
    scheme: Annotated[str | None, typer.Option(metavar="NAME", help="The label scheme; detected from the labels if not given.")] = None,
    map_to: Annotated[str | None, typer.Option(metavar="SCHEME", help="Map all labels to this scheme first.")] = None,
    format: options.CorpusFormat = None,
    pred_format: Annotated[str | None, typer.Option(metavar="FORMAT", help="The format of PRED and OTHER.")] = None,
    resamples: options.Resamples = 1000,
    seed: Annotated[int, typer.Option(help="The seed of the bootstrap.")] = 0,
    ignore_extra: Annotated[
        bool, typer.Option("--ignore-extra", help="Ignore predicted notes that are not in GOLD, instead of an error.")
    ] = False,
    json: Annotated[str | None, options.json_option("all scores")] = None,
    html: Annotated[str | None, typer.Option("--html", metavar="FILE", help="Write an HTML page; - is standard output.")] = None,
    note_column: options.NoteColumn = "text",
    id_column: options.IdColumn = "id",
    patient_column: options.PatientColumn = "patient",
) -> None:
    """Score predicted spans against gold.

    Scores are those of tokens, entities, i2b2 2014, MEDDOCAN and leaks, with 95 % intervals. Notes are matched by id; a note that PRED
    lacks counts as one without spans, and is named. The bootstrap resamples patients, not notes.

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
        _warn_ids(evaluation.missing, f"of the gold not in {path}; counted as without spans")
        _warn_ids(evaluation.ignored, f"of {path} not in the gold; ignored")
    names = _name(paths)
    if json is not None:
        write_json({"gold": str(gold), "predicted": str(predicted), "against": str(against) if against else None, **as_dict(summary)}, json)
    if html is not None:
        write_text(render_page(summary, names=names), html)
    if "-" not in (json, html):
        print_summary(summary, names)


def _name(paths: Sequence[Path]) -> list[str]:
    """The name of each file or folder, or its path where two names are the same.

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
        say("warning: no shipped label scheme has all these labels, so there are no HIPAA scores; try --map-to or --scheme")


def _warn_ids(ids: Sequence[str], what: str) -> None:
    if ids:
        more = f", and {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
        say(f"warning: {count(len(ids), 'note')} {what}: {', '.join(filter(None, map(show_id, ids[:_NAMED])))}{more}")


def print_summary(summary: "Summary", names: Sequence[str]) -> None:
    """Print the tables on standard output."""
    from rich.markup import escape

    from incognote.cli.evaluate_tables import list_tables, print_tables

    evaluation = summary.evaluation
    found, gold = escape(names[1]), escape(names[0])
    print_tables(
        list_tables(summary, names),
        f"[bold]{found}[/] against gold [bold]{gold}[/]: {count(len(evaluation.documents), 'note')}, "
        f"{count(len(set(evaluation.patients)), 'patient')}, {count(sum(evaluation.pairs.values()), 'token')}",
        f"[dim]95 % intervals: {count(summary.resamples, 'resample')} of patients, seed {summary.seed}[/]",
    )
