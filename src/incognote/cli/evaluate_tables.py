"""The tables of incognote evaluate, and the functions that format and print every table of scores."""

import io
import sys
from collections.abc import Iterable, Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from incognote.cli.output import count
from incognote.document.bio import OUTSIDE
from incognote.evaluate.bootstrap import ONE_PATIENT, Difference
from incognote.evaluate.confusion import Confusion, rank_confusions
from incognote.evaluate.summary import Estimate, Line, Summary

_CONFUSIONS = 8


def print_tables(tables: Iterable[Table], *lines: str) -> None:
    """Print the lines and the tables on standard output, as wide as needed: no cell or title is cut, whatever the terminal."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # its encoding may lack a character, and a file name need not be text
    console, endless, shown = Console(), Console(width=1000), list(tables)
    console.width = max([console.width, *(endless.measure(table).maximum for table in shown)])
    for item in (*lines, *shown):
        console.print(item, highlight=False, crop=False)


def list_tables(summary: Summary, names: Sequence[str]) -> Iterator[Table]:
    """Overview, comparison if there is one, then the details. Brackets in names and labels are escaped: they are not markup."""
    names = [escape(name) for name in names]
    yield _make_leaks(summary)
    if summary.contrasts:
        yield _make_contrasts(summary, names[1], names[2])
    for title, meaning, lines in summary.groups:
        yield _make_scores(f"{title} [dim]({meaning})[/]", lines)
    yield _make_types(summary)
    confusions = rank_confusions(summary.evaluation.pairs)
    between = [each for each in confusions if OUTSIDE not in (each.gold, each.predicted)]
    yield _make_confusions("Confused types", between)
    yield _make_confusions("Missed and spurious [dim](O: not PHI)[/]", [each for each in confusions if each not in between])


def format_estimate(estimate: Estimate) -> str:
    """The value with four decimals and its interval with three.

    >>> from incognote.evaluate.bootstrap import Interval
    >>> format_estimate(Estimate(0.51234, Interval(0.4, 0.62)))
    '0.5123 [0.400, 0.620]'
    """
    return f"{estimate.value:.4f}" + (f" [{estimate.interval.low:.3f}, {estimate.interval.high:.3f}]" if estimate.interval else "")


def format_difference(found: Difference) -> str:
    """The difference with its interval, or the reason why it is missing.

    >>> format_difference(Difference(0.1, None, None))
    '+0.1000 (one patient: no interval)'
    """
    ends = f"[{found.interval.low:+.3f}, {found.interval.high:+.3f}]" if found.interval else f"({ONE_PATIENT})"
    return f"{found.value:+.4f} {ends}"


def make_table(title: str, *columns: str, left: int = 1) -> Table:
    """An empty table: ``left`` columns of names, then columns of numbers. The title stays on one line."""
    heading = Text.from_markup(title, style="bold", overflow="ignore") if title else None
    table = Table(box=SIMPLE_HEAD, title=heading, title_justify="left")
    for at, column in enumerate(columns):
        table.add_column(column, justify="left" if at < left or not column else "right", no_wrap=True)
    return table


def _make_leaks(summary: Summary) -> Table:
    evaluation = summary.evaluation
    table = make_table("Overview", "", "value", "")
    characters = next(lines[0] for title, _, lines in summary.groups if title == "Characters")
    table.add_row("character recall", format_estimate(characters.recall), "of the letters and digits of PHI, with any label")
    for figure in summary.figures:
        table.add_row(figure.title, format_estimate(figure.estimate), f"{figure.ratio.part:,} / {figure.ratio.whole:,} {figure.meaning}")
    whole = sum(leak.whole for leak in evaluation.leaks)
    table.add_row(
        "leaks",
        f"{len(evaluation.leaks):,}",
        f"{count(whole, 'whole span')} and {count(len(evaluation.leaks) - whole, 'part')} left readable",
    )
    return table


def _make_scores(title: str, lines: Sequence[Line]) -> Table:
    macro = any(line.macro for line in lines)
    table = make_table(title, "", "precision", "recall", "F1", *(("macro P (SD)", "macro R (SD)", "macro F1") if macro else ("tp + fn",)))
    for line in lines:
        if line.macro:
            precision = f"{line.macro.precision:.4f} ({line.macro.precision_sd:.2f})"
            recall = f"{line.macro.recall:.4f} ({line.macro.recall_sd:.2f})"
            last = [precision, recall, f"{line.macro.f1:.4f}"]
        else:
            last = [f"{line.counts.support:,}"]
        table.add_row(line.title, *map(format_estimate, (line.precision, line.recall, line.f1)), *last)
    return table


def _make_types(summary: Summary) -> Table:
    table = make_table("PHI types [dim](tokens; F1 of entities last)[/]", "", "tokens", "precision", "recall", "F1", "entities", "F1")
    entities = {line.title: line for line in summary.entity_types}
    for line in summary.types:
        other = entities[line.title]
        scores = map(format_estimate, (line.precision, line.recall, line.f1))
        table.add_row(escape(line.title), f"{line.counts.support:,}", *scores, f"{other.counts.support:,}", f"{other.f1.value:.4f}")
    return table


def _make_confusions(title: str, confusions: Sequence[Confusion]) -> Table:
    rest = f" [dim]({_CONFUSIONS} of {len(confusions)} pairs)[/]" if len(confusions) > _CONFUSIONS else ""
    table = make_table(title + rest, "gold", "predicted", "tokens", left=2)
    for each in confusions[:_CONFUSIONS]:
        table.add_row(escape(each.gold), escape(each.predicted), f"{each.tokens:,}")
    if not confusions:
        table.add_row("none", "", "0")
    return table


def _make_contrasts(summary: Summary, one: str, two: str) -> Table:
    table = make_table(f"Compared with {two} [dim](difference above 0: {one} is better)[/]", "", one, two, "difference", "p")
    for each in summary.contrasts:
        found = each.difference
        difference = format_difference(found) if found else "undefined"
        p = f"{found.p:.3f}{' *' if found.p < 0.05 else '  '}" if found and found.p is not None else ""
        table.add_row(each.title, f"{each.one:.4f}", f"{each.two:.4f}", difference, p)
    return table
