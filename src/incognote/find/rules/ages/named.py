"""Ages without any unit beside a name or a pronoun: ``Marcia (44, nurse)``, ``Opal Stubbs, 97, dx``, ``Mr Lund 77``, ``she is 26,``.

A number alone is no age; that the word before it is a person's name, or ``she is``, and that what follows ends a clause, makes it one.
"""

import re
from collections.abc import Iterator

from incognote.document import Span
from incognote.find.rules.engine.reading import SHORT, THREE, Reading
from incognote.lexicon.clinical_terms import opens_term
from incognote.lexicon.context import right_of
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import is_capital_word, is_foreign_to_names, is_given, is_name, is_surname
from incognote.lexicon.word_lists import read_word_lists

_AGE = lazy(r"(?<![A-Za-z0-9/.,:$+#=<>%-])(?:1[01]\d|[1-9]?\d)½?(?![\dA-Za-z/%:]|[.,]\d|-\d)")
_WORD = r"[^\W\d_]['’A-Za-z\u00c0-\u024f-]+"
_LEFT = lazy(
    rf"(?P<before>{_WORD}\.? )?(?P<name>{_WORD})(?: [A-Z]\.)?[\"”]?(?P<gap>, ?| \(| ?\t ?| \|? ?| -{{1,2}} | \([\w/]{{2,10}}\),? )$"
)
_PAIR_LEFT = lazy(rf"(?P<before>{_WORD} )?(?P<name>{_WORD}), (?:1[01]\d|[1-9]?\d) and $")
_PAIR_NEXT = lazy(r" and (?:1[01]\d|[1-9]?\d)(?=[,.;)]|$)")
_CLOSE = lazy(r"\s?(?:$|[,;|]|\t|\.(?:\s|$)|\)| [-–—→])")
_BRACKET_CLOSE = lazy(r" ?(?:y|yrs?|years?|m|mos?|mths?|months?|wks?|weeks?)?(?:\)|,)")
_PLAIN_CLOSE = lazy(r"\t|, | [-–—] |\.? ?\||(?:,| \+| &| and) (?-i:[A-Z])| (?-i:[A-Z]{2,})\b|\s?$", re.IGNORECASE)
# "Child Ignatius 5." right after the word for kin.
_KIN_NAMED = lazy(r"\b(?:child|son|daughter|brother|sister|sib|sibling|twin|baby|niece|nephew|mom|mum|dad|mother|father) [\w'’-]+ $")
_POINT = lazy(r"\.(?:\s|$)")
_KIN = lazy(rf"\b(?:{read_word_lists('ages')['kin']}|ch|mr|mrs|ms|miss|pt|patient|resident|veteran|client)\b[^.;\n]{{0,60}}$")
_TITLED = lazy(r"\b(?:Mr|Mrs|Ms|Miss|Mx)\.? $|^\s*(?:\d{1,2}[.)] |[\w-]{2,7}[ \t]+|Bed \w{1,3}[ \t]+)?$")
_SAID = lazy(
    r"\b(?:(?:he|she|they|who|patient|pt) (?:is|was)(?: now| about| only| just)?|(?:he|she|who)['’]s|i['’]m|i am|you['’]re)"
    r"(?: only| just| now| about)? $"
)
_SMALL = ("is", "was", "now", "only", "just", "about", "turned", "and", "'s", "’s", "'m", "’m", "'re", "’re", "am", ")")
_TITLES = frozenset({"mr", "mrs", "ms", "miss", "mx"})
_SCALES = lazy(
    rf"(?:{read_word_lists('dates')['score_before']}|wells|glasgow|ranson|epworth|child|killip|fisher|bruce|prague|mallampati|ballard|norton|cornell|sokolow|mayo|brock|duke|hendrich|bradshaw)"
)
_SAID_CLOSE = lazy(r"[,.;?!](?!\d)|$| (?:and|now|when|but|at the time|with|who|so)\b")
_NAMED_IS = lazy(rf"(?P<name>{_WORD}) (?:is|was|turned) (?:now |only )?$")
# How what _SAID and _NAMED_IS find ends: nothing else is worth their search.
_SAID_ENDS = tuple(f"{word} " for word in "is was now about only just 's ’s 'm ’m am 're ’re turned".split())
_PLACE = lazy(
    r"\b(?:in|at|near|to|from|of|on|room|rm|bed|bay|ward|unit|apt|flat|day|week|hd|pod|grade|stage|type|class|level|step|line|item|page)$",
    re.IGNORECASE,
)


