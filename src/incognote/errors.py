"""Every exception the package raises on purpose, one leaf per thing a caller can act on.

A message names the file, the document, the place and the fix. It never holds note text.
"""

from collections.abc import Sequence


class IncognoteError(Exception):
    """Anything wrong that the user can mend; the command line prints it and exits with 2."""


class SpanError(IncognoteError):
    """A span is empty, outside its text, overlaps another, or has the label of what is no span."""


class LabelError(IncognoteError):
    """A label or a label scheme that is not known."""


class MarkupError(IncognoteError):
    """Inline markup that does not balance."""


class CorpusError(IncognoteError):
    """A corpus, or one document of it, that cannot be read; says which file and where."""

    def __init__(self, message: str, *, path: str = "", document: str = "", place: str = "") -> None:
        # A file name need not be UTF-8; what is shown, or kept in a report, must be.
        path, document = (name.encode("utf-8", "backslashreplace").decode() for name in (path, document))
        self.path, self.document, self.place = path, document, place
        parts = [path, f"document {document}" if document else "", place]
        where = ", ".join(part for part in parts if part)
        super().__init__(f"{where}: {message}" if where else message)


class OutputError(IncognoteError):
    """The output cannot be written where it was asked for."""


class WorkerError(IncognoteError):
    """A worker process was ended from outside, most often because memory ran out."""


class ConfigError(IncognoteError):
    """Settings with one or more faults, all of them listed."""

    def __init__(self, subject: str, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join([f"{subject}: {len(self.faults)} fault(s)", *(f"  - {fault}" for fault in self.faults)]))


class KeyFileError(IncognoteError):
    """A secret key that is missing, too short, or readable by others."""


class VaultError(IncognoteError):
    """A vault that is missing, damaged, made with another key, or does not hold what was asked for."""


class MissingExtraError(IncognoteError):
    """A package that an optional part needs is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"this needs the package {package}: pip install 'incognote[{extra}]'")


class CheckpointError(IncognoteError):
    """A model folder that is missing, damaged, unsafe, or does not fit the data."""


class TrainingError(IncognoteError):
    """Training had to stop; says where and what was kept."""
