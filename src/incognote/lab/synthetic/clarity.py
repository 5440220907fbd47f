"""Whether all PHI-like text of a real note was found: a note that may hold more would teach a model to overlook it."""

import re
from collections.abc import Sequence
from functools import cache

from incognote.document import Span
from incognote.lab.synthetic.placeholders import LEFT
from incognote.lexicon import word_list
from incognote.lexicon.calendar import MONTHS
from incognote.lexicon.names import given_names, surnames

# Those that are no other word.
_MONTHS = "|".join(month.capitalize() for month in MONTHS if month not in ("march", "may", "june", "august"))
# Outright signs of PHI: a title and a name, a date, an age.
_SIGNS = (
    re.compile(r"\b(?:Dr|Mr|Mrs|Ms|Miss|Prof)\.?\s+(?P<phi>[A-Z][A-Za-z'-]+)"),
    re.compile(r"(?<![\d/.])(?P<phi>\d{1,2}/\d{1,2}/\d{2,4})(?![\d/])"),
    re.compile(rf"\b(?P<phi>(?:{_MONTHS})\s+\d{{1,2}})\b"),
    re.compile(r"(?<![\d.])(?P<phi>\d{1,3})[- ](?:year|yr)s?[- ]old"),
    re.compile(r"(?<![\d-])(?P<phi>\d{3}-\d{3}-\d{4}|\d{3}-\d{2}-\d{4})(?![\d-])"),
    re.compile(r"\b(?P<phi>[A-Z][A-Za-z'-]+), (?:M\.?D|D\.?O|R\.?N)\b"),
    LEFT,
)
# A capitalised word in the middle of a sentence.
_INSIDE = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}(?:'s)?(?![A-Za-z-])")


def is_clear(text: str, spans: Sequence[Span]) -> bool:
    """Whether nothing outside the spans looks like PHI.

    >>> is_clear("She saw Dr. Lee about Crohn disease.", [Span(12, 15, "DOCTOR")]), is_clear("She saw Dr. Lee.", [])
    (True, False)
    """
    covered = bytearray(len(text))
    for span in spans:
        covered[span.start : span.end] = b"\x01" * len(span)
    for sign in _SIGNS:
        for match in sign.finditer(text):
            start, end = match.span("phi") if "phi" in sign.groupindex else match.span()
            if not any(covered[start:end]):
                return False
    return not any(_is_name(match[0]) and not covered[match.start()] for match in _INSIDE.finditer(text))


def _is_name(word: str) -> bool:
    folded = word.casefold().removesuffix("'s")
    return folded in _names() and folded not in _known_words()


@cache
def _names() -> frozenset[str]:
    return surnames() | given_names() | word_list("cities-us")


@cache
def _known_words() -> frozenset[str]:
    """Words of clinical text that are also names; a capital alone does not make a name of them."""
    lists = ("common-words", "eponyms", "drugs", "clinical-terms", "demonyms", "ambiguous-names")
    return frozenset(part for name in lists for entry in word_list(name) for part in (entry, *entry.split()))
