"""The shapes in which clinicians write dates, as patterns whose named groups are the parts a shift must rewrite."""

import re
from collections.abc import Iterator
from functools import cache

from incognote.lexicon.calendar import MONTH, MONTH_STARTS, ORDINALS, WEEKDAY

SEASONS = ("winter", "spring", "summer", "fall")
# Month and day; the ones that move with the year are in movable_holiday.
FIXED_HOLIDAYS = {
    "christmas": (12, 25), "christmas day": (12, 25), "xmas": (12, 25), "christmas eve": (12, 24), "boxing day": (12, 26),
    "new year": (1, 1), "new year's": (1, 1), "new year's day": (1, 1),
    "new year's eve": (12, 31), "independence day": (7, 4),
    "valentine's day": (2, 14), "valentine's": (2, 14),
    "st patrick's day": (3, 17), "st. patrick's day": (3, 17), "st paddy's": (3, 17), "st paddy's day": (3, 17),
    "veteran's day": (11, 11), "juneteenth": (6, 19), "cinco de mayo": (5, 5), "groundhog day": (2, 2),
    "ground hog's day": (2, 2), "hanukkah": (12, 15), "chanukah": (12, 15), "kwanzaa": (12, 26), "epiphany": (1, 6),
    "passover": (4, 10), "rosh hashanah": (9, 20), "yom kippur": (9, 29), "diwali": (11, 1),
    "st patrick's": (3, 17), "st. patrick's": (3, 17), "hogmanay": (12, 31), "burns night": (1, 25), "australia day": (1, 26),
    "waitangi": (2, 6), "waitangi day": (2, 6), "human rights day": (3, 21), "vaisakhi": (4, 14), "baisakhi": (4, 14), "earth day": (4, 22),
    "anzac day": (4, 25), "canada day": (7, 1), "heritage day": (9, 24), "michaelmas": (9, 29), "remembrance day": (11, 11),
    "world aids day": (12, 1), "three kings": (1, 6), "three kings day": (1, 6),
    "hallowe'en": (10, 31), "paddy's day": (3, 17), "xmas day": (12, 25), "xmas eve": (12, 24), "armistice day": (11, 11),
    "guy fawkes": (11, 5), "guy fawkes night": (11, 5),
    "bonfire night": (11, 5), "st stephen's day": (12, 26), "st. stephen's day": (12, 26), "st george's day": (4, 23),
    "st andrew's day": (11, 30), "st david's day": (3, 1), "bastille day": (7, 14), "all saints' day": (11, 1), "all souls' day": (11, 2),
    "april fools' day": (4, 1), "april fool's day": (4, 1), "republic day": (1, 26), "gandhi jayanti": (10, 2), "flag day": (6, 14),
}  # fmt: skip
MOVABLE_HOLIDAYS = (
    "thanksgiving day", "thanksgiving", "memorial day", "labor day", "mother's day", "father's day",
    "columbus day", "president's day", "presidents' day", "mlk day", "martin luther king day", "easter sunday",
    "easter monday", "labour day", "patriots' day", "whitsun", "pentecost", "whit sunday", "whit monday", "maundy thursday",
    "shrove tuesday", "ascension day", "black friday",
    "easter", "good friday", "ash wednesday", "mardi gras", "palm sunday",
)  # fmt: skip


def _any(words: Iterator[str] | tuple[str, ...]) -> str:
    return "|".join(re.escape(word).replace("'", "['’]?") for word in sorted(words, key=len, reverse=True))


_NAME = rf"(?P<name>{MONTH})(?![^\W\d_])\.?"
_ANY_NAME = f"(?:{MONTH_STARTS})"
_NUMBER_DAY = r"(?P<day>\d{1,2})(?!\d)(?P<suffix>st|nd|rd|th)?(?![^\W\d_])"
# In 02JUL2061 nothing parts the day from the month.
_TIGHT_DAY = rf"(?P<day>\d{{1,2}})(?:(?P<suffix>st|nd|rd|th)(?![^\W\d_])|(?![^\W\d_])|(?={_ANY_NAME}))"
_DAY2 = r"(?P<day2>\d{1,2})(?!\d)(?P<suffix2>st|nd|rd|th)?(?![^\W\d_])"
_WORD_DAY = rf"(?P<ordinal>{_any(ORDINALS)})"
_YEAR = rf"['’]?(?P<year>\d{{4}}|\d\d)(?![\d:])(?!\s*(?:st|nd|rd|th)?\s*(?:of\s+)?{_ANY_NAME})"
_TO_YEAR = r"(?:\s*,\s*(?:in\s+)?|\s+of\s+|\s+|[-/.])"
_RANGE = r"(?P<to>\s?[-–—]\s?|\s+(?:to|through|thru|and|until)\s+|\s?&\s?)"
_SPLIT = r"(?P<split>\s?[-/.]\s?|\s)"
_TIGHT_SPLIT = r"(?P<split>\s?[-/.]\s?)"
# "The first week of March" and "the 2nd Monday" name no day.
_PART = rf"\s+(?:weeks?|weekend|half|part|{WEEKDAY})\b"

