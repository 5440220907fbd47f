"""The Deidentifier of a command, from its options, and the one note of a file or of standard input."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incognote.cli.output import say
from incognote.errors import CorpusError, OutputError
from incognote.models import choose_models
from incognote.priorities import load_priorities

if TYPE_CHECKING:
    from incognote.deidentifier import Deidentifier


def open_deidentifier(
    *, model: list[str] | None, priorities: Path | None, rules: list[str] | None = None, **options: Any
) -> "Deidentifier":
    """The Deidentifier with these ``options`` of :meth:`Deidentifier.default`. Warns of a runtime that does not work here."""
    from incognote.deidentifier import Deidentifier
    from incognote.shipped import DEFAULT_RULES

    roles = load_priorities(priorities) if priorities else None
    deidentifier = Deidentifier.default(models=choose_models(model), priorities=roles, rules=rules or DEFAULT_RULES, **options)
    for choice in deidentifier.choices:
        if choice.faults:
            say(f"warning: {'; '.join(choice.faults)}; {choice.runtime} is used instead (incognote doctor shows what was checked)")
    return deidentifier


def open_as_before(earlier: str, *, runtime: str, **options: Any) -> "Deidentifier":
    """The same, with the runtime ``earlier`` of the run that is resumed where ``auto`` would take another one now."""
    opened = open_deidentifier(runtime=runtime, **options)
    if runtime != "auto" or earlier in ("", *(choice.runtime for choice in opened.choices)):
        return opened
    checks = (check for choice in opened.choices for check in choice.checks)
    if fault := next((check.fault for check in checks if check.runtime == earlier), ""):
        what = f"cannot resume: the run that was stopped used the runtime {earlier}, and here it {fault}"
        raise OutputError(what, fix="resume where it works, or start again with {overwrite}")
    return open_deidentifier(runtime=earlier, **options)


def read_note(source: str) -> str:
    """The text of a file, or of standard input for ``-``."""
    name = "standard input" if source == "-" else source
    try:
        text = (sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()).decode("utf-8")
    except OSError as error:
        raise CorpusError(error.strerror or "cannot be read", path=name) from None
    except UnicodeDecodeError as error:
        raise CorpusError("not UTF-8", path=name, place=f"byte {error.start}", fix="convert it to UTF-8 first") from None
    if "\0" in text:
        raise CorpusError("holds NUL characters, so it is not a text", path=name, place=f"character {text.index(chr(0))}")
    return text
