"""The evaluation as one self-contained page: no scripts, nothing from outside, light and dark, and no text of any note."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape
from importlib.resources import files
from string import Template

from incognote.evaluate.bootstrap import ONE_PATIENT, list_ends
from incognote.evaluate.confusion import order_labels
from incognote.evaluate.summary import Contrast, Estimate, Line, Summary
from incognote.version import __version__

BLANK = "the gold has no span: nothing could be missed, so recall and leaks say nothing"
_NAMED = 20
_WIDTH, _HEIGHT, _EDGE = 150, 16, 6


def render_page(summary: Summary, *, names: Sequence[str]) -> str:
    """The page; ``names`` are those of the gold, the predictions and, in a comparison, the other system."""
    template = Template((files("incognote.evaluate") / "page.html").read_text(encoding="utf-8"))
    evaluation = summary.evaluation
    size = f"{len(evaluation.documents):,} notes · {len(set(evaluation.patients)):,} patients · {sum(evaluation.pairs.values()):,} tokens"
    return template.substitute(
        title=escape(f"{names[1]}: scores"),
        heading=f"{escape(names[1])} <span class='soft'>against gold</span> {escape(names[0])}",
        subtitle=size + (f" · labels of {escape(evaluation.scheme)}" if evaluation.scheme else ""),
        notes=_render_notes(summary),
        cards=_render_cards(summary),
        sections="\n".join(_render_sections(summary, names)),
        resamples=f"{summary.resamples:,}",
        seed=summary.seed,
        version=__version__,
    )


def _render_notes(summary: Summary) -> str:
    blank = f"<p class='note'><b>{BLANK.capitalize()}.</b></p>" if summary.evaluation.blank else ""
    notes = (
        (summary.evaluation.missing, "gold notes have no prediction and count as empty"),
        (summary.evaluation.ignored, "predicted notes have no gold and were ignored"),
    )
    return blank + "".join(
        f"<p class='note'><b>{len(ids):,} {what}:</b> {escape(', '.join(ids[:_NAMED]))}{' …' if len(ids) > _NAMED else ''}</p>"
        for ids, what in notes
        if ids
    )


def _render_cards(summary: Summary) -> str:
    lines = {line.name: line for _, _, group in summary.groups for line in group}
    clean = next(figure for figure in summary.figures if figure.name == "clean")
    leaks = summary.evaluation.leaks
    whole = sum(leak.whole for leak in leaks)
    cards = (
        ("Token F1", f"{lines['token'].f1.value:.4f}", _interval_text(lines["token"].f1)),
        ("Character recall", f"{lines['characters'].recall.value:.4f}", _interval_text(lines["characters"].recall)),
        ("Notes with nothing leaked", f"{100 * clean.estimate.value:.1f} %", f"{clean.ratio.part:,} of {clean.ratio.whole:,}"),
        ("Leaks", f"{len(leaks):,}", f"{whole:,} whole spans, {len(leaks) - whole:,} parts"),
    )
    return "".join(
        f"<div class='card'><span class='name'>{name}</span><b>{value}</b><span>{more}</span></div>" for name, value, more in cards
    )


def _render_sections(summary: Summary, names: Sequence[str]) -> Iterable[str]:
    if summary.contrasts:
        meaning = f"a difference above 0 says that {names[1]} is better"
        yield _section(f"Compared with {names[2]}", meaning, _render_contrasts(summary.contrasts, names))
    yield _section("PHI types", "word tokens of each type; the bar is F1 with its interval", _render_types(summary))
    first = [(title, meaning, lines) for title, meaning, lines in summary.groups if not any(line.macro for line in lines)]
    overall = [replace(line, title=f"{title}, {line.title}") for title, _, lines in first for line in lines]
    yield _section("Overall", "; ".join(f"{title}: {meaning}" for title, meaning, _ in first), _render_lines(overall))
    for title, meaning, lines in summary.groups:
        if any(line.macro for line in lines):
            yield _section(title, meaning, _render_lines(lines))
    rows = (
        [figure.title, _cell(figure.estimate), f"{figure.ratio.part:,} / {figure.ratio.whole:,}", escape(figure.meaning)]
        for figure in summary.figures
    )
    yield _section("Single numbers", "accuracy and leaks", _table(["", "value", "counts", ""], rows))
    yield _section("Confusion", "tokens: gold down, predicted across; O is no PHI", _render_matrix(summary))


def _section(title: str, meaning: str, body: str) -> str:
    return f"<h2>{escape(title)}</h2><p class='soft'>{escape(meaning)}</p><div class='scroll'>{body}</div>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    body = "".join(
        f"<tr><th scope='row'>{row[0]}</th>{''.join(cell if cell.startswith('<td') else f'<td>{cell}</td>' for cell in row[1:])}</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{''.join(f'<th scope=col>{name}</th>' for name in head)}</tr></thead><tbody>{body}</tbody></table>"


def _render_lines(lines: Sequence[Line]) -> str:
    macro = any(line.macro for line in lines)
    head = ["", "precision", "recall", "F1", *(["macro P (SD)", "macro R (SD)", "macro F1"] if macro else ["tp + fn"])]
    rows = []
    for line in lines:
        row = [escape(line.title), *map(_cell, (line.precision, line.recall, line.f1))]
        if line.macro:
            row += [f"{line.macro.precision:.4f}<small>{line.macro.precision_sd:.2f}</small>"]
            row += [f"{line.macro.recall:.4f}<small>{line.macro.recall_sd:.2f}</small>", f"{line.macro.f1:.4f}"]
        else:
            row.append(f"{line.counts.support:,}")
        rows.append(row)
    return _table(head, rows)


def _render_types(summary: Summary) -> str:
    low = min((line.f1.interval.low for line in summary.types if line.f1.interval and line.counts.support), default=0.0)
    floor = min(0.9, int(low * 10) / 10)
    rows = (
        [
            escape(line.title),
            f"{line.counts.support:,}",
            f"{line.precision.value:.4f}",
            f"{line.recall.value:.4f}",
            _cell(line.f1),
            f"<td class='bar'>{_draw(line.f1.value, line.f1, floor, 1.0)}</td>",
        ]
        for line in summary.types
    )
    return _table(["", "tokens", "precision", "recall", "F1", f"F1, {floor:.1f} to 1"], rows)


def _render_contrasts(contrasts: Sequence[Contrast], names: Sequence[str]) -> str:
    differences = [each.difference for each in contrasts if each.difference]
    ends = [end for each in differences for end in (list_ends(each.interval) or [each.value])]
    reach = max([*map(abs, ends), 1e-6])
    rows = []
    for each in contrasts:
        row = [escape(each.title), f"{each.one:.4f}", f"{each.two:.4f}"]
        if found := each.difference:
            sure = ("up" if found.value > 0 else "down") if found.p is not None and found.p < 0.05 else ""
            around = f"{found.interval.low:+.3f} to {found.interval.high:+.3f}" if found.interval else ONE_PATIENT
            p = "" if found.p is None else f"{found.p:.3f}"
            bar = _draw(found.value, Estimate(found.value, found.interval), -reach, reach, zero=True)
            row += [f"<td><span class='{sure}'>{found.value:+.4f}</span><small>{around}</small></td>", f"<td class='bar'>{bar}</td>", p]
        else:
            row += ["undefined", "", ""]
        rows.append(row)
    return _table(["", escape(names[1]), escape(names[2]), "difference", f"−{reach:.3f} to +{reach:.3f}", "p"], rows)


def _render_matrix(summary: Summary) -> str:
    pairs = summary.evaluation.pairs
    labels = order_labels(pairs)
    wrong = max((number for (gold, predicted), number in pairs.items() if gold != predicted), default=1)
    head = "".join(f"<th scope='col'><span>{escape(label)}</span></th>" for label in labels)
    rows = []
    for gold in labels:
        cells = []
        for predicted in labels:
            number = pairs.get((gold, predicted), 0)
            shade = f" style='background: rgb(var(--heat) / {0.12 + 0.6 * number / wrong:.2f})'" if number and gold != predicted else ""
            kind = " class='right'" if gold == predicted else ""
            cells.append(f"<td{kind}{shade}>{f'{number:,}' if number else ''}</td>")
        rows.append(f"<tr><th scope='row'>{escape(gold)}</th>{''.join(cells)}</tr>")
    return f"<table class='matrix'><thead><tr><th></th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _cell(estimate: Estimate) -> str:
    small = f"<small>{_interval_text(estimate)}</small>" if estimate.interval else ""
    return f"<td>{estimate.value:.4f}{small}</td>"


def _interval_text(estimate: Estimate) -> str:
    return f"{estimate.interval.low:.3f} to {estimate.interval.high:.3f}" if estimate.interval else ""


def _draw(value: float, estimate: Estimate, floor: float, top: float, *, zero: bool = False) -> str:
    """A dot on a track, with its interval; what lies beyond the track is drawn at its end."""

    def place(at: float) -> str:
        share = (min(max(at, floor), top) - floor) / (top - floor)
        return f"{_EDGE + share * (_WIDTH - 2 * _EDGE):.1f}"

    middle = _HEIGHT // 2
    parts = [f"<line class='track' x1='{_EDGE}' y1='{middle}' x2='{_WIDTH - _EDGE}' y2='{middle}'/>"]
    if zero:
        parts.append(f"<line class='zero' x1='{place(0)}' y1='1' x2='{place(0)}' y2='{_HEIGHT - 1}'/>")
    if estimate.interval:
        ends = place(estimate.interval.low), place(estimate.interval.high)
        parts.append(f"<line class='range' x1='{ends[0]}' y1='{middle}' x2='{ends[1]}' y2='{middle}'/>")
    parts.append(f"<circle class='dot' cx='{place(value)}' cy='{middle}' r='4'/>")
    return f"<svg width='{_WIDTH}' height='{_HEIGHT}' aria-hidden='true'>{''.join(parts)}</svg>"
