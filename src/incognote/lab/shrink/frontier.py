"""What a search found: models with their size, quality and speed, and those among them that no other beats in size and F1 both."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from incognote.corpora.files import write_whole
from incognote.errors import ConfigError
from incognote.find.model.tensors import is_quantized
from incognote.lab.shrink.table import Line


@dataclass(frozen=True, slots=True)
class Found:
    """A model that was tried. ``size`` is that of its folder in bytes, ``speed`` is beside the model that the search began with."""

    name: str
    way: str
    int8: bool
    size: int
    parameters: int
    f1: float
    recall: float
    speed: float
    low: float | None = None
    high: float | None = None
    change: float = 0.0
    change_low: float | None = None
    change_high: float | None = None
    seconds: float = 0.0


def find_out(line: Line, *, name: str, way: str, seconds: float = 0.0) -> Found:
    """What a line of the table says, in plain numbers that can be written down."""
    if line.f1 is None or line.recall is None:
        raise ConfigError("search", ["there are no notes to score on"])
    interval, change = line.f1.interval, line.difference
    around = change.interval if change else None
    return Found(
        name=name,
        way=way,
        int8=is_quantized(line.folder),
        size=line.size,
        parameters=line.parameters,
        f1=line.f1.value,
        recall=line.recall.value,
        speed=1.0 if line.ratio is None else line.ratio,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        change=change.value if change else 0.0,
        change_low=around.low if around else None,
        change_high=around.high if around else None,
        seconds=seconds,
    )


def find_frontier(found: Sequence[Found]) -> list[Found]:
    """The models that no other is both smaller and better than, the smallest first; of equals the faster one, then the first.

    >>> def made(name, size, f1):
    ...     return Found(name, "cut", False, size, 1, f1, f1, 1.0)
    >>> [one.name for one in find_frontier([made("big", 9, 0.9), made("bad", 9, 0.8), made("small", 4, 0.85), made("worse", 5, 0.85)])]
    ['small', 'big']
    """
    kept: list[Found] = []
    for one in sorted(found, key=lambda each: (each.size, -each.f1, -each.speed, each.name)):
        if not kept or one.f1 > kept[-1].f1:
            kept.append(one)
    return kept


def meets(one: Found, *, target: float, max_loss: float) -> bool:
    """Whether a model is as small and as good as was asked for."""
    return one.size <= target and -one.change <= max_loss


def choose(found: Sequence[Found], *, target: float, max_loss: float) -> Found | None:
    """The best of the models that are small and good enough; none where there is none."""
    able = [one for one in found if meets(one, target=target, max_loss=max_loss)]
    return max(able, key=lambda one: (one.f1, -one.size), default=None)


def format_found(found: Sequence[Found], chosen: Found | None = None) -> str:
    """A Markdown table, the smallest model first."""
    rows = ["| model | MB | parameters | F1 | interval | change | recall | speed |", "|---|---:|---:|---:|---|---|---:|---:|"]
    for one in sorted(found, key=lambda each: each.size):
        interval = f"{one.low:.4f}–{one.high:.4f}" if one.low is not None and one.high is not None else ""
        bounds = f" ({one.change_low:+.4f} to {one.change_high:+.4f})" if one.change_low is not None and one.change_high is not None else ""
        name = f"**{one.name}**" if chosen and one.name == chosen.name else one.name
        rows.append(
            f"| {name} | {one.size / 1e6:.1f} | {one.parameters:,} | {one.f1:.4f} | {interval} | {one.change:+.4f}{bounds} "
            f"| {one.recall:.4f} | ×{one.speed:.2f} |"
        )
    return "\n".join(rows)


def write_found(found: Sequence[Found], file: Path) -> None:
    """Whole or not at all."""
    write_whole(file, json.dumps([asdict(one) for one in found], indent=1).encode())


def read_found(file: Path) -> list[Found]:
    """What :func:`write_found` wrote."""
    try:
        rows: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
        return [Found(**row) for row in rows]
    except (ValueError, TypeError):
        raise ConfigError(str(file), ["not a result of this version of incognote; remove it and search again"]) from None


def parse_size(text: str) -> float:
    """Bytes, from a number with a unit; kB, MB and GB are thousands, as disks are sold.

    >>> parse_size("20MB"), parse_size("1.5 GB"), parse_size("64 kB")
    (20000000.0, 1500000000.0, 64000.0)
    """
    units = {"GB": 1e9, "MB": 1e6, "KB": 1e3, "B": 1.0}
    plain = text.strip().upper()
    unit = next((unit for unit in units if plain.endswith(unit)), "")
    try:
        size = float(plain.removesuffix(unit)) * units[unit]
    except (KeyError, ValueError):
        size = 0.0
    if not 0 < size < float("inf"):
        raise ConfigError("target size", [f"{text!r}: is not a size such as 20MB"])
    return size
