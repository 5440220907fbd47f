"""Word lists: every holiday can pass the cheap look that comes before the search for it."""

from incognote.find.rules.dates import find_dates
from incognote.find.rules.engine.reading import Reading
from incognote.lexicon.word_lists import read_word_lists

HOLIDAYS = """
Christmas Eve; Xmas; Thanksgiving Day; New Year's Eve; New Years Day; Easter Monday; Good Friday; Ash Wednesday; Palm
Sunday; Mardi Gras; Fat Tuesday; Pentecost; Halloween; Memorial Day; Labor Day; Labour Day; Veterans Day; Presidents'
Day; Columbus Day; Indigenous Peoples' Day; MLK Day; Martin Luther King Jr. Day; Fourth of July; 4th of July;
Independence Day; Valentine's Day; Mother's Day; Mothers Day; Father’s Day; St. Patrick's Day; Patriots Day; Flag Day;
Groundhog Day; Cinco de Mayo; Juneteenth; Boxing Day; Canada Day; Victoria Day; Bastille Day; Australia Day; Anzac Day;
Guy Fawkes Night; Bonfire Night; Armistice Day; Remembrance Day; All Saints' Day; Day of the Dead; Hanukkah; Chanukah;
Passover; Yom Kippur; Rosh Hashana; Purim; Sukkot; Shavuot; Ramadan; Eid al-Fitr; Diwali; Kwanzaa; Nowruz; Lunar New
Year; Songkran; Super Bowl Sunday; Leap Day
"""


def test_every_holiday_is_found_whole() -> None:
    days = HOLIDAYS.replace("\n", " ").strip().split("; ")
    missed = [day for day in days if (0, len(day)) not in {(span.start, span.end) for span in find_dates(Reading(day))}]
    assert not missed


def test_lists_hold_no_empty_alternative() -> None:
    for name in ("ages", "dates", "phones", "units", "lots"):
        assert all("||" not in words and words.strip("|") == words for words in read_word_lists(name).values())
