"""Progress on standard error: bars on a terminal, and for a training elsewhere, such as in a log, a line every minute."""

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from incognote.cli.output import say

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from incognote.lab.training.loop import Progress, Watch

Item = TypeVar("Item")
SECONDS_BETWEEN = 60
# What the validation score of each task is called.
SCORES = {"tags": "F1", "classes": "macro F1", "pairs": "macro F1", "answers": "answer F1", "words": "probability of a hidden token"}


def track(items: Iterable[Item], what: str, *, total: int | None = None) -> Iterator[Item]:
    """The items, with a progress bar on a terminal."""
    with Meter() as meter:
        for item in items:
            yield item
            meter.advance(what, 1, total)


class Meter:
    """A progress bar for each stage of a long job, with notes per second, and the time left where the total is known."""

    def __init__(self) -> None:
        self._bars: Bars | None = None
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> "Meter":
        if sys.stderr.isatty():
            self._bars = _make_bars("{task.description:8}")
            self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bars is not None:
            self._bars.stop()

    def advance(self, stage: str, notes: int, total: int | None = None) -> None:
        """Count ``notes`` more as done in this stage."""
        if self._bars is None:
            return
        if stage not in self._tasks:
            self._tasks[stage] = self._bars.add_task(stage, total=total, said="")
        self._bars.advance(self._tasks[stage], notes)
        speed = self._bars.tasks[self._tasks[stage]].speed
        self._bars.update(self._tasks[stage], said=f"{speed:,.0f} notes/s" if speed else "")


@contextmanager
def watching(task: str = "tags") -> "Iterator[Watch]":
    """Show the progress of a training: loss, validation score and samples per second."""
    from incognote.lab.training.ranks import leads

    score = SCORES[task]
    if not (sys.stderr.isatty() and leads()):
        yield _say_every_minute(score)
        return
    # However the block ends, the bars stop: bars left running hide the cursor for good.
    with _make_bars("training") as bars:
        bar = bars.add_task("training", said="")

        def show(progress: "Progress") -> None:
            bars.update(bar, completed=progress.step, total=progress.total, said=_describe(progress, score))
            if progress.note:
                say(progress.note)

        yield show


def _make_bars(heading: str) -> "Bars":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(heading), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[said]}"), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _say_every_minute(score: str) -> "Watch":
    last = time.monotonic()

    def watch(progress: "Progress") -> None:
        nonlocal last
        if progress.note:
            say(progress.note)
        if time.monotonic() - last > SECONDS_BETWEEN:
            last = time.monotonic()
            say(f"step {progress.step:,} of {progress.total:,}, {_describe(progress, score)}")

    return watch


def _describe(progress: "Progress", score: str) -> str:
    return f"loss {progress.loss:.4f}, {score} {progress.f1:.4f}, {progress.samples_per_second:.1f} samples/s"
