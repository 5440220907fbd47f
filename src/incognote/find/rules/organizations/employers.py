"""Organizations without a head word, read from the field they fill or the words that lead to them (works at, insured by)."""

import re
from collections.abc import Iterator

from incognote.document import Span
from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.engine.tokens import is_common
from incognote.lexicon import word_list
from incognote.lexicon.clinical_terms import is_clinical
from incognote.lexicon.context import opens_field
from incognote.lexicon.lazy import lazy

_NAME = r"(?P<phi>[A-ZÀ-Þ][\w'’.-]*(?<![.'’-])(?:(?: & | and | of | of the | )[A-ZÀ-Þ][\w'’-]*){0,4})"
_CUE = lazy(
    r"\b(?i:works?|working|worked|employed|employment|employee|employees|jobs?|hired|volunteers?|volunteering|interns?|cook|cashier|clerk|manager|"
    r"teacher|driver|stud(?:ies|ying)|student|enrolled|graduated|attends|attending|attended|retired|insured|insurance|coverage)"
    r"\b(?:[ \t][a-z\d][a-z\d/'’-]*){0,5}?[ \t](?:at|for|by|from|(?<=insured )with|(?<=employed )with|through)[ \t](?:the[ \t])?" + _NAME
)
_CUE_STARTS = tuple(
    "work works working worked employed employment employee employees job jobs hired volunteer volunteers volunteering intern interns cook "
    "cashier clerk manager teacher driver studies studying student enrolled graduated attends attending attended retired insured insurance "
    "coverage".split()
)
_ATTENDS = lazy(r"\b(?:attends|attended)[ \t](?:the[ \t])?" + _NAME)
_FIELDS = {
    word: label
    for label, words in {
        "HOSPITAL": (
            "facility|hospital|clinic|location|site|practice|nursing home|performing lab|snf|nh|dialysis unit|referring facility|"
            "receiving facility|sending facility|transferring facility|receiving|admitted from|transferred from"
        ),
        "ORGANIZATION": (
            "employer|company|place of employment|workplace|insurance|insurer|payer|payor|health plan|pharmacy|preferred pharmacy|"
            "school|ins|ins 1|ins 2|primary ins|secondary ins|primary insurance|secondary insurance|insurance carrier|"
            "insurance company|carrier|medical aid|tpa|agency|home health agency|dme|vendor|contractor|bank|landlord|daycare|"
            "university|college|union|flight|transported by|reference lab|funeral home|mortuary"
        ),
        "LOCATION-OTHER": "church",
    }.items()
    for word in words.split("|")
}
_FIELD = lazy(
    rf"\b(?P<field>{'|'.join(sorted(_FIELDS, key=len, reverse=True))})(?: name)?[ \t]*[:\t][ \t]*(?-i:(?:The )?{_NAME})",
    re.IGNORECASE,
)
_FIELD_STARTS = tuple({field.split()[0] for field in _FIELDS})
_NEXT_FIELD = lazy(r"(?: (?:Pt|Patient|ID|Member|Group|Grp|Policy|Pol|No|Phone|Ph|Fax|Tel|DOB|MRN|Auth)\b.*)$", re.DOTALL)
_PHARMACY = lazy(r"\b[Pp]harmacy is (?:the )?" + _NAME)
# Answers to such fields that name no organization; Medicare and Medicaid are programmes of half the country.
_NOBODY = frozenset(
    "medicare medicaid self none unknown unemployed retired disabled disability private commercial self-pay uninsured n/a na not home "
    "student aa alcoholics narcotics overeaters "
    "r l lt rt his her their my our the a an this that yes no same other left right upper lower bilateral see per as emergency".split()
)
_TITLES = frozenset("dr mr mrs ms miss mdm mme frau herr prof np pa rn md sw".split())


def find_employers(reading: Reading) -> Iterator[Span]:
    """The names that fill a field or follow a cue.

    >>> text = "works nights at Marlow's Grill; Insurance: Medicare"
    >>> [text[span.start : span.end] for span in find_employers(Reading(text))]
    ["Marlow's Grill"]
    """
    for match in reading.matches(_FIELD, _FIELD_STARTS):
        if not opens_field(reading.text, match.start()):
            continue
        certain = match["field"].lower() in ("employer", "pharmacy", "preferred pharmacy", "insurer", "facility", "hospital")
        if _is_name(match, certain=certain):
            yield Span(*_trim(match), _FIELDS[match["field"].lower()], 0.8, "rules.organization.field")
    for pattern, starts in ((_CUE, _CUE_STARTS), (_ATTENDS, ("attends", "attended")), (_PHARMACY, ("pharmacy",))):
        for match in reading.matches(pattern, starts):
            if _is_name(match, certain=False):
                yield Span(*_trim(match), "ORGANIZATION", 0.7, "rules.organization.cue")


def _trim(match: re.Match[str]) -> tuple[int, int]:
    """The name without the words of the next field (``UCare Pt ID#``)."""
    start, end = match.span("phi")
    return start, end - len(tail[0]) if (tail := _NEXT_FIELD.search(match["phi"])) else end


def _is_name(match: re.Match[str], *, certain: bool) -> bool:
    words = match["phi"].casefold().replace("’", "'").split()
    if words[0] in _NOBODY or is_clinical(match.string, *match.span("phi")):
        return False
    if all(word in word_list("demonyms") for word in words) or words[0].rstrip(".") in _TITLES:
        return False
    if words[0] in word_list("capital-words") or words[0] in word_list("drugs"):
        return certain and len(words) > 1
    if re.match(r"[A-Z]\d", match["phi"]) or (len(words) == 1 and words[0] in word_list("place-heads")):
        return False
    unusual = any(not is_common(word) for word in words)
    return certain or unusual or (len(words) > 1 and not match["phi"].isupper())
