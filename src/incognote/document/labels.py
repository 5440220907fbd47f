"""A LabelScheme says which labels a corpus may use; the shipped ones are TOML files in ``schemes/``."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

from incognote.document.document import Document
from incognote.document.span import Span
from incognote.errors import LabelError
from incognote.shown import show_text

COARSE = "coarse"


@dataclass(frozen=True, slots=True)
class LabelScheme:
    """The labels allowed, the category each belongs to, which are HIPAA identifiers, and maps to other schemes.

    >>> scheme("i2b2-2014").categories["CITY"]
    'LOCATION'
    >>> len(scheme("meaney-2022").tags)
    41
    """

    name: str
    categories: Mapping[str, str]
    hipaa: frozenset[str]
    tags: tuple[str, ...]
    maps: Mapping[str, Mapping[str, str]]

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self.categories)

    def check(self, label: str) -> str:
        """The label itself, or an error that names the nearest one.

        >>> scheme("i2b2-2014").check("PATEINT")
        Traceback (most recent call last):
        incognote.errors.LabelError: label PATEINT is not in scheme i2b2-2014; nearest: PATIENT
        """
        if label in self.categories:
            return label
        near = get_close_matches(label, self.labels, n=1, cutoff=0.5)
        hint = f"nearest: {show_text(near[0])}" if near else f"it has: {show_text(', '.join(self.labels))}"
        raise LabelError(f"{show_label(label, self)} is not in scheme {show_text(self.name)}", fix=hint)

    def mapping(self, target: str) -> Mapping[str, str]:
        """How each of this scheme's labels is called in ``target``.

        >>> scheme("meddocan").mapping("i2b2-2014")["FECHAS"]
        'DATE'
        """
        if target == self.name:
            return {label: label for label in self.labels}
        if target == COARSE:
            return self.categories
        if target not in self.maps:
            raise LabelError(
                f"scheme {show_text(self.name)} has no map to {show_text(target)}",
                fix=f"it has: {show_text(', '.join([COARSE, *self.maps]))}",
            )
        return self.maps[target]


def show_label(label: str, labels: LabelScheme | None = None) -> str:
    """A label for a message, where a shipped scheme has it, or ``labels`` has one that is almost the same; others may be words of a note.

    >>> show_label("AGE"), show_label("PATEINT", scheme("i2b2-2014")), show_label("Kowalczyk")
    ('label AGE', 'label PATEINT', 'a label')
    """
    almost = labels is not None and get_close_matches(label, labels.labels, n=1, cutoff=0.8)
    return f"label {show_text(label)}" if is_known(label) or almost else "a label"


def is_known(label: str) -> bool:
    """Whether a shipped scheme has this label."""
    return any(label in scheme(name).categories for name in scheme_names())


def bio_tags(labels: Iterable[str]) -> tuple[str, ...]:
    """``O`` and the B- and I- tags of the labels.

    >>> bio_tags(["AGE"])
    ('O', 'B-AGE', 'I-AGE')
    """
    return ("O", *(f"{prefix}-{label}" for label in labels for prefix in "BI"))


def scheme_names() -> tuple[str, ...]:
    """The shipped schemes."""
    folder = files("incognote.document") / "schemes"
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")))


@cache
def scheme(name: str) -> LabelScheme:
    """The shipped scheme of that name."""
    if name not in scheme_names():
        raise LabelError(f"label scheme {show_text(name)} is not known", fix=f"there are: {show_text(', '.join(scheme_names()))}")
    table = tomllib.loads((files("incognote.document") / "schemes" / f"{name}.toml").read_text(encoding="utf-8"))
    categories = {label: category for category, labels in table["categories"].items() for label in labels}
    return LabelScheme(
        name=name,
        categories=categories,
        hipaa=frozenset(table.get("hipaa", ())),
        tags=tuple(table.get("tags") or bio_tags(categories)),
        maps=table.get("maps", {}),
    )


def translate(document: Document, source: LabelScheme, target: str) -> Document:
    """The document with its labels mapped to the scheme ``target``."""
    mapping = source.mapping(target)
    return document.with_spans(replace(span, label=mapping[source.check(span.label)]) for span in document.spans)


def relabel(spans: Iterable[Span], mapping: Mapping[str, str]) -> tuple[Span, ...]:
    """The spans with each label looked up in ``mapping``; labels it lacks stay."""
    return tuple(replace(span, label=mapping.get(span.label, span.label)) for span in spans)
