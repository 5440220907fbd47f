"""Dates: every shape moves in its own shape, and intervals stay to the day."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.document import parse_markup
from incognote.facts import gather_facts
from incognote.replace import load_policy, make_replacer
from incognote.replace.calendar_words import ordinal_suffix
from incognote.replace.date_order import is_order_open, writes_day_first, writes_zeros
from incognote.replace.date_reading import read_dates
from incognote.replace.date_shapes import FIXED_HOLIDAYS, MOVABLE_HOLIDAYS
from incognote.replace.dates import DateOptions, DateShift, choose_shift, shift_value
from incognote.replace.keyed_choice import patient_choice
from tests.find.rules.golden import read_golden

MOVED_45_DAYS = """
7/22 | 9/5
2.7.2061 | 3.24.2061
9-Nov-2071 | 24-Dec-2071
the first week of July | the first week of August
the 2nd Monday of July | the 2nd Thursday of August
Easter Monday 2061 | May 26 2061
St Stephen's Day | February 9
Hallowe'en | December 15
Whitsun 2061 | July 13 2061
9-NOV-71 | 24-DEC-71
the 5th of April | the 20th of May
the fifth of April | the twentieth of May
spring of 2066 | spring of 2066
Winter 2060-61 | Winter 2060-61
'58 | '58
Q3 2065 | Q3 2065
Q4 2065 | Q4 2065
2065 Q3 | 2065 Q3
third quarter of 2065 | third quarter of 2065
Monday | Thursday
MON | THU
Weds | Sat
Mondays | Thursdays
Wednesday, Nov. 9 | Saturday, Dec. 24
Christmas | February 8
Christmas Eve 2061 | February 7 2062
2061-07-02 | 2061-08-16
2061-11-20 | 2062-01-04
2061-07-02T13:45:00Z | 2061-08-16T13:45:00Z
7/22/61 14:30 | 9/5/61 14:30
07/22/2061 | 09/05/2061
7/22 2061 | 9/5 2061
11/22, 2061 | 1/6, 2062
FY2065 | FY2065
FY 65 | FY 65
Q3 FY65 | Q3 FY65
Jun 21 | Aug 5
June 21st | August 5th
July 2nd, 2061 | August 16th, 2061
JULY 2, 2061 | AUGUST 16, 2061
02JUL2061 | 16AUG2061
20MAY2061 | 04JUL2061
May 3, 2061 | June 17, 2061
3-MAY-61 | 17-JUN-61
Sept 5 | Oct 20
7/22-7/25/61 | 9/5-9/8/61
July 3-5, 2061 | August 17-19, 2061
July 16-18, 2061 | August 30-September 1, 2061
16-18 July 2061 | 30 August-1 September 2061
July 30 through August 2, 2061 | September 13 through September 16, 2061
12/3, 12/5 and 12/9/61 | 1/17, 1/19 and 1/23/62
between 2058 and 2061 | between 2058 and 2061
2061-62 | 2061-62
7/61 | 8/61
07/2061 | 08/2061
2061-11 | 2061-12
December 2061 | January 2062
Dec '61 | Jan '62
2061 | 2061
mid-July | mid-August
the 1980s | the 1980s
the 22nd | the 7th
20610702 | 20610816
07022061 | 08162061
13/7/61 | 27/8/61
Feb 29 | Apr 14
week of 7/22 | week of 9/5
""".strip().splitlines()


@pytest.mark.parametrize("line", MOVED_45_DAYS)
def test_a_date_moves_in_its_shape(line: str) -> None:
    before, after = line.split(" | ")
    assert shift_value(before, DateShift(45), day_first=False) == after


MOVED_BACK_100_DAYS = """
spring of 2066 | fall of 2065
Winter 2060-61 | Fall 2060-61
winter of 2061 | fall of 2060
Spring 2061 | Fall 2060
summer 2061 | winter 2061
summer | winter
Autumn 2065 | Spring 2065
'58 | '57
Q3 2065 | Q1 2065
Q1 2065 | Q3 2064
third quarter of 2065 | first quarter of 2065
2Q 2065 | 4Q 2064
FY2065 | FY2064
between 2058 and 2061 | between 2057 and 2060
1999-2001 | 1998-2000
2061 | 2060
July 2061 | March 2061
1/2061 | 9/2060
February | October
the 1980s | the 1980s
early '90s | early '90s
""".strip().splitlines()


@pytest.mark.parametrize("line", MOVED_BACK_100_DAYS)
def test_what_names_no_day_moves_with_its_first_day(line: str) -> None:
    before, after = line.split(" | ")
    assert shift_value(before, DateShift(-100), day_first=False) == after


@pytest.mark.parametrize(
    ("value", "day_first", "moved"),
    [
        ("22.7.2061", True, "5.9.2061"),
        ("22.7.2061", False, "9.5.2061"),
        ("31/3/46", False, "15/5/46"),
        ("22/7/2061", False, "9/5/2061"),
        ("7/22/2061", True, "5/9/2061"),
        ("07-22-2061", True, "05-09-2061"),
        ("2061-07-22", True, "2061-09-05"),
        ("07222061", True, "09052061"),
        ("11/22", True, "6/1"),
    ],
)
def test_a_moved_date_is_read_as_the_others_of_the_patient(value: str, day_first: bool, moved: str) -> None:
    assert shift_value(value, DateShift(45), day_first=day_first) == moved


@pytest.mark.parametrize("value", ["yesterday", "02/30/2061", "13/13/2061", "x", "...", "", "14:30", "7/22 by Ann", "A12"])
def test_what_is_no_date_is_not_moved(value: str) -> None:
    assert shift_value(value, DateShift(45), day_first=False) is None


def test_every_shape_the_rules_are_tested_on_is_read_but_for_the_declared() -> None:
    # These are taken out: the foreign and the spoken, days that move with the moon or the law, and lists of days.
    left = {
        "ninth of August two thousand and twelve",
        "3 de marzo de 2061",
        "5 avril 2061",
        "april the fifth twenty sixty one",
        "january nineteenth twenty twenty three",
    }
    left |= {"march third twenty twenty four", "two thousand nine", "two thousand and fourteen", "Seen3/3/24"}
    left |= {"Ramadan", "Lent", "bank holiday Monday", "May 2, 4 and 9, 2061", "Thurs 26"}
    values = {
        line.document.value(span)
        for line in read_golden("dates")
        for span in line.document.spans
        if span.label == "DATE" and not line.fails
    }
    assert {value for value in values if read_dates(value, day_first=False) is None} <= left


FORMATS = ("%Y-%m-%d", "%m/%d/%Y", "%d-%b-%Y", "%B %d, %Y", "%d%b%Y", "%Y%m%d", "%m.%d.%Y", "%d %B %Y", "%A, %B %d, %Y", "%m/%d/%y")
# Two digits name a year of this century alone, so no shift may leave it.
days = st.dates(date(2001, 1, 1), date(2098, 11, 1))
shifts = st.integers(-363, 363).filter(lambda shift: shift != 0).map(DateShift)


def read_one(value: str | None) -> date:
    assert value is not None
    written = read_dates(value, day_first=False)
    assert written is not None
    assert written[-1].full is not None
    return written[-1].full


@given(days, days, st.sampled_from(FORMATS), st.sampled_from(FORMATS), shifts)
def test_intervals_between_full_dates_are_exact_in_any_two_shapes(one: date, two: date, how: str, other: str, shift: DateShift) -> None:
    moved = [read_one(shift_value(day.strftime(form), shift, day_first=False)) for day, form in ((one, how), (two, other))]
    assert moved[0] - moved[1] == one - two


def test_no_day_is_lost_at_the_turn_of_a_century() -> None:
    assert shift_value("3/12/99", DateShift(362), day_first=False) == "3/8/00"
    assert shift_value("3/12/1999", DateShift(362), day_first=False) == "3/8/2000"
    assert shift_value("3/8/00", DateShift(-362), day_first=False) == "3/12/99"


@given(days, st.sampled_from(FORMATS), shifts)
def test_the_format_is_kept(day: date, form: str, shift: DateShift) -> None:
    new = day + timedelta(shift.days)
    assert shift_value(day.strftime(form), shift, day_first=False) == new.strftime(form) or _unpadded(form, day, shift)


def _unpadded(form: str, day: date, shift: DateShift) -> bool:
    """10/12/2061 does not tell whether 9 is written 09; then either is right, as long as the day is."""
    return "0" not in day.strftime(form)[:1] and read_one(shift_value(day.strftime(form), shift, day_first=False)) == day + timedelta(
        shift.days
    )


@given(days, shifts)
def test_a_weekday_moves_with_its_date(day: date, shift: DateShift) -> None:
    assert shift_value(day.strftime("%A"), shift, day_first=False) == (day + timedelta(shift.days)).strftime("%A")


@given(days, shifts)
def test_a_date_without_a_year_moves_as_its_neighbour(day: date, shift: DateShift) -> None:
    new = day + timedelta(shift.days)
    written = f"{day.month}/{day.day}"
    assert shift_value(written, shift, day_first=False, near=day) == f"{new.month}/{new.day}"
    ordinal = f"the {day.day}{ordinal_suffix(day.day, like='th')}"
    assert shift_value(ordinal, shift, day_first=False, near=day) == f"the {new.day}{ordinal_suffix(new.day, like='th')}"


@given(st.sampled_from(["7/22", "July 22nd", "2061-07-22", "Monday", "Christmas"]), st.integers(1, 363), st.booleans())
def test_no_day_stands_still(value: str, size: int, back: bool) -> None:
    if size % 7:
        assert shift_value(value, DateShift(-size if back else size), day_first=False) != value


@given(st.text(max_size=30), shifts)
def test_any_text_is_moved_or_refused(value: str, shift: DateShift) -> None:
    shift_value(value, shift, day_first=True)


@given(st.binary(min_size=16, max_size=16), st.text(max_size=8), st.booleans(), st.booleans())
def test_a_shift_keeps_to_its_limits(key: bytes, patient: str, weekday: bool, season: bool) -> None:
    options = DateOptions(365, keep_weekday=weekday, keep_season=season)
    shift = choose_shift(patient_choice(key, patient), options).days
    assert 1 <= abs(shift) <= (28 if season else 364)
    assert (shift % 7 == 0) is weekday


@pytest.mark.parametrize("weekday", [False, True])
def test_a_long_shift_never_brings_a_day_back_to_itself(weekday: bool) -> None:
    options = DateOptions(2200, keep_weekday=weekday)
    for patient in range(800):
        move = timedelta(choose_shift(patient_choice(b"k" * 16, str(patient)), options).days)
        assert all((day + move).timetuple()[1:3] != day.timetuple()[1:3] for day in (date(year, 7, 22) for year in range(2060, 2064)))


@pytest.mark.parametrize(("days", "moved"), [(95, "winter 2060"), (125, "winter 2061"), (-250, "winter 2059"), (0, "fall 2060")])
def test_a_winter_has_the_year_of_the_day_that_comes_to_lie_in_it(days: int, moved: str) -> None:
    assert shift_value("fall 2060", DateShift(days), day_first=False) == moved


@pytest.mark.parametrize(
    ("days", "moved"), [(40, "winter 2061"), (-30, "winter 2061"), (-40, "fall 2060"), (-364, "winter 2060"), (70, "spring 2061")]
)
def test_a_winter_is_that_around_new_year(days: int, moved: str) -> None:
    assert shift_value("winter 2061", DateShift(days), day_first=False) == moved


def test_a_season_is_kept_where_asked() -> None:
    assert shift_value("spring of 2066", DateShift(20, keep_season=True), day_first=False) == "spring of 2066"


def test_one_clear_date_tells_how_the_others_are_read() -> None:
    assert writes_day_first(["3/4/2061", "25/4/2061"])
    assert not writes_day_first(["3/4/2061", "4/25/2061"])
    assert shift_value("3/4/2061", DateShift(1), day_first=True) == "4/4/2061"
    assert shift_value("4/30/2061", DateShift(1), day_first=True) == "1/5/2061"


@pytest.mark.parametrize(
    "said",
    ["4th of July", "the 4th of July", "4th July", "July 4th", "Cinco de Mayo", "9/11", "24/7", "the 5th of April", "14th of February",
     "Fourth of July", "02JUL2061", "31st of October"],
)  # fmt: skip
def test_an_idiom_is_no_evidence_for_day_first(said: str) -> None:
    assert not writes_day_first([said, "3/4/2024", "3/5/2024"])
    document = parse_markup(f"Hurt on <DATE>{said}</DATE>. Seen <DATE>3/4/2024</DATE> and <DATE>3/5/2024</DATE>.", id="n1")
    for key in range(10):
        replacer = make_replacer("surrogate", policy=load_policy("i2b2"), key=bytes([key]) * 32)
        _, one, two = replacer.replace(document, gather_facts([document])["document:n1"])
        assert read_one(two) - read_one(one) == timedelta(1)


@pytest.mark.parametrize(
    "said", ["25/4/2024", "12th September 2024", "12 December 2024", "Wednesday 3/4/2024", "Fri, 03/05/24", "12.4.2024"]
)
def test_what_can_only_be_day_first_decides_for_the_others(said: str) -> None:
    assert writes_day_first([said, "3/4/2024", "3/5/2024"])
    assert not is_order_open([said, "3/4/2024", "3/5/2024"])


@pytest.mark.parametrize("said", ["4/25/2024", "September 12, 2024", "Mon 3/4/2024", "Tuesday 03/05/24"])
def test_what_can_only_be_month_first_decides_for_the_others(said: str) -> None:
    assert not writes_day_first([said, "3/4/2024", "3/5/2024"])
    assert not is_order_open([said, "3/4/2024", "3/5/2024"])


def test_the_order_is_open_where_intervals_depend_on_it_alone() -> None:
    assert is_order_open(["3/4/2024", "3/5/2024"])
    assert is_order_open(["03-04-24", "4th of July", "2024-05-06", "1/2"])
    assert not is_order_open(["3/4/2024"])
    assert not is_order_open(["3/3/2024", "5/5/2024", "3/4/2024"])
    assert not is_order_open(["2024-05-06", "2024-05-07", "March 2024"])


@given(st.dates(date(1998, 1, 1), date(2030, 12, 31)), st.integers(-150, 150), shifts)
def test_a_day_without_a_year_keeps_its_distance_to_the_day_near_it(near: date, away: int, shift: DateShift) -> None:
    day = near + timedelta(away)
    moved = shift_value(f"{day:%B} {day.day}", shift, day_first=False, near=near)
    new = day + timedelta(shift.days)
    assert moved == f"{new:%B} {new.day}"


@given(st.dates(date(1998, 1, 1), date(2030, 12, 31)), st.integers(-13, 13), shifts)
def test_a_day_without_a_month_keeps_its_distance_to_the_day_near_it(near: date, away: int, shift: DateShift) -> None:
    day = near + timedelta(away)
    moved = shift_value(f"{day.day}th", shift, day_first=False, near=near) or ""
    assert moved[:-2] == str((day + timedelta(shift.days)).day)


def test_a_date_is_padded_where_the_others_are() -> None:
    assert writes_zeros(["28/12/2061", "04/01/2062"])
    assert not writes_zeros(["12/28/2061", "1/4/2062", "10/11/2062"])
    assert shift_value("28/12/2061", DateShift(10), day_first=True, padded=True) == "07/01/2062"
    assert shift_value("28 December 2061", DateShift(10), day_first=True, padded=True) == "7 January 2062"


@pytest.mark.parametrize("holiday", [*FIXED_HOLIDAYS, *MOVABLE_HOLIDAYS])
def test_every_holiday_that_is_read_has_a_day_and_moves(holiday: str) -> None:
    for written in (holiday, holiday.title(), holiday.replace("'", "’"), holiday.replace("'", "")):
        moved = shift_value(written, DateShift(45), day_first=False)
        assert moved is not None
        assert read_dates(moved, day_first=False)
