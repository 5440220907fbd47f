"""The report of a study: one self-contained HTML page and its Markdown twin, made from the Runs in its folder."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template

from incognote.corpora.files import write_whole
from incognote.errors import ConfigError
from incognote.lab.study.comparisons import make_comparisons
from incognote.lab.study.figures import make_figures
from incognote.lab.study.folder import StudyFolder, open_study
from incognote.lab.study.results import Results, gather_results
from incognote.lab.study.sharing import compare_sharing
from incognote.lab.study.tables import Table, make_tables
from incognote.version import __version__


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with its words."""

    name: str
    title: str
    meaning: str
    svg: str


def write_report(path: Path, *, beside: Path | None = None, resamples: int = 1000) -> tuple[Path, Path]:
    """Write ``report.html``, ``report.md`` and the figures into the study's folder.

    ``beside`` is the folder of the same study with the other value of ``exact``, for the comparison of the two.
    """
    folder = open_study(path)
    results = gather_results(folder)
    tables, more = make_tables(results), make_comparisons(results, resamples=resamples)
    if beside:
        other = gather_results(open_study(beside))
        _check_other_way(results, other, beside)
        more.insert(0, compare_sharing(results, other))
    figures = [Figure(name, *parts) for name, parts in make_figures(results, resamples=resamples).items()]
    order: list[Table | Figure] = [*tables[:5], figures[0], tables[5], *figures[1:], *more]
    html, markdown = path / "report.html", path / "report.md"
    write_whole(html, render_html(results, order, resamples).encode())
    write_whole(markdown, render_markdown(results, order, folder).encode())
    return html, markdown


def _check_other_way(one: Results, two: Results, beside: Path) -> None:
    faults = ["was done the same way; one of the two must be done with {exact}"] if one.study["exact"] == two.study["exact"] else []
    faults += ["is of another corpus or split"] if one.corpus.get("digest") != two.corpus.get("digest") else []
    if faults:
        raise ConfigError(str(beside), faults)


def render_html(results: Results, order: Sequence[Table | Figure], resamples: int) -> str:
    """The page, with everything inside it."""
    template = Template((files("incognote.lab.study") / "page.html").read_text(encoding="utf-8"))
    return template.substitute(
        title=escape(results.title),
        subtitle=escape(subtitle(results)),
        cards="".join(_card(*card) for card in cards(results)),
        sections="\n".join(_section(part) for part in order),
        resamples=f"{resamples:,}",
        version=__version__,
        runs=len(results.runs),
        digest=escape(str(results.corpus.get("digest", ""))),
    )


def subtitle(results: Results) -> str:
    """One line on models, runs and notes."""
    notes = results.corpus.get("notes", 0)
    return f"{len({run.model for run in results.runs})} models · {len(results.runs)} runs · {notes:,} notes"


def cards(results: Results) -> list[tuple[str, str, str]]:
    """The numbers to see first."""
    best = results.best[0]
    counts, entity = best.counts(results.shown, "token"), best.counts(results.shown, "entity")
    found = [
        (f"Best model: {best.title}", f"{best.f1:.4f}", "validation F1"),
        (f"Its token F1 on {results.shown}", f"{counts.f1:.4f}", f"precision {counts.precision:.4f}, recall {counts.recall:.4f}"),
        (f"Its whole-span F1 on {results.shown}", f"{entity.f1:.4f}", f"precision {entity.precision:.4f}, recall {entity.recall:.4f}"),
    ]
    if results.systems and results.systems[0]["kind"] != "single":
        system = results.systems[0]
        members = len(system["members"])
        more = f"validation F1, {system['kind'].replace('-', ' ')}, {members} member{'s' if members > 1 else ''}"
        found.append(("Best system", f"{system['f1']:.4f}", more))
    return found


def _card(name: str, value: str, more: str) -> str:
    return f"<div class='card'><span class='name'>{escape(name)}</span><b>{value}</b><span>{escape(more)}</span></div>"


def _section(part: Table | Figure) -> str:
    head = f"<h2>{escape(part.title)}</h2><p class='soft'>{escape(part.meaning)}</p>"
    if isinstance(part, Figure):
        return f"{head}<div class='scroll figure'>{part.svg}</div>"
    columns = "".join(f"<th scope='col'>{escape(name)}</th>" for name in part.head)
    rows = "".join(
        f"<tr><th scope='row'>{escape(row[0])}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in row[1:])}</tr>" for row in part.rows
    )
    return f"{head}<div class='scroll'><table><thead><tr>{columns}</tr></thead><tbody>{rows}</tbody></table></div>"


def render_markdown(results: Results, order: Sequence[Table | Figure], folder: StudyFolder) -> str:
    """The same report for a repository; figures are files beside it."""
    lines = [f"# {results.title}", "", subtitle(results) + f" · data digest {results.corpus.get('digest', '')}", ""]
    lines += [f"- {name}: **{value}** ({more})" for name, value, more in cards(results)]
    for part in order:
        lines += ["", f"## {part.title}", "", part.meaning, ""]
        if isinstance(part, Figure):
            write_whole(folder.path / "figures" / f"{part.name}.svg", part.svg.encode())
            lines.append(f"![{part.title}](figures/{part.name}.svg)")
        else:
            lines.append("| " + " | ".join(map(_cell, part.head)) + " |")
            lines.append("|" + "---|" * len(part.head))
            lines += ["| " + " | ".join(map(_cell, row)) + " |" for row in part.rows]
    return "\n".join([*lines, "", f"Made by incognote {__version__}. No text of any note is in here.", ""])


def _cell(text: str) -> str:
    return text.replace("|", "\\|") or " "
