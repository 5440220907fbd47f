"""incognote finds protected health information in clinical notes and takes it out."""

from typing import TYPE_CHECKING

from incognote.document import Document, LabelScheme, Span, scheme
from incognote.version import __version__

if TYPE_CHECKING:
    from incognote.pipeline import Deidentifier

__all__ = ["Deidentifier", "Document", "LabelScheme", "Span", "__version__", "scheme"]


def __getattr__(name: str) -> object:
    # The rules and their word lists load when they are first asked for, so that `import incognote` stays fast.
    if name == "Deidentifier":
        from incognote.pipeline import Deidentifier

        return Deidentifier
    raise AttributeError(f"module 'incognote' has no attribute {name!r}")
