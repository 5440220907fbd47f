"""The page of a search for a smaller model: quality against size, with speed as the size of a dot, and the table; all in one file."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from incognote.corpora.files import write_whole
from incognote.lab.shrink.frontier import Found, choose, find_frontier, format_found
from incognote.lab.shrink.trials import WAYS
from incognote.lab.study.chart import Dot, draw_frontier

_WAYS = ("whole", *WAYS)
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>
<style>
body{{font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;max-width:1000px;margin:2rem auto;padding:0 1rem;color:#1d2430}}
table{{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:13px}}
td,th{{padding:.3rem .5rem;border-bottom:1px solid #e4e2dc;text-align:right}} td:first-child,th:first-child{{text-align:left}}
svg{{max-width:100%;height:auto}}
@media(prefers-color-scheme:dark){{body{{background:#14181e;color:#e7e9ec}}td,th{{border-color:#2c333d}}}}
</style></head><body><h1>{title}</h1><p>{words}</p>{chart}<h2>The frontier</h2>{frontier}<h2>All that was tried</h2>{every}</body></html>
"""


def write_tradeoff(folder: Path, found: Sequence[Found], *, target: float, max_loss: float) -> tuple[Path, Path]:
    """Write ``frontier.html`` and ``frontier.md`` into the folder of a search."""
    best, chosen = find_frontier(found), choose(found, target=target, max_loss=max_loss)
    whole = found[0]
    words = f"The model began with {whole.size / 1e6:.1f} MB and F1 {whole.f1:.4f}. "
    words += f"Wished for: {target / 1e6:.1f} MB, at most {max_loss:g} lost. "
    words += f"Best that is both: {chosen.name}." if chosen else "No model tried is both."
    dots = {one.name: _dot(one) for one in found}
    chart = draw_frontier(
        _WAYS,
        list(dots.values()),
        [dots[one.name] for one in best],
        limits=(target / 1e6, whole.f1 - max_loss),
        title="Quality against size",
        x_name="MB on disk; larger dots are faster on a processor",
        y_name="strict F1",
    )
    tables = {"frontier": _table(format_found(best, chosen)), "every": _table(format_found(found, chosen))}
    html, markdown = folder / "frontier.html", folder / "frontier.md"
    write_whole(html, _PAGE.format(title="Smaller models", words=escape(words), chart=chart, **tables).encode())
    text = f"{words}\n\n## The frontier\n\n{format_found(best, chosen)}\n\n## All that was tried\n\n{format_found(found, chosen)}\n"
    write_whole(markdown, text.encode())
    return html, markdown


def _dot(one: Found) -> Dot:
    words = f"{one.name}: {one.size / 1e6:.1f} MB, F1 {one.f1:.4f}, speed ×{one.speed:.2f}"
    return Dot(one.name, one.size / 1e6, one.f1, _WAYS.index(one.way), min(1.0, one.speed / 4), words)


def _table(markdown: str) -> str:
    """The Markdown table as HTML."""
    head, _, *rows = [[cell.strip().replace("**", "") for cell in line.strip("| ").split("|")] for line in markdown.splitlines()]
    cells = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return "<table><tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + f"</tr>{cells}</table>"
