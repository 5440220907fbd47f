"""Times of day in four figures (``Arr 1912``, ``given 2000``), distinguished from years and rooms by context.

A number from 0000 to 1759 is no year of anybody's life. From 1800 to 2359 it may be either: a word, a date or a weekday beside it tells,
or that the note writes its hours so elsewhere.
"""

from incognote.lexicon import word_list
from incognote.lexicon.context import left_of, line_around, right_of
from incognote.lexicon.lazy import lazy
from incognote.lexicon.word_lists import read_word_lists

CLOCK = lazy(r"(?:[01]\d|2[0-3])[0-5]\d")
# "heparin 2000", "plt 1950": amounts.
_DOSED = lazy(read_word_lists("lookalikes")["dosed"])
_DAY = r"(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun|\w{3,6}day)"
_BEFORE = lazy(
    rf"(?:\b(?:at|arrival|arrived|arr|called|dispatched|scene|departed|dep|by me|triaged?|npo since|nbm from"
    rf"|last known well|lkw|{_DAY})|@|~)"
    r"\.?,? ?$"
)
# "snoring since ~2015" is a year; "NPO since ~2000" is an hour.
_SINCE = lazy(r"\b(?:since|in|from|until) ~ ?$")
_FASTING = lazy(r"\b(?:npo|nbm|fast\w*|lkw)\b")
# "2015 hrs".
_NEXT = lazy(r"\s?(?:h|hrs?|hours|z)\b")
_YEAR_NEXT = lazy(r"\s?(?:-|–|to)\s?(?:19|20)\d\d(?!\d)")
# "2200 4/3", "1115 on 4/10": the day follows the hour.
_DAY_NEXT = lazy(r",? (?:on )?\d{1,2}/\d{1,2}(?![\d/]\d|%)")
# What begins or is done at an hour; a vaccine is given in a year, so the note must write hours so elsewhere.
_DONE = lazy(
    r"\b(?:onset|given|gave|held|attended|emptied|voided|turned|settled|vomited|woke|dressed|mobilised|removed|extubated"
    r"|intubated|drawn|bed|pump|chair|obs)[ :]$"
)
_SURE = lazy(r"(?<![\w/.:,$#+-])(?:0\d|1[0-7]|2[2-3])[0-5]\d(?=\s?[,;.)]?(?:\s|$))(?! ?(?:ml|mg|mcg|units?|cc|kcal|g|cal)\b)")
# "exp 0525" is a month and a year.
_DATED = lazy(r"\b(?:dob|dos|dated?|lot|exp|expires)\W{0,3}$")
_LAST_WORD = lazy(r"([^\W\d_]+)[ \t]$")
_ABED = lazy(r"\b(?:edge|side|out|back|sat up|up) (?:of|in|to|from) (?:the )?(?:bed|chair) $")
# On a list of operations: "OR 6  0730".
_AFTER_ROOM = lazy(r"\b(?:or|rm|room|theatre|theater|bay) \d{1,3} {1,3}$")
_NEAR = 1500


def is_hour(text: str, start: int, end: int) -> bool:
    """Whether four figures that may be a year are a time of day where they stand.

    >>> [is_hour(text, len(text) - 4, len(text)) for text in ("Arr 1912", "since 2015", "snoring since ~2015", "NPO since ~2000")]
    [True, False, False, True]
    """
    if not CLOCK.fullmatch(text, start, end):
        return False
    before, after = left_of(text, start), right_of(text, end)
    if int(text[start:end]) < 1800:
        return not _DATED.search(before)
    word = _LAST_WORD.search(before)
    if word is not None and (word[1] in word_list("drugs") or _DOSED.fullmatch(word[1])):
        return _is_taken(text, start, end)
    if _SINCE.search(before) and not _FASTING.search(before) and int(text[start:end]) < 2060:
        return False
    if _BEFORE.search(before) or _NEXT.match(after) or (_DAY_NEXT.match(after) and not 1900 <= int(text[start:end]) < 2060):
        return True
    return _DONE.search(before) is not None and writes_hours(text, start)


def _is_taken(text: str, start: int, end: int) -> bool:
    """Whether four figures after a drug are a dose or an hour, and not the year in which somebody had it.

    >>> [_is_taken(text, 7, 11) for text in ("Humira 2011-2019: lost", "Maxalt 2022, no effect", "Keppra 2000 bid")]
    [False, False, True]
    """
    return int(text[start:end]) % 50 == 0 or (not _YEAR_NEXT.match(text, end) and writes_hours(text, start))


def writes_hours(text: str, at: int) -> bool:
    """Whether two times of day that can be no years stand near this place.

    >>> writes_hours("0230 vomited. Clexane given 2000. Slept from 2215.", 28), writes_hours("Pneumovax given 2015.", 16)
    (True, False)
    """
    near = _SURE.finditer(text, max(0, at - _NEAR), at + _NEAR)
    return next(near, None) is not None and next(near, None) is not None


def is_hour_by_room(text: str, start: int, end: int) -> bool:
    """Whether four figures after the word for a bed or a room tell when: ``edge of bed 2200``, ``RM 2  1030``, ``in rm 0722``.

    >>> is_hour_by_room("Sat on edge of bed 2200 with", 19, 23), is_hour_by_room("in bed 2200 since", 7, 11)
    (True, False)
    """
    if not CLOCK.fullmatch(text, start, end):
        return False
    before = left_of(text, start)
    if _ABED.search(before) or _AFTER_ROOM.search(before):
        return True
    line = text[line_around(text, start)[0] : start] + right_of(text, end, reach=80)
    return text[start] == "0" and len(_SURE.findall(line)) > 1
