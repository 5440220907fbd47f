"""Every exception that the package raises on purpose, one leaf per thing a caller can act on.

    IncognoteError
    ├── ConfigError         settings with one or more faults, all of them listed
    ├── LabelError          a label or a label scheme that is not known
    ├── SpanError           a span that is empty, outside its text, or overlaps another
    ├── MarkupError         inline markup that does not balance
    ├── CorpusError         a corpus, or one document of it, that cannot be read
    │   └── UnreadError     a note with text in a script that the model cannot read
    ├── OutputError         an output that cannot be written where it was asked for
    ├── WorkerError         a worker process that was ended from outside
    ├── KeyFileError        a secret key that is missing, too short, or readable by others
    ├── VaultError          a vault that is missing, damaged, or made with another key
    ├── MissingExtraError   a package of an optional part that is not installed
    ├── CheckpointError     a model folder that is missing, damaged, unsafe, or does not fit the data
    └── TrainingError       a training that had to stop

An error carries what is wrong, where, and a fix. None of them ever holds note text: ``shown`` says what may stand in a message.
"""

import re
from collections.abc import Callable, Sequence

from incognote.shown import show_id, show_text

_SETTING = re.compile(r"\{\{([a-z_]+)\}\}|\{([a-z_]+)\}")


class IncognoteError(Exception):
    """Anything wrong that the user can mend.

    A fix names settings in braces. Python shows the bare name; a command line words it as its option. Doubled braces stand for braces.

    >>> error = IncognoteError("is not empty", where="out", fix="choose another folder, or set {overwrite}")
    >>> str(error)
    'out: is not empty; choose another folder, or set overwrite'
    >>> error.render(lambda setting: f"--{setting}")
    'out: is not empty; choose another folder, or set --overwrite'
    """

    def __init__(self, what: str, *, where: object = "", fix: str = "") -> None:
        super().__init__(what)
        self.what, self.where, self.fix = show_text(what), show_text(where), show_text(fix)

    def render(self, name_setting: Callable[[str], str] = str) -> str:
        """The message; ``name_setting`` words each setting that the fix names."""
        message = f"{self.where}: {self.what}" if self.where else self.what
        return f"{message}; {_word(self.fix, name_setting)}" if self.fix else message

    def __str__(self) -> str:
        return self.render()


class SpanError(IncognoteError):
    """A span is empty, outside its text, overlaps another, or has the label of what is no span."""


class MarkupError(IncognoteError):
    """Inline markup that does not balance."""


class CorpusError(IncognoteError):
    """A corpus, or one document of it, that cannot be read; says which file and where. ``document`` is data, shown where it may be."""

    def __init__(self, what: str, *, path: object = "", document: str = "", place: str = "", fix: str = "") -> None:
        self.path, self.document, self.place = show_text(path), document, place
        shown = show_id(document)
        parts = [self.path, f"document {shown}" if shown else "", place]
        super().__init__(what, where=", ".join(part for part in parts if part), fix=fix)


class UnreadError(CorpusError):
    """A note with text in a script that the model cannot read."""


class OutputError(IncognoteError):
    """The output cannot be written where it was asked for."""


class WorkerError(IncognoteError):
    """A worker process was ended from outside, most often because memory ran out."""


class ConfigError(IncognoteError):
    """Settings with one or more faults, all of them listed. Faults name settings in braces, as a fix does."""

    def __init__(self, where: str, faults: Sequence[str], *, fix: str = "") -> None:
        self.faults = tuple(map(show_text, faults))
        super().__init__("; ".join(self.faults), where=where, fix=fix)
        self.args = (where, self.faults)

    def render(self, name_setting: Callable[[str], str] = str) -> str:
        """One line for one fault, a list for several."""
        faults = [_word(fault, name_setting) for fault in self.faults]
        shown = faults[0] if len(faults) == 1 else "\n".join([f"{len(faults)} faults", *(f"  - {fault}" for fault in faults)])
        return f"{self.where}: {shown}" + (f"; {_word(self.fix, name_setting)}" if self.fix else "")


class LabelError(IncognoteError):
    """A label or a label scheme that is not known."""


class KeyFileError(IncognoteError):
    """A secret key that is missing, too short, or readable by others."""


class VaultError(IncognoteError):
    """A vault that is missing, damaged, made with another key, or does not hold what was asked for."""


class MissingExtraError(IncognoteError):
    """A package that an optional part needs is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"this needs the package {package}", fix=f"pip install 'incognote[{extra}]'")
        self.package, self.extra = package, extra
        self.args = (package, extra)


class CheckpointError(IncognoteError):
    """A model folder that is missing, damaged, unsafe, or does not fit the data."""


class TrainingError(IncognoteError):
    """Training had to stop; says where and what was kept."""


def _word(fix: str, name_setting: Callable[[str], str]) -> str:
    return _SETTING.sub(lambda found: name_setting(found[2]) if found[2] else f"{{{found[1]}}}", fix)
