"""What a note says of time survives the shift, under every key: order, intervals, ages, weekdays, seasons, durations."""

from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random

import pytest

from incognote.document import Document, parse_markup
from incognote.facts import gather_facts
from incognote.replace import load_policy, make_replacer, rewrite
from incognote.replace.date_reading import read_dates

KEYS = [bytes([number]) * 32 for number in range(1, 31)]
FORMATS = ("%m/%d/%Y", "%Y-%m-%d", "%B %d, %Y", "%d-%b-%Y", "%b %d %Y")
SEASONS = ("winter", "spring", "summer", "fall")


@dataclass(frozen=True)
class Course:
    """What happened to one patient, from which the notes are written."""

    born: date
    visits: tuple[date, ...]
    years: tuple[int, ...]
    form: str

    def age(self, visit: date) -> int:
        return visit.year - self.born.year - ((visit.month, visit.day) < (self.born.month, self.born.day))


def draw_course(random: Random) -> Course:
    first = date(random.randint(2012, 2024), 1, 1) + timedelta(random.randrange(366))
    visits = [first + timedelta(days) for days in sorted(random.sample(range(500), 3))]
    born = first - timedelta(random.randint(19 * 366, 87 * 365))
    # On a birthday a leap day more or less decides the age.
    visits = [visit + timedelta(2) if abs((visit - born).days % 365.2425 - 365.2425 / 2) > 180 else visit for visit in visits]
    years = sorted({random.choice(visits).year, random.randint(born.year + 18, first.year), visits[-1].year, first.year - 1})
    return Course(born, tuple(visits), tuple(years), random.choice(FORMATS))


def write_note(course: Course, visit: date) -> str:
    day = f"<DATE>{visit:{course.form}}</DATE>"
    years = " ".join(f"Event <DATE>{year}</DATE>." for year in course.years if year <= visit.year)
    return (
        f"DOB <DATE>{course.born:{course.form}}</DATE>. Seen {day}, a <DATE>{visit:%A}</DATE>, in <DATE>{_season(visit)}</DATE>, "
        f"<DATE>{visit:%B}</DATE>, <DATE>{visit:%B %Y}</DATE>. Age <AGE>{course.age(visit)}</AGE>. {years} "
        "Pain for 3 weeks, smoked for 20 years, born at 38 weeks; a <AGE>4-day-old</AGE> niece; in the <DATE>1990s</DATE>."
    )


def _season(day: date) -> str:
    return SEASONS[day.month % 12 // 3]


def scrub(course: Course, key: bytes) -> list[str]:
    notes = [replace(parse_markup(write_note(course, visit)), id=f"n{at}", patient="p1") for at, visit in enumerate(course.visits)]
    replacer = make_replacer("surrogate", policy=load_policy("i2b2"), key=key)
    facts = gather_facts(notes)["p1"]
    return [_write(rewrite(note, replacer.replace(note, facts))[0]) for note in notes]


def _write(document: Document) -> str:
    return "|".join(document.value(span) for span in document.spans) + "#" + document.text


def read_full(value: str) -> date:
    found = (read_dates(value, day_first=False) or [])[0].full
    assert found
    return found


@pytest.mark.parametrize("key", KEYS)
def test_order_intervals_ages_weekdays_and_seasons_survive(key: bytes) -> None:
    random = Random(key[0])
    for course in (draw_course(random) for _ in range(12)):
        seen, lasts = [], []
        for visit, note in zip(course.visits, scrub(course, key), strict=True):
            values, _, text = note.partition("#")
            born, day, weekday, season, month, month_year, age, *years, child, decade = values.split("|")
            moved = Course(read_full(born), (read_full(day),), tuple(map(int, years)), course.form)
            now = moved.visits[0]
            assert (now - moved.born) == visit - course.born
            assert int(age) == course.age(visit) == moved.age(now)
            assert (weekday, child, decade) == (f"{now:%A}", "4-day-old", "1990s")
            assert "Pain for 3 weeks, smoked for 20 years, born at 38 weeks" in text
            seen.append((now, season, month, month_year))
            lasts.append(tuple(map(int, years)))
        assert [now - seen[0][0] for now, *_ in seen] == [visit - course.visits[0] for visit in course.visits]
        check_years(course, [now for now, *_ in seen], lasts[-1])
        for visit, (now, season, month, month_year) in zip(course.visits, seen, strict=True):
            # The first known day of a season or month decides where it moves to.
            mates = [other for old, (other, *_) in zip(course.visits, seen, strict=True) if same_season(old, visit)]
            assert season == _season(mates[0])
            mates = [other for old, (other, *_) in zip(course.visits, seen, strict=True) if f"{old:%B %Y}" == f"{visit:%B %Y}"]
            assert (month, month_year) == (f"{mates[0]:%B}", f"{mates[0]:%B %Y}")
            assert mates[0] <= now


def same_season(one: date, two: date) -> bool:
    return _season(one) == _season(two) and abs(one - two) < timedelta(100)


def check_years(course: Course, days: list[date], years: tuple[int, ...]) -> None:
    was = [year for year in course.years if year <= course.visits[-1].year]
    assert [year - years[0] for year in years] == [year - was[0] for year in was]
    for old, new in zip(was, years, strict=True):
        for visit, day in zip(course.visits, days, strict=True):
            assert new <= day.year if old <= visit.year else new >= day.year
        assert new <= days[-1].year


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "text",
    [
        "Diagnosed in <DATE>2024</DATE>, seen <DATE>2/3/2024</DATE>",
        "Diagnosed in <DATE>January 2024</DATE>, seen <DATE>2/3/2024</DATE>",
        "Onset <DATE>Q1 2024</DATE>, seen <DATE>2024-02-03</DATE>",
        "Since <DATE>winter 2024</DATE>, admitted <DATE>February 3, 2024</DATE>, review <DATE>11/20/2024</DATE>",
        "dx <DATE>2024</DATE>; chemo <DATE>March 2024</DATE>; last seen <DATE>12/1/2024</DATE>",
        "PSH: CABG <DATE>2023</DATE>. Seen <DATE>1/2/2023</DATE> and <DATE>12/30/2023</DATE>.",
    ],
)
def test_what_was_before_the_visit_stays_before_it(text: str, key: bytes) -> None:
    document = replace(parse_markup(text), id="n1", patient="p1")
    new = make_replacer("surrogate", policy=load_policy("i2b2"), key=key).replace(document, gather_facts([document])["p1"])
    starts = [start_of(value) for value in new]
    assert starts[0] <= min(starts[1:])


def start_of(value: str) -> date:
    written = (read_dates(value, day_first=False) or [])[0]
    if written.full:
        return written.full
    assert written.year
    if "season" in written.parts:
        return date(written.year, 3 * (written.cycle or 0), 1) if written.cycle else date(written.year - 1, 12, 1)
    return date(written.year, written.month or 3 * (written.cycle or 0) + 1, 1)


def test_a_birth_year_agrees_with_the_age_at_the_last_visit() -> None:
    document = replace(parse_markup("Born in <DATE>1950</DATE>, <AGE>69</AGE>, seen <DATE>11/3/2020</DATE>"), id="n1", patient="p1")
    for key in KEYS:
        born, age, seen = make_replacer("surrogate", policy=load_policy("i2b2"), key=key).replace(document, gather_facts([document])["p1"])
        assert read_full(seen).year - int(born) - int(age) in (0, 1)
