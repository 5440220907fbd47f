"""incognote finds protected health information in clinical notes and replaces it."""

from importlib import import_module
from typing import TYPE_CHECKING

from incognote.document import Document, LabelScheme, Span, scheme
from incognote.errors import IncognoteError
from incognote.version import __version__

if TYPE_CHECKING:
    from incognote.corpora import read_corpus, write_corpus
    from incognote.deidentifier import Deidentifier
    from incognote.find import Finder
    from incognote.merge import Role
    from incognote.pipeline import Pipeline
    from incognote.replace import Policy, load_policy
    from incognote.shipped import build_pipeline

__all__ = [
    "Deidentifier",
    "Document",
    "Finder",
    "IncognoteError",
    "LabelScheme",
    "Pipeline",
    "Policy",
    "Role",
    "Span",
    "__version__",
    "build_pipeline",
    "load_policy",
    "read_corpus",
    "scheme",
    "write_corpus",
]

# Loaded when first asked for, so that `import incognote` stays fast: rules and word lists take a while.
_HOMES = {
    "Deidentifier": "incognote.deidentifier",
    "Finder": "incognote.find",
    "Pipeline": "incognote.pipeline",
    "Policy": "incognote.replace",
    "Role": "incognote.merge",
    "build_pipeline": "incognote.shipped",
    "load_policy": "incognote.replace",
    "read_corpus": "incognote.corpora",
    "write_corpus": "incognote.corpora",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'incognote' has no attribute {name!r}")
