"""Finds literature that a note cites: its authors, years and pages are published and not PHI.

Only clear forms count: a journal with year, volume and page, with the authors and title before it; and authors with "et al." next to
a year or a word such as "reported". "Seen with Roe et al." may be a ward team, so "Roe" stays a candidate.
"""

import re
from collections.abc import Iterator

from incognote.lexicon.context import left_of
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import given_names
from incognote.lexicon.word_lists import read_word_lists

_YEAR = r"(?:19|20|21)\d\d"
_NAME = r"(?:(?:van|von|der|den|de|di|da|la|le|al|el) ){0,2}[A-ZÀ-Þ][\w'’-]+"
_SIGNED = rf"{_NAME} [A-Z]{{1,3}}\b"
_SIGNED_LIST = rf"{_SIGNED}(?:,? (?:and |& )?{_SIGNED}){{0,8}}"
_WORD = rf"(?=[A-Z])(?i:{read_word_lists('lookalikes')['journals']})\b\.?"
_JOURNAL = rf"{_WORD}(?: (?:of |and |the |& )?{_WORD}){{0,7}},?"
# "2015;372:123-30"; in "2015; 12:30" an hour follows the year.
_PAGES = lazy(rf";(?<=\b{_YEAR};) ?(?!\d{{1,2}}:[0-5]\d(?!\d))\d{{1,4}}(?:\([\w -]{{1,8}}\))?: ?[A-Za-z]?\d+(?:[-–][A-Za-z]?\d+)?")
_REFERENCE = lazy(rf"(?:(?P<authors>{_SIGNED_LIST})(?:,? et al)?[.:,]{{1,2}} (?:[^.;\n]{{5,160}}[.?] )?)?(?P<journal>{_JOURNAL} )$")
_LONGEST = 400
_ET_AL = lazy(
    rf"(?<![\w'’.-])(?:{_SIGNED_LIST}, )?(?:[A-Z]\. ?){{0,2}}{_NAME}(?: [A-Z]{{1,3}}\b)?,? (?P<others>et al|ET AL)\b\.?"
    rf"(?P<told>,? ?\(?{_YEAR}[a-z]?\b\)?|,? \({_JOURNAL} {_YEAR}\)|(?=,? {_JOURNAL} {_YEAR})"
    r"| (?:have |has )?(?:shown?|showed|reported?|found|described?|demonstrated|proposed?|published|suggest|recommend)\b)?"
)
_CITING = lazy(
    r"\b(?:(?:criteria|classification|method|technique|equation|formula|protocol|definition|regimen|study|trial|paper|article"
    r"|described|shown|reported|proposed|published)(?: (?:of|by|from|in))?|according to) $"
)
_COMPANY = lazy(r"\b(?:with|w/|d/w|by|to|from|drs?|mrs?|ms|miss|prof|professor|attending|resident|pcp)[ .:]{1,2}$")
_WORD_BEFORE = lazy(r"([A-Z][\w'’-]+) $")


def find_citations(text: str) -> Iterator[tuple[int, int]]:
    """Where literature is cited in a text, and any "et al." after a name.

    >>> text = "Fits Roe et al. 2019 (Roe A, Lim B. Lancet 2018;391:1023). Seen with Roe et al. in clinic."
    >>> [text[slice(*place)] for place in find_citations(text)]
    ['Roe A, Lim B. Lancet 2018;391:1023', 'Roe et al. 2019', 'et al']
    """
    yield from (found for pages in _PAGES.finditer(text) if (found := _read_reference(text, pages.start() - 4, pages.end())))
    if "et al" in text or "ET AL" in text:
        yield from (match.span(0 if _is_published(match) else "others") for match in _ET_AL.finditer(text))


def _read_reference(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The journal before the pages, and the authors and the title before it."""
    line = text[max(0, start - _LONGEST) : start].rpartition("\n")[2]
    reference = _REFERENCE.search(line)
    if reference is None:
        return None
    whole = reference["authors"] and not _is_company(line, reference.start())
    return start - len(line) + reference.start(0 if whole else "journal"), end


def _is_published(match: re.Match[str]) -> bool:
    told = match["told"] is not None or _CITING.search(left_of(match.string, match.start())) is not None
    return told and not _is_company(match.string, match.start())


def _is_company(text: str, start: int) -> bool:
    """Whether the name is of a person at the bedside: after "with" or a title, or after a given name (``Ann`` in ``Ann Roe et al.``)."""
    before, word = left_of(text, start), _WORD_BEFORE.search(text, max(0, start - 20), start)
    named = word is not None and word[1].casefold() in given_names()
    return named or (_COMPANY.search(before) is not None and _CITING.search(before) is None)
