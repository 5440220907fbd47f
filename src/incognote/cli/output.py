"""What the commands print: JSON to a file or standard output, errors without note text, progress on standard error."""

import io
import json
import os
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from incognote.errors import OutputError

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

Item = TypeVar("Item")

_JSON, _HTML = (".json",), (".html", ".htm")
# What each option may replace, by how the file's name ends; a file of another name is not of its making.
_REPLACEABLE = {"--json": _JSON, "--quarantine": _JSON, "--html": _HTML, "--report": _HTML}
# Settings whose option has another name.
_OPTIONS = {"models": "--model", "target": "-o", "format": "--format (convert, split, reidentify: --from)"}


def write_text(text: str, target: str, *, private: bool = False) -> None:
    """To the file ``target``, or to standard output for ``-``; a file appears whole or not at all, ``private`` for its owner alone.

    A file name in it need not be UTF-8; what is written must be.
    """
    text = text.encode("utf-8", "backslashreplace").decode()
    if target == "-":
        if sys.stdout is None:
            raise OutputError("standard output is closed; name a file")
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")  # as in a file: the terminal's own encoding may lack a character
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        return
    path = Path(target)
    if path.exists() and not path.is_file():
        # A device or a pipe (/dev/null, /dev/stderr) is written to; a rename would put a plain file in its place.
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise OutputError(f"{target}: cannot be written: {error.strerror}") from None
        return
    from incognote.corpora.files import write_whole

    write_whole(path, text.encode("utf-8"), private=private)


def check_pages(
    pages: Mapping[str, str | Path | None], *, files: Iterable[str | Path | None] = (), notes: str | Path | None = None
) -> None:
    """Raise, before the work is done, where :func:`write_text` could not write a page, or would write it over something else.

    ``pages`` says which option wants to write where; ``files`` are those that the command reads, and ``notes`` is where it writes notes.
    """
    from incognote.corpora.output import check_free

    taken = {Path(file).resolve(): f"is {file}, which this command reads" for file in files if file}
    for option, target in pages.items():
        place = Path("-" if str(target) == "-" else Path(target or "").resolve())
        if not target or (place.exists() and not place.is_file() and not place.is_dir()):
            continue  # a device, such as /dev/null, takes anything
        if place in taken:
            raise OutputError(f"{option} {target}: {taken[place]}; name another file")
        if notes and place.is_relative_to(Path(notes).resolve()):
            raise OutputError(f"{option} {target}: is, or lies in, {notes}, where the notes go; name a file outside")
        taken[place] = f"is where {option} goes too"
        _check_replaceable(option, target, place)
        if str(target) != "-" and (place.is_dir() or not place.exists()):
            check_free(place, folder=False, overwrite=True)


def _check_replaceable(option: str, target: str | Path, place: Path) -> None:
    """Raise where the page would take the place of a file that is no such page, such as a table of notes."""
    endings = _REPLACEABLE.get(option, ())
    if endings and place.suffix.lower() not in endings and place.is_file() and place.stat().st_size:
        raise OutputError(f"{option} {target}: there is such a file, and only {' or '.join(endings)} is replaced; name another file")


def write_json(value: object, target: str) -> None:
    """As :func:`write_text`, for anything ``json`` can write."""
    write_text(json.dumps(value, indent=2, ensure_ascii=False), target)


def track(items: Iterable[Item], what: str, *, total: int | None = None) -> Iterator[Item]:
    """The items, with a progress bar on standard error when it is a terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track as rich_track

    yield from rich_track(items, description=what, total=total, console=Console(stderr=True), transient=True)


def say(message: str) -> None:
    """A line for the person, on standard error."""
    print(message, file=sys.stderr)


def name_option(setting: str) -> str:
    """The option of a setting that an error names.

    >>> name_option("drop_columns"), name_option("models")
    ('--drop-columns', '--model')
    """
    return _OPTIONS.get(setting, f"--{setting.replace('_', '-')}")


def say_written(what: str, target: str | Path, *, written: int, aside: int) -> None:
    """What went where; or that nothing did, where every note was set aside."""
    say(f"{what} → {target}" if written or not aside else f"no note was written to {target}: all are in quarantine")


def say_quarantine(reasons: Sequence[str], *, shown: int = 20) -> None:
    """How many documents were set aside, and why the first of them were."""
    if not reasons:
        return
    say(f"{len(reasons):,} in quarantine, not written:")
    for reason in reasons[:shown]:
        say(f"  {reason}")
    if len(reasons) > shown:
        say(f"  and {len(reasons) - shown:,} more")


def warn_of_strangers(patients: Path, *, known: int, notes: int) -> None:
    """Say in how many notes no values of a known patient could be looked for; ids that do not match would go unnoticed."""
    if known < notes:
        why = "" if known else "; are its ids the patient ids of the notes, and does their format hold any?"
        say(f"warning: {notes - known:,} of {notes:,} notes are of no patient in {patients}: nobody's values were looked for in them{why}")


def say_internal_error(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Where an unexpected error arose, without its message: that could hold note text."""
    if os.environ.get("INCOGNOTE_DEBUG"):
        traceback.print_exception(kind, error, trace)
        return
    say(f"internal error: {kind.__name__}; the message is withheld because it may hold note text (INCOGNOTE_DEBUG=1 shows it)")
    for frame in traceback.extract_tb(trace)[-6:]:
        say(f"  {frame.filename}:{frame.lineno} in {frame.name}")


class Meter:
    """A progress bar for each stage of a long job, with notes a second and the time left where it can be known."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> "Meter":
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            pace = TextColumn("{task.fields[pace]}")
            columns = (TextColumn("{task.description:8}"), BarColumn(), MofNCompleteColumn(), pace, TimeRemainingColumn())
            self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def advance(self, stage: str, notes: int, total: int | None = None) -> None:
        """``notes`` more are done in this stage, of ``total`` where it is known."""
        if self._progress is None:
            return
        if stage not in self._tasks:
            self._tasks[stage] = self._progress.add_task(stage, total=total, pace="")
        self._progress.advance(self._tasks[stage], notes)
        task = self._progress.tasks[self._tasks[stage]]
        self._progress.update(task.id, pace=f"{task.speed:,.0f} notes/s" if task.speed else "")
