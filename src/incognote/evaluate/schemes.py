"""Which label scheme some documents use, and their labels mapped to another."""

from collections.abc import Iterable, Sequence

from incognote.document import Document, LabelScheme, scheme, translate
from incognote.errors import LabelError

# The most specific first: the first scheme that has all the labels wins.
_ORDER = ("i2b2-2014", "meddocan", "i2b2-2006", "coarse")


def fit_scheme(documents: Iterable[Document], *, name: str | None = None) -> LabelScheme | None:
    """The scheme named, else the first shipped one that has every label of the documents; None when none has.

    >>> from incognote.document import parse_markup
    >>> fit_scheme([parse_markup("<FECHAS>3 mayo</FECHAS>")]).name
    'meddocan'
    """
    if name is not None:
        return scheme(name)
    labels = {span.label for document in documents for span in document.spans}
    return next((scheme(each) for each in _ORDER if labels <= scheme(each).categories.keys()), None)


def map_labels(documents: Sequence[Document], target: str, *, source: str | None = None) -> list[Document]:
    """The documents with their labels mapped to ``target``; ``source`` is found from the labels when not named."""
    words = scheme(target)
    if all(span.label in words.categories for document in documents for span in document.spans):
        return list(documents)
    fitting = fit_scheme(documents, name=source)
    if fitting is None:
        what = f"no shipped label scheme has all these labels, so they cannot be mapped to {target}"
        raise LabelError(what, fix="name their scheme with {scheme}")
    return [translate(document, fitting, target) for document in documents]
