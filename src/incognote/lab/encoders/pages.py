"""Pages about encoders: the parameters of one, as published parameter pages and appendix tables have them, and the rank of all."""

import html
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from incognote.lab.encoders.architectures import Architecture
from incognote.lab.encoders.parameters import Parameter

_BYTES = 4  # of a weight in full precision
_ORDER = ("Scalar", "Vector", "Matrix", "Tensor")
_STYLE = """body{font:14px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}
table{border-collapse:collapse;margin:1rem 0}td,th{border:1px solid #ccc;padding:.2rem .6rem;text-align:left}
td.n{text-align:right;font-variant-numeric:tabular-nums}th{background:#f4f4f4;position:sticky;top:0}"""


@dataclass(frozen=True, slots=True)
class Page:
    """What is shown about one encoder with one head."""

    architecture: Architecture
    head: str
    labels: int
    rows: tuple[Parameter, ...]

    @property
    def total(self) -> int:
        return sum(row.count for row in self.rows)

    @property
    def mib(self) -> float:
        """Its size in full precision."""
        return self.total * _BYTES / 2**20

    def shares(self, *, by_parameters: bool) -> dict[str, float]:
        """Percent of the rows, or of the parameters, in each form."""
        counted: Counter[str] = Counter()
        for row in self.rows:
            counted[row.form] += row.count if by_parameters else 1
        whole = sum(counted.values())
        return {form: 100 * counted[form] / whole for form in _ORDER if form in counted}


def make_page(architecture: Architecture, *, head: str, labels: int) -> Page:
    """The page of an encoder with a head for that many labels."""
    return Page(architecture, head, labels, architecture.parameters(head=head, labels=labels))


def page_json(page: Page) -> dict[str, Any]:
    """The page as plain values; ``parameters`` is the total."""
    own = page.architecture
    return {
        "name": own.name,
        "hub": own.hub,
        "family": own.family,
        "licence": own.licence,
        "cased": own.cased,
        "head": page.head,
        "labels": page.labels,
        "parameters": page.total,
        "layers": len(page.rows),
        "mib": round(page.mib, 3),
        "forms": {form: round(share, 2) for form, share in page.shares(by_parameters=False).items()},
        "parameters_by_form": {form: round(share, 2) for form, share in page.shares(by_parameters=True).items()},
        "rows": [
            {"name": row.name, "shape": list(row.shape), "squeezed_shape": list(row.squeezed), "parameters": row.count, "form": row.form}
            for row in page.rows
        ],
    }


def page_markdown(page: Page) -> str:
    """The page as the public parameter pages have it."""
    rows = [[row.name, str(row.shape), str(row.squeezed), str(row.count), row.form] for row in page.rows]
    return "\n".join(
        [
            f"# {page.architecture.name} parameter information",
            "",
            *(f"**{name}: [ {value} ]**\n" for name, value in _facts(page)),
            "**Proportional of each form** (%)",
            "",
            _shares_markdown(page.shares(by_parameters=False)),
            "",
            "**Proportional of parameters by form** (%)",
            "",
            _shares_markdown(page.shares(by_parameters=True)),
            "",
            "# Layer information",
            "",
            markdown_table(["Name", "Shape", "Squeezed shape", "Number of parameters", "Form"], rows),
        ]
    )


def modules_markdown(page: Page) -> str:
    """Module and number of parameters, as the appendix tables of Meaney et al. 2022 have them."""
    title = f"{page.architecture.name} model description and parameter counts."
    table = markdown_table(["Module", "Number Parameters"], [[row.name, str(row.count)] for row in page.rows])
    return f"{title}\n\n{table}\n\nTotal: {page.total:,}"


def _facts(page: Page) -> list[tuple[str, str]]:
    return [
        ("Number of layers", str(len(page.rows))),
        ("Number of parameters", f"{page.mib:.3f} MiB"),
        ("Number of trainable parameters", f"{page.mib:.3f} MiB"),
        ("Total", f"{page.total:,}"),
        ("Head", f"{page.head}, {page.labels} labels"),
    ]


def _shares_markdown(shares: dict[str, float]) -> str:
    return markdown_table(list(shares), [[f"{share:.2f}" for share in shares.values()]])


def page_html(page: Page) -> str:
    """The page and its module table as one self-contained file."""
    own = page.architecture
    facts = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>" for name, value in _facts(page))
    origin = f"<p>{html.escape(own.family)} · {html.escape(own.hub)} · {html.escape(own.licence)}</p>" if own.hub else ""
    parts = [f"<h1>{html.escape(own.name)} parameter information</h1>", origin, f"<table>{facts}</table>"]
    for title, by_parameters in (("Share of each form (%)", False), ("Share of parameters by form (%)", True)):
        shares = page.shares(by_parameters=by_parameters)
        parts += [f"<h2>{title}</h2>", _html_table(list(shares), [[f"{share:.2f}" for share in shares.values()]])]
    rows = [[row.name, str(row.shape), str(row.squeezed), f"{row.count:,}", row.form] for row in page.rows]
    parts += ["<h2>Layer information</h2>", _html_table(["Name", "Shape", "Squeezed shape", "Number of parameters", "Form"], rows)]
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(own.name)}</title><style>{_STYLE}</style>'
    return head + "<body>" + "\n".join(parts) + "</body></html>"


def rank_rows(pages: Iterable[Page]) -> list[dict[str, Any]]:
    """The encoders, largest first."""
    ordered = sorted(pages, key=lambda page: (-page.total, page.architecture.name))
    return [{"rank": place, **summary(page)} for place, page in enumerate(ordered, 1)]


def summary(page: Page) -> dict[str, Any]:
    """One encoder in a line of a list."""
    own = page.architecture
    return {
        "name": own.name,
        "parameters": page.total,
        "mib": round(page.mib, 1),
        "layers": own.depth,
        "width": own.width,
        "vocabulary": own.config["vocab_size"],
        "cased": own.cased,
        "licence": own.licence,
        "hub": own.hub,
    }


def rows_markdown(rows: Sequence[dict[str, Any]]) -> str:
    """Rows of equal keys as one table."""
    return markdown_table(list(rows[0]), [[_cell(value) for value in row.values()] for row in rows])


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table.

    >>> print(markdown_table(["a", "b"], [["1", "2"]]))
    | a | b |
    | --- | --- |
    | 1 | 2 |
    """
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _html_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(_html_cell(cell) for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _html_cell(cell: str) -> str:
    number = cell.replace(",", "").replace(".", "").isdigit()
    return f'<td class="n">{cell}</td>' if number else f"<td>{html.escape(cell)}</td>"
