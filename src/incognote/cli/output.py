"""What the commands write: JSON and pages to a file or standard output, messages without note text to standard error."""

import io
import json
import os
import sys
import traceback
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import typer

from incognote.errors import OutputError
from incognote.shown import show_lines

_JSON, _HTML = (".json",), (".html", ".htm")
# The file name endings that each option may replace; it did not write a file of another name.
_REPLACEABLE = {"--json": _JSON, "--quarantine": _JSON, "--html": _HTML, "--report": _HTML}
# Settings whose option has another name.
_OPTIONS = {"models": "--model", "target": "-o"}


def write_text(text: str, target: str, *, private: bool = False) -> None:
    """Write to the file ``target``, whole or not at all, or to standard output for ``-``; only the owner can read a ``private`` file."""
    # A file name in the text need not be UTF-8.
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
        # A rename would replace a device or a pipe (/dev/null, /dev/stderr) by a plain file.
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
    """Raise, before any work is done, if :func:`write_text` could not write a page or would overwrite something else.

    ``pages`` maps options to their targets, ``files`` are those that the command reads, ``notes`` is where it writes notes.
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
            raise OutputError(f"{option} {target}: is in {notes}, where the notes go; name a file outside")
        taken[place] = f"is where {option} goes too"
        _check_replaceable(option, target, place)
        if str(target) != "-" and (place.is_dir() or not place.exists()):
            check_free(place, folder=False, overwrite=True)


def _check_replaceable(option: str, target: str | Path, place: Path) -> None:
    """Raise if the page would replace a file of another kind, such as a table of notes."""
    endings = _REPLACEABLE.get(option, ())
    if endings and place.suffix.lower() not in endings and place.is_file() and place.stat().st_size:
        raise OutputError(f"{option} {target}: the file exists, and only {' or '.join(endings)} files are replaced; name another file")


def write_json(value: object, target: str, *, private: bool = False) -> None:
    """Write as :func:`write_text` does, for anything ``json`` can write."""
    write_text(json.dumps(value, indent=2, ensure_ascii=False), target, private=private)


def say(message: str) -> None:
    """Print a message on standard error, whatever names of files it holds."""
    print(show_lines(message), file=sys.stderr)


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun.

    >>> count(1, "note"), count(1200, "note"), count(2, "class", "classes")
    ('1 note', '1,200 notes', '2 classes')
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def name_option(setting: str) -> str:
    """The option of a setting that an error names.

    >>> name_option("drop_columns"), name_option("models")
    ('--drop-columns', '--model')
    """
    return _OPTIONS.get(setting, f"--{setting.replace('_', '-')}")


def say_written(what: str, target: str | Path, *, written: int, aside: int) -> None:
    """Say what was written where, or that every note is in quarantine."""
    say(f"{what} → {target}" if written or not aside else f"no note was written to {target}: all are in quarantine")


def finish(quarantine: Sequence[str], *, shown: int = 20) -> None:
    """Say how many documents are in quarantine and why, and exit with 3 if there are any."""
    if not quarantine:
        return
    say(f"{count(len(quarantine), 'note')} in quarantine, not written:")
    for reason in quarantine[:shown]:
        say(f"  {reason}")
    if len(quarantine) > shown:
        say(f"  and {len(quarantine) - shown:,} more")
    raise typer.Exit(3)


def warn_of_strangers(patients: Path, *, known: int, notes: int) -> None:
    """Warn of notes whose patient is not in the CSV of known patients: ids that do not match would go unnoticed."""
    if known < notes:
        why = "" if known else ". Does the format hold patient ids, and does the CSV use the same ones?"
        say(f"warning: no known-patient values apply to {notes - known:,} of {count(notes, 'note')}: the patient is not in {patients}{why}")


def say_internal_error(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print where an unexpected error arose, without its message, which could hold note text."""
    if os.environ.get("INCOGNOTE_DEBUG"):
        traceback.print_exception(kind, error, trace)
        return
    say(f"internal error: {kind.__name__}; the message is withheld because it may hold note text (INCOGNOTE_DEBUG=1 shows it)")
    for frame in traceback.extract_tb(trace)[-6:]:
        say(f"  {frame.filename}:{frame.lineno} in {frame.name}")
