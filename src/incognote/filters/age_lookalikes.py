"""Numbers that look like ages but are not: grades, results, durations, gestational age, the ages that a guideline names."""

from incognote.lexicon import word_list
from incognote.lexicon.context import left_of, right_of
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import given_names
from incognote.lexicon.word_lists import read_word_lists

_WORDS = read_word_lists("lookalikes")
_GRADE_BEFORE = lazy(rf"\b(?:{_WORDS['graded']})[ .:#=-]{{0,2}}$")
_ADVISED = lazy(rf"\b(?:{_WORDS['advised']})\b[^.;\n]{{0,25}}$")
_LASTED = lazy(r"\b(?:partner|wife|husband|spouse|friend|married|marriage|together|widow\w*|sober|smoker|employee)(?: of| for| x|,)? $")
_LONG = lazy(r"7[4-9]|[89]\d")
_KIN = lazy(r"\b(?:partner|wife|husband|spouse|friend),? $")
# "4 mo old", "12 years of age": whatever stands before it, it is an age.
_OLD = lazy(r"[ -]?(?:years?|yrs?|y|months?|mos?|weeks?|wks?|days?|d)[ .-]{0,2}(?:old\b|of age\b|o\b)")
_RETURNS = lazy(r"\b(?:rtc|rto|f/?u|return|recheck|follow[ -]?up|in|x|every|q|see|visit|re-?eval\w*|repeat|review)[ :]{1,2}$")
_SMALL_NEXT = lazy(r"\s?-?(?:mos?|months?|wks?|weeks?|days?|d)\b(?! ?-?(?:old|o\b))")
_SOLDIER = lazy(r"\b(?:mos|afsc)\b[^.;\n]{0,25}$|\b(?:army|usmc|marines?|navy|guard|corps)\b[^;\n]{0,60}\bas an? $")
_KARYOTYPE = lazy(r",\s?x[xy]{0,3}\b|,\s?(?:del|inv|der|t)\(")
# "DM since 12 yrs", as in Indian English, is a duration; "since 12 yrs of age" is an age.
_SINCE, _YEARS_NEXT = lazy(r"\bsince $"), lazy(r"[ -]?(?:yrs?|years?|y)\b(?! ?-?(?:old|o\b|of age))")
_LAST_WORD = lazy(r"([^\W\d_]+)[ \t]$")
_SMOKED = lazy(r"\s?-?(?:py\b|pack)")
_WAS = lazy(r"\((?:was|prev\w*) $")
_LASTING = lazy(
    r"\b(?:least|breast-?fed|breast-?feeding|sobriety|sober|weekly,|daily,"
    r"|(?:clinic|scan|review|imaging|mri|ct|follow(?:[ -]up)?|recheck) at)[ :]$"
)
# "at 37 weeks 5 days", "born at 35 weeks", "former 37-week infant", "30 2/7 weeks": gestational age.
_BORN = lazy(r"\b(?:(?:born|delivered|delivery|birth|nsvd|c-section|c/s|cesarean)\b[^.;\n]{0,25}\bat|former|ex|gestation(?: of)?) ?-?$")
_GESTATION = lazy(r" ?\d/7|[ -]?(?:weeks?|wks?|weekers?|wkrs?)\b(?! ?-?(?:old|o\b|of (?:age|life)))")
_SEVENTHS = lazy(r" [0-6]/7 ?(?:weeks?|wks?|w|ga|gestation)\b")
_WEEKS_BEFORE = lazy(r"\b(?:1[89]|[23]\d|4[0-3])[ -]?(?:weeks?|wks?|w)[ ,]{1,2}(?:and )?$")
_DAYS_NEXT = lazy(r"[ -]?(?:days?|d)\b(?! ?-?(?:old|o\b|of (?:age|life)))")


def is_no_age(text: str, start: int, end: int) -> bool:
    """Whether the words around the number show that it is not an age.

    >>> is_no_age("born at 35 weeks", 8, 10), is_no_age("mother, 35, well", 8, 10)
    (True, False)
    """
    before, after = left_of(text, start), right_of(text, end)
    if _OLD.match(after):
        return False
    if _KARYOTYPE.match(after) or (_SINCE.search(before) and _YEARS_NEXT.match(after)):
        return True
    if _SMOKED.match(after) or (_WAS.search(before) and after[:1] == ")"):
        return True
    if (_WEEKS_BEFORE.search(before) and _DAYS_NEXT.match(after)) or (_BORN.search(before) and _GESTATION.match(after)):
        return True
    if _SEVENTHS.match(after) or (_LASTING.search(before) and _SMALL_NEXT.match(after)):
        return True
    if _GRADE_BEFORE.search(before) or _SOLDIER.search(left_of(text, start, reach=80)):
        return True
    # "in her 70s"
    if text[end - 1] == "s" or after.startswith("s"):
        return False
    if _ADVISED.search(before) or (_RETURNS.search(before) and _SMALL_NEXT.match(after)):
        return True
    # "wife 66" is her age, "wife of 40 years" is not; who has been married 74 years is over 89.
    if not _LONG.fullmatch(text, start, end) and _LASTED.search(before) and (not _KIN.search(before) or _YEARS_NEXT.match(after)):
        return True
    word = _LAST_WORD.search(before)
    return word is not None and word[1] in word_list("drugs") and word[1] not in given_names()