def find_named_ages(reading: Reading) -> Iterator[Span]:
    """Spans of AGE beside a name or a pronoun.

    >>> text = "Marcia (44, nurse) and Saul Adler, 66, A&W; K 4.1, Lasix (40)"
    >>> [text[span.start : span.end] for span in find_named_ages(Reading(text))]
    ['44', '66']
    """
    text = reading.text
    for match in reading.matches(_AGE, (SHORT, THREE)):
        lead = text[max(0, match.start() - 60) : match.start()].rpartition("\n")[2]
        if _may_lead(lead):
            name = _weigh(lead, match[0], right_of(text, match.end()), text[match.end() : match.end() + 12].partition("\n")[0])
            if name:
                yield Span(*match.span(), "AGE", 0.75, f"rules.ages.{name}")


def _may_lead(lead: str) -> bool:
    """A cheap look at the word before the number: a capital, or one of the small words that may follow a name or a pronoun."""
    if not lead or lead[-1] not in " (\t":
        return False
    word = lead.rstrip(' (\t,|-"”.').rpartition(" ")[2].rpartition("\t")[2].lstrip('"“')
    return bool(word) and (word[0].isupper() or word.endswith(_SMALL))


def _weigh(lead: str, number: str, after: str, written: str) -> str:
    """By which evidence the number after ``lead`` is an age; empty when by none."""
    low = lead.lower()
    told = low.endswith(_SAID_ENDS)
    if told and _SAID.search(low):
        # PT is a clotting time.
        return "pronoun" if _SAID_CLOSE.match(after) and "PT " not in lead else ""
    if told and (said := _NAMED_IS.search(lead)):
        return "name-is" if not said["name"].isupper() and _SAID_CLOSE.match(after) and _is_person(said["name"], "") else ""
    beside = (_PAIR_LEFT.search(lead) if lead.endswith(" and ") else None) or _LEFT.search(lead)
    # "Mac 4, grade 1 view": one digit after a word that opens a term is a size or a grade.
    if beside is not None and len(number) == 1 and opens_term(beside["name"]):
        return ""
    if beside is None or _PLACE.search(beside["name"]) or _SCALES.fullmatch(beside["name"].lower()):
        return ""
    gap = beside["gap"] if "gap" in beside.re.groupindex else ", "
    person = _is_person(beside["name"], (beside["before"] or "").strip())
    if gap == " (":
        person = person or (beside["name"][0].isupper() and is_given(beside["name"]) and _KIN.search(low) is not None)
        return "name-bracket" if person and _BRACKET_CLOSE.match(after) else ""
    if gap.strip() in (",", "|", "-", "--") or "\t" in gap or ")" in gap:
        return "name-comma" if person and (_CLOSE.match(after) or _PAIR_NEXT.match(after) or written[:3].strip(" ").isupper()) else ""
    if not person or not (_PLAIN_CLOSE.match(written) or (_KIN_NAMED.search(low) and _POINT.match(written))):
        return ""
    return "name-beside" if _TITLED.search(lead[: beside.start()]) or _KIN.search(low) else ""


def _is_person(name: str, before: str) -> bool:
    """Whether a capitalised word is a name that is nothing else, or the surname after such a given name."""
    if not name[0].isupper() or is_foreign_to_names(name) or (name.isupper() and len(name) < 5 and is_capital_word(name)):
        return False
    if before.rstrip(".").lower() in _TITLES:
        return True
    if before and before[0].isupper() and is_name(before) and not is_foreign_to_names(before):
        return True
    return len(name) > 2 and is_name(name) and (is_given(name) or is_surname(name))
