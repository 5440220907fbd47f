"""Charts as plain SVG: grouped bars with intervals, lines, points with names, and a frontier; readable on light and dark paper."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

# Eight hues that stay apart for colour-blind readers, after Okabe and Ito, dimmed or lifted for each kind of paper.
_LIGHT = ("#1f6f78", "#c8702a", "#5b5fb0", "#a83b5b", "#6a8a22", "#8a6d3b", "#3f8fc4", "#7a7f87")
_DARK = ("#62b6bf", "#e7a15f", "#9b9ff0", "#e5809c", "#a9c95c", "#cdb07a", "#7cc0ee", "#b4bac4")
_STYLE = (
    "<style>.chart{font:12px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;--ink:#1d2430;--soft:#5d6675;--line:#e4e2dc;"
    + "".join(f"--s{i}:{c};" for i, c in enumerate(_LIGHT))
    + "}@media(prefers-color-scheme:dark){.chart{--ink:#e7e9ec;--soft:#98a2b0;--line:#2c333d;"
    + "".join(f"--s{i}:{c};" for i, c in enumerate(_DARK))
    + "}}.chart text{fill:var(--soft)}.chart .name{fill:var(--ink)}.chart .grid{stroke:var(--line)}"
    ".chart .whisker{stroke:var(--ink);opacity:.55}</style>"
)
LEFT, TOP, BOTTOM = 46, 34, 30


@dataclass(frozen=True, slots=True)
class Bar:
    """A value from 0 to 1 with its interval; None where there is nothing to measure."""

    value: float | None
    low: float | None = None
    high: float | None = None


def draw_bars(groups: Sequence[str], series: Sequence[str], bars: Sequence[Sequence[Bar]], *, title: str) -> str:
    """Bars of every series under each other in each group, with their values; ``bars[s][g]``. They lie, so that any page is wide enough."""
    left = 14 + 7.2 * max((len(group) for group in groups), default=0)
    thick = 10 if len(series) > 2 else 14
    step = thick * len(series) + 12
    width, plot = 960, 960 - left - 50
    height = TOP + step * len(groups) + BOTTOM
    body = [_upright_lines(left, plot, TOP, height - BOTTOM, [i / 5 for i in range(6)])]
    for g, group in enumerate(groups):
        y = TOP + step * g + 6
        middle = y + thick * len(series) / 2
        body.append(f"<text class='name' x='{left - 8:.1f}' y='{middle + 4:.1f}' text-anchor='end'>{escape(group)}</text>")
        for s in range(len(series)):
            body.append(_bar(bars[s][g], left, y + s * thick, thick, plot, s, f"{series[s]}, {group}"))
    return _svg(max(width, _legend_width(series)), height, title, _legend(series) + "".join(body))


def _bar(bar: Bar, left: float, y: float, thick: float, plot: float, s: int, what: str) -> str:
    if bar.value is None:
        return f"<text x='{left + 4:.1f}' y='{y + thick - 2:.1f}' font-size='9'>–</text>"
    middle, end = y + thick / 2, left + plot * max(bar.value, bar.high or 0.0)
    parts = [
        f"<rect x='{left:.1f}' y='{y + 0.5:.1f}' width='{plot * bar.value:.1f}' height='{thick - 1:.1f}' rx='1.5' fill='var(--s{s % 8})'>"
        f"<title>{escape(what)}: {bar.value:.4f}</title></rect>"
        f"<text x='{end + 5:.1f}' y='{middle + 3.2:.1f}' font-size='9'>{bar.value:.3f}</text>"
    ]
    if bar.low is not None and bar.high is not None:
        parts.append(f"<path class='whisker' d='M{left + plot * bar.low:.1f} {middle:.1f}H{left + plot * bar.high:.1f}'/>")
    return "".join(parts)


def draw_lines(series: Sequence[str], points: Sequence[Sequence[tuple[float, float]]], *, title: str, x_name: str) -> str:
    """A line for each series."""
    every = [point for line in points for point in line]
    low, high = _round_range([y for _, y in every])
    most = max((x for x, _ in every), default=1.0)
    width, height = 960, 340
    plot = height - TOP - BOTTOM - 14
    across = width - LEFT - 20

    def place(x: float, y: float) -> tuple[float, float]:
        return LEFT + across * x / most, TOP + plot * (1 - (y - low) / (high - low))

    body = [_grid_lines(LEFT, width - 12, TOP, plot, _ticks(low, high), low, high)]
    body += [_x_tick(place(x, low)[0], TOP + plot, f"{x:g}") for x in _whole_ticks(most)]
    for s, line in enumerate(points):
        spots = [place(x, y) for x, y in sorted(line)]
        path = " ".join(f"{'M' if not i else 'L'}{x:.1f} {y:.1f}" for i, (x, y) in enumerate(spots))
        body.append(f"<path d='{path}' fill='none' stroke='var(--s{s % 8})' stroke-width='2' stroke-linejoin='round'/>")
        body += [f"<circle cx='{x:.1f}' cy='{y:.1f}' r='2.6' fill='var(--s{s % 8})'/>" for x, y in spots]
    body.append(f"<text x='{LEFT + across / 2}' y='{height - 6}' text-anchor='middle'>{escape(x_name)}</text>")
    return _svg(max(width, _legend_width(series)), height, title, _legend(series) + "".join(body))


def draw_points(names: Sequence[str], points: Sequence[tuple[float, float]], hues: Sequence[int], *, title: str, x_name: str) -> str:
    """A named point each, the horizontal axis in powers of ten."""
    logs = [math.log10(max(x, 1e-9)) for x, _ in points]
    left, right = math.floor(min(logs, default=0)), math.ceil(max(logs, default=1))
    right += right == left
    low, high = _round_range([y for _, y in points])
    width, height = 960, 360
    plot, across = height - 16 - BOTTOM - 14, width - LEFT - 130
    body = [_grid_lines(LEFT, LEFT + across, 16, plot, _ticks(low, high), low, high)]
    body += [_x_tick(LEFT + across * (p - left) / (right - left), 16 + plot, f"{10.0**p:,.10g}") for p in range(left, right + 1)]
    taken: list[tuple[float, float]] = []
    for name, x, (_, y), hue in sorted(zip(names, logs, points, hues, strict=True), key=lambda row: row[2][1]):
        at, up = LEFT + across * (x - left) / (right - left), 16 + plot * (1 - (y - low) / (high - low))
        body.append(f"<circle cx='{at:.1f}' cy='{up:.1f}' r='5' fill='var(--s{hue % 8})'><title>{escape(name)}: {y:.4f}</title></circle>")
        if name and all(abs(at - x2) > 90 or abs(up - y2) > 12 for x2, y2 in taken):
            body.append(f"<text class='name' x='{at + 9:.1f}' y='{up + 4:.1f}'>{escape(name)}</text>")
            taken.append((at, up))
    body.append(f"<text x='{LEFT + across / 2}' y='{height - 6}' text-anchor='middle'>{escape(x_name)}</text>")
    return _svg(width, height, title, "".join(body))


@dataclass(frozen=True, slots=True)
class Dot:
    """A named point with the number of its series, a size from 0 to 1, and a tooltip."""

    name: str
    x: float
    y: float
    series: int
    size: float
    words: str


def draw_frontier(
    series: Sequence[str], dots: Sequence[Dot], line: Sequence[Dot], *, limits: tuple[float, float], title: str, x_name: str, y_name: str
) -> str:
    """Dots with a stepped line through the best of them, which are named; ``limits`` are the most of x and the least of y wished."""
    low, high = _round_range([*(dot.y for dot in dots), limits[1]])
    most = 1.05 * max(*(dot.x for dot in dots), limits[0])
    width, height = 960, 420
    plot, across = height - TOP - BOTTOM - 14, width - LEFT - 150

    def place(x: float, y: float) -> tuple[float, float]:
        return LEFT + across * x / most, TOP + plot * (1 - (y - low) / (high - low))

    body = [_grid_lines(LEFT, LEFT + across, TOP, plot, _ticks(low, high), low, high)]
    body += [_x_tick(place(x, low)[0], TOP + plot, f"{x:g}") for x in _whole_ticks(most)]
    at, up = place(*limits)
    body.append(f"<path class='whisker' stroke-dasharray='4 4' d='M{at:.1f} {TOP}V{TOP + plot}M{LEFT} {up:.1f}H{LEFT + across}'/>")
    spots = [place(dot.x, dot.y) for dot in sorted(line, key=lambda dot: dot.x)]
    steps = "".join(f"H{x:.1f}V{y:.1f}" if i else f"M{x:.1f} {y:.1f}" for i, (x, y) in enumerate(spots))
    body.append(f"<path d='{steps}' fill='none' stroke='var(--s7)' stroke-width='1.5'/>")
    named, taken = {dot.name for dot in line}, list[tuple[float, float]]()
    for dot in sorted(dots, key=lambda dot: dot.y):
        x, y = place(dot.x, dot.y)
        hue = f"fill='var(--s{dot.series % 8})' fill-opacity='{0.95 if dot.name in named else 0.45}'"
        body.append(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{3 + 6 * dot.size:.1f}' {hue}><title>{escape(dot.words)}</title></circle>")
        if dot.name in named:
            up = y - 9
            while any(abs(x - beside) < 7 * len(dot.name) and abs(up - above) < 13 for beside, above in taken):
                up -= 13
            taken.append((x, up))
            body.append(f"<text class='name' x='{x + 4:.1f}' y='{up:.1f}'>{escape(dot.name)}</text>")
    body.append(f"<text x='{LEFT + across / 2}' y='{height - 6}' text-anchor='middle'>{escape(x_name)}</text>")
    body.append(f"<text transform='translate(10 {TOP + plot / 2:.0f}) rotate(-90)' text-anchor='middle'>{escape(y_name)}</text>")
    return _svg(max(width, _legend_width(series)), height, title, _legend(series) + "".join(body))


def _svg(width: float, height: float, title: str, body: str) -> str:
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' class='chart' viewBox='0 0 {width:.0f} {height:.0f}' width='{width:.0f}' "
        f"height='{height:.0f}' role='img' aria-label='{escape(title, quote=True)}'>{_STYLE}{body}</svg>"
    )


def _legend(series: Sequence[str]) -> str:
    parts, x = [], float(LEFT)
    for s, name in enumerate(series):
        parts.append(f"<rect x='{x:.0f}' y='6' width='11' height='11' rx='2.5' fill='var(--s{s % 8})'/>")
        parts.append(f"<text class='name' x='{x + 16:.0f}' y='16'>{escape(name)}</text>")
        x += 30 + 7 * len(name)
    return "".join(parts)


def _legend_width(series: Sequence[str]) -> float:
    return LEFT + sum(30 + 7 * len(name) for name in series)


def _grid_lines(left: float, right: float, top: float, plot: float, ticks: Sequence[float], low: float, high: float) -> str:
    parts = []
    for tick in ticks:
        y = top + plot * (1 - (tick - low) / (high - low))
        parts.append(
            f"<path class='grid' d='M{left} {y:.1f}H{right:.0f}'/><text x='{left - 6}' y='{y + 4:.1f}' text-anchor='end'>{tick:.4g}</text>"
        )
    return "".join(parts)


def _upright_lines(left: float, plot: float, top: float, foot: float, ticks: Sequence[float]) -> str:
    lines = (f"<path class='grid' d='M{left + plot * tick:.1f} {top}V{foot:.1f}'/>" for tick in ticks)
    return "".join(lines) + "".join(_x_tick(left + plot * tick, foot, f"{tick:.4g}") for tick in ticks)


def _x_tick(x: float, y: float, text: str) -> str:
    return f"<path class='grid' d='M{x:.1f} {y:.1f}v5'/><text x='{x:.1f}' y='{y + 18:.1f}' text-anchor='middle'>{text}</text>"


def _round_range(values: Sequence[float]) -> tuple[float, float]:
    """Bounds that hold all values, a little wider, at a round step.

    >>> _round_range([0.953, 0.968])
    (0.95, 0.97)
    """
    low, high = min(values, default=0.0), max(values, default=1.0)
    step = 10 ** math.floor(math.log10(max(high - low, 0.01)))
    low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    return round(low if low < high else low - step, 6), round(high, 6)


def _ticks(low: float, high: float) -> list[float]:
    return [low + (high - low) * i / 4 for i in range(5)]


def _whole_ticks(most: float) -> list[float]:
    step = max(1, math.ceil(most / 10))
    return [float(x) for x in range(0, math.floor(most) + 1, step)]
