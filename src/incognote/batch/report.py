"""The report of a run as one self-contained HTML page; it shows PHI only with ``show_phi``."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from string import Template

from incognote.batch.summary import Summary


def render_report(summary: Summary, *, title: str, settings: Mapping[str, str], seconds: float, show_phi: bool = False) -> str:
    """The HTML page. Without ``show_phi``, all note text in it is from the clean notes."""
    template = Template((files("incognote.batch") / "report.html").read_text(encoding="utf-8"))
    kept = f", {summary.kept.total():,} kept as the policy says" if summary.kept else ""
    return template.substitute(
        title=escape(title),
        lead=f"{summary.notes:,} notes scrubbed, {summary.replaced:,} spans of PHI replaced{kept}. "
        + ("This page shows original PHI: keep it with the notes." if show_phi else "This page shows nothing that the clean notes do not."),
        tiles=_tiles(summary, seconds),
        labels=_bars(summary.labels, "Label"),
        sources=_bars(summary.sources, "Rule or model"),
        verdicts=_bars(summary.verdicts, "What the policy keeps: by what evidence, or replaced for doubt"),
        least_sure=_least_sure(summary, show_phi=show_phi),
        quarantine=_quarantine(summary),
        settings=_table(("Setting", "Value"), [(escape(name), f"<code>{escape(value)}</code>") for name, value in settings.items()]),
    )


def _tiles(summary: Summary, seconds: float) -> str:
    tiles = [
        (f"{summary.notes:,}", "notes written", ""),
        (f"{summary.replaced:,}", "spans replaced", ""),
        *([(f"{summary.unread.total():,}", "letters that the model cannot read", "bad")] if summary.unread else []),
        *([(f"{summary.kept.total():,}", "spans kept", "")] if summary.kept else []),
        (f"{1000 * summary.found / max(1, summary.words):.1f}", "spans found per 1,000 words", ""),
        *([(f"{summary.order_open:,}", "notes whose dates may be day first, read month first", "")] if summary.order_open else []),
        (f"{summary.clean_notes:,}", "notes without PHI", ""),
        (f"{len(summary.quarantine):,}", "in quarantine", "bad" if summary.quarantine else ""),
        (f"{summary.notes / max(seconds, 1e-9):,.0f}", "notes a second", ""),
    ]
    return "".join(f'<div class="tile {kind}"><b>{number}</b><span>{what}</span></div>' for number, what, kind in tiles)


def _bars(counts: Mapping[str, int], heading: str) -> str:
    most = max(counts.values(), default=1)
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    body = "".join(
        f'<tr><td><code>{escape(name)}</code></td><td class="n">{count:,}</td>'
        f'<td class="bar"><i style="width:{100 * count / most:.1f}%"></i></td></tr>'
        for name, count in rows
    )
    head = f'<tr><th>{heading}</th><th class="n">Spans</th><th></th></tr>'
    return f"<table>{head}{body}</table>" if rows else '<div class="none">Nothing.</div>'


def _least_sure(summary: Summary, *, show_phi: bool) -> str:
    rows = []
    for row in summary.least_sure:
        original = f"<del>{escape(row['original'])}</del> " if show_phi else ""
        context = f"{escape(row['before'])}{original}<mark>{escape(row['replacement'])}</mark>{escape(row['after'])}"
        where = f"<code>{escape(row['document'])}</code>"
        rows.append((where, f"<code>{escape(row['label'])}</code>", f"{row['score']:.2f}", f'<div class="context">{context}</div>'))
    return _table(("Note", "Label", "Score", "In the clean text"), rows)


def _quarantine(summary: Summary) -> str:
    return _table(
        ("Note", "Why it was not written"),
        [(f"<code>{escape(row['document'] or row['path'])}</code>", escape(row["reason"])) for row in summary.quarantine],
    )


def _table(headings: Iterable[str], rows: Sequence[tuple[str, ...]]) -> str:
    if not rows:
        return '<div class="none">None.</div>'
    head = "".join(f"<th>{heading}</th>" for heading in headings)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"