SHAPES: tuple[str, ...] = (
    rf"(?P<year>\d{{4}}){_SPLIT}(?P<month>\d{{1,2}})(?P=split)(?P<day>\d{{1,2}})(?!\d)",
    r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)(?!\d)",
    r"(?P<month>\d\d)(?P<day>\d\d)(?P<year>\d{4}|\d\d)(?!\d)",
    rf"(?P<one>\d{{1,2}}){_SPLIT}(?P<two>\d{{1,2}})(?P=split)['’]?(?P<year>\d{{4}}|\d\d)(?!\d)",
    rf"(?P<one>\d{{1,2}}){_TIGHT_SPLIT}(?P<two>\d{{1,2}})(?:\s*,\s*|\s+)(?P<year>\d{{4}})(?!\d)",
    rf"{_TIGHT_DAY}{_RANGE}{_DAY2}\s?(?:of\s+)?{_NAME}{_TO_YEAR}{_YEAR}",
    rf"{_TIGHT_DAY}{_RANGE}{_DAY2}\s?(?:of\s+)?{_NAME}",
    rf"{_TIGHT_DAY}\s?[-/.,]?\s?(?:of\s+)?{_NAME}(?:{_TO_YEAR})?{_YEAR}",
    rf"{_TIGHT_DAY}\s?[-/.,]?\s?(?:of\s+)?{_NAME}",
    rf"{_WORD_DAY}\s+(?:day\s+)?of\s+{_NAME}{_TO_YEAR}{_YEAR}",
    rf"{_WORD_DAY}\s+(?:day\s+)?of\s+{_NAME}",
    rf"{_NAME}[\s/-]*{_NUMBER_DAY}{_RANGE}{_DAY2}(?!\s*{_ANY_NAME}){_TO_YEAR}{_YEAR}",
    rf"{_NAME}[\s/-]*{_NUMBER_DAY}{_RANGE}{_DAY2}(?!\s*(?:of\s+)?{_ANY_NAME})(?![/.-]\d)",
    rf"{_NAME}[\s/-]*(?:the\s+)?{_NUMBER_DAY}{_TO_YEAR}{_YEAR}",
    rf"{_NAME}[\s/-]*(?:the\s+)?{_NUMBER_DAY}",
    rf"{_NAME}\s+(?:the\s+)?{_WORD_DAY}(?![^\W_]){_TO_YEAR}{_YEAR}",
    rf"{_NAME}\s+(?:the\s+)?{_WORD_DAY}(?![^\W_])",
    rf"(?P<year>\d{{4}})[\s,/-]*{_NAME}[\s/-]*{_NUMBER_DAY}",
    rf"{_NAME}(?:{_TO_YEAR})?{_YEAR}",
    rf"(?P<year>\d{{4}})[\s,/-]+{_NAME}",
    r"(?P<month>\d{1,2})\s?[/.-]\s?(?P<year>\d{4})(?!\d)",
    r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})(?!\d)",
    rf"(?P<one>\d{{1,2}}){_TIGHT_SPLIT}(?P<two>\d{{1,2}})(?!\d)(?!(?P=split)\d)",
    rf"(?P<month>\d{{1,2}}){_TIGHT_SPLIT}['’]?(?P<year>\d\d)(?!\d)(?!(?P=split)\d)",
    rf"(?P<season>spring|summer|fall|autumn|winter)(?:time)?(?:{_TO_YEAR}(?:the\s+year\s+)?{_YEAR}(?:[-/–]['’]?(?P<year2>\d{{4}}|\d\d)(?!\d))?)?",
    r"(?P<year>\d{4})[\s-]*Q\s?(?P<quarter>[1-4])(?!\d)",
    rf"(?:Q\s?(?P<quarter>[1-4])(?!\d)|(?P<quarter_>[1-4])Q)(?:(?:\s+of\s+|\s*[-/,]?\s*)(?:FY\s?)?{_YEAR})?",
    rf"(?P<quarter_word>first|second|third|fourth|1st|2nd|3rd|4th)\s+quarter(?:\s+of)?(?:\s+{_YEAR})?",
    rf"(?P<holiday>{_any(tuple(FIXED_HOLIDAYS) + MOVABLE_HOLIDAYS)})(?![^\W_])(?:\s*,?\s*(?:of\s+)?{_YEAR})?",
    r"['’]?(?P<decade>\d{3}0|\d0)['’]?s(?![^\W_])",
    r"(?P<year>\d{4})\s?[-–/]\s?['’]?(?P<year2>\d{4}|\d\d)(?!\d)",
    r"(?P<year>\d{4})(?!\d)",
    r"FY\s?['’]?(?P<year>\d{4}|\d\d)(?!\d)",
    r"['’](?P<year>\d\d)(?!\d)",
    # From 32 on: what is less may be a day.
    r"(?P<year>3[2-9]|[4-9]\d)(?!\d)(?![^\W_])",
    r"(?P<weekday>mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)(?:['’]?s)?(?![^\W_])",
    rf"(?P<day>\d{{1,2}})(?P<suffix>st|nd|rd|th)(?![^\W_])(?!{_PART})",
    rf"{_WORD_DAY}(?![^\W_])(?!{_PART})",
    _NAME,
)  # fmt: skip

# What may stand between dates and is kept as it is: none of it says which day it was.
GLUE = re.compile(
    rf"(?:first|second|third|fourth|fifth|last|[1-5](?:st|nd|rd|th))(?={_PART})"
    r"|(?:\s|[,;:()\[\]\-–—/&.~@]|T?\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?:\s?[ap]\.?m\.?|Z|\s?[+-]\d\d:?\d\d)?(?![^\W_])"
    r"|\d{1,2}\s?[ap]\.?m\.?(?![^\W_])|\d{4}\s?(?:h|hrs|hours)\b"
    r"|\b(?:to|through|thru|until|till|and|or|of|the|on|at|in|from|between|since|by|early|late|mid|middle|beginning|end|weeks?|weekend|half|part"
    r"|month|year|day|morning|evening|afternoon|night|noon|midnight|approximately|about|around|circa|next|last|this)\b)",
    re.IGNORECASE,
)


@cache
def compiled_shapes() -> tuple[re.Pattern[str], ...]:
    """The shapes, ready to match."""
    return tuple(re.compile(shape, re.IGNORECASE) for shape in SHAPES)
