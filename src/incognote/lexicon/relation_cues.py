"""Relation cues beside a name: a word of kinship (his son Bill), or the name before it in a list."""

import re
from functools import cache

from incognote.document import Document, Span
from incognote.lexicon.nicknames import short_forms, whole_forms
from incognote.lexicon.person import fold

KIN = frozenset(
    "wife husband spouse partner mother father mom mum mam dad daddy papa stepmother stepfather stepmom stepdad son daughter dtr dau "
    "stepson stepdaughter brother bro sister sis sibling sib twin aunt auntie uncle niece nephew cousin grandmother grandfather "
    "grandma grandpa granddad grandson granddaughter child kid baby boyfriend girlfriend fiance fiancee fiancé fiancée friend "
    "neighbor neighbour roommate caregiver carer guardian".split()
)
FEMALE_KIN = frozenset(
    "wife mother mom mum mam stepmother stepmom daughter dtr dau stepdaughter sister sis aunt auntie niece grandmother grandma "
    "granddaughter girlfriend fiancee fiancée".split()
)
MALE_KIN = frozenset(
    "husband father dad daddy papa stepfather stepdad son stepson brother bro uncle nephew grandfather grandpa granddad grandson "
    "boyfriend fiance fiancé".split()
)
_KIN = rf"(?P<kin>{'|'.join(sorted(KIN))})(?:[ -]in[ -]law)?"
_BEFORE = re.compile(rf"\b{_KIN}(?:['’]s name)?(?: is| was)?(?: named| called)?[\s,:(\"“–-]*\Z", re.IGNORECASE)
_AFTER = re.compile(rf"[\"”)]?[ ]?[,(–-][ ]?(?:(?:his|her|their|the|pt['’]?s|patient['’]?s)[ ])?{_KIN}\b", re.IGNORECASE)
_LISTED = re.compile(r"[ ]?(?:[,;]|,?[ ](?:and|or)|&)[ ]", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_REACH = 40


def find_relation_cues(document: Document, at: int) -> frozenset[str]:
    """The words of kinship beside a span, and the value before it in a list; for one word, and names that have a short form or are one.

    >>> from incognote.document import parse_markup
    >>> find_relation_cues(parse_markup("His son <PATIENT>Bill</PATIENT> drives."), 0)
    frozenset({'son'})
    """
    span, text = document.spans[at], document.text
    words = _WORD.findall(fold(document.value(span)))
    is_called = not _called().isdisjoint(words)
    if not is_called and len(words) != 1:
        return frozenset()
    beside = (_BEFORE.search(text, max(0, span.start - _REACH), span.start), _AFTER.match(text, span.end))
    kin = {found["kin"].casefold() for found in beside if found}
    return frozenset(kin | _listed_before(document, span, document.spans[at - 1] if at and is_called else None))


@cache
def _called() -> frozenset[str]:
    """The names that have a short form, and the short forms."""
    return frozenset((*short_forms(), *whole_forms()))


def _listed_before(document: Document, span: Span, other: Span | None) -> set[str]:
    listed = other is not None and other.label == span.label and _LISTED.fullmatch(document.text, other.end, span.start)
    return {document.value(other)} if other is not None and listed else set()
