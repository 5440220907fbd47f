"""The generalisations of a policy, the same in any mode: a date to its year, a ZIP code to its first three digits, a place to its state."""

import re
from dataclasses import dataclass

from incognote.document import normalize_value
from incognote.facts import Facts
from incognote.lexicon import word_list
from incognote.replace.ages import LIFETIME, OLDEST, shows_over_89
from incognote.replace.date_reading import WrittenDate, read_dates
from incognote.replace.places import read_state

_ZIP = re.compile(r"\s*([0-9]{3})(?:[0-9]{2}(?:\s*[-–]?\s*[0-9]{4})?)?\s*")
# No note in a computer is older: where the latest year of all notes is, the notes do not say when they were written.
_FIRST_RECORDS = 1980
# What such notes are compared with: the year of this release. The year of the run would make the same notes come out differently.
_RELEASED = 2026


@dataclass(frozen=True, slots=True)
class Era:
    """What decides whether a year shows an age over 89: the latest year in the patient's notes, their years of two digits, and whether
    they state such an age."""

    latest: int | None = None
    has_over_89: bool = False
    shorts: frozenset[int] = frozenset()

    def reveals(self, year: int, *, short: bool, then: float | None, strict: bool) -> bool:
        """Whether the year would show that someone is over 89. ``then`` is how old they were in it, 0 for a year of birth.

        Years are compared, not days: 90 years apart is taken for over 89 even if the birthday is yet to come.
        ``strict`` takes any birth for that of the one whose age over 89 the notes state, and two digits for the oldest year they may be.
        """
        birth = then == 0
        if strict and birth and (self.has_over_89 or (short and self.latest is None)):
            return True
        if not strict and short and then is None:
            return False
        # Many write the year of birth whole and those of visits short: '23 is 92 years after 1931.
        gaps = [(other - year) % 100 for other in self.shorts]
        if then is not None and any(gap > 89 if birth else 0 < gap < 90 and gap + then > OLDEST for gap in gaps):
            return True
        after = max((gap for gap in gaps if 0 < gap < 90), default=0)
        now = self.latest if then is None or (short and after) else self._now(then, year + after if after else 0)
        if now is None:
            return False
        # '31 beside 2024 is 1931; next year's appointment may be ahead of the latest full year.
        if short:
            year = now + 1 - (now + 1 - year) % 100
        age = now - year + (then or 0)
        # A person over 89 in the latest year may be shown as 90+.
        # Nobody was there 130 years ago: one of the years is a typo, or tells of a town.
        return OLDEST < age <= LIFETIME and (year < now or not then or then <= OLDEST)

    def _now(self, then: float, told: int) -> int:
        """The year that ages are counted to; ``told`` is the year that one of two digits stands for."""
        if then <= OLDEST and self.has_over_89 and not told:
            return max(self.latest or 0, _RELEASED)
        latest = max(self.latest or 0, told)
        return latest if latest >= _FIRST_RECORDS else _RELEASED


def gather_era(facts: Facts, *, day_first: bool) -> Era:
    """The era of a patient's notes."""
    dates = [written for value in facts.values("DATE") for written in read_dates(value, day_first=day_first) or () if written.year]
    whole = [written.year for written in dates if written.year and not _is_short(written)]
    shorts = frozenset(written.year for written in dates if written.year and _is_short(written))
    return Era(max(whole, default=None), any(map(shows_over_89, facts.values("AGE"))), shorts)


def _is_short(written: WrittenDate) -> bool:
    start, end = written.parts.get("year", (0, 0))
    return end - start == 2


def reveals_over_89(value: str, era: Era, *, day_first: bool, then: float | None, strict: bool = True) -> bool:
    """Whether a year in the value shows that someone is over 89.

    >>> [reveals_over_89(value, Era(2021), day_first=False, then=None) for value in ("3/4/1930", "3/4/1932", "May 3")]
    [True, False, False]
    """
    texts = [text for one in read_dates(value, day_first=day_first) or () for text in _written_years(value, one)]
    return any(era.reveals(int(text) + (2000 if len(text) == 2 else 0), short=len(text) == 2, then=then, strict=strict) for text in texts)


def year_only(value: str, *, day_first: bool) -> str | None:
    """The years of a date and nothing else; None where it names none.

    >>> year_only("7/22/2061", day_first=False), year_only("'58 to June '61", day_first=False), year_only("March 3", day_first=False)
    ('2061', "'58-'61", None)
    """
    years: dict[str, None] = {}
    for one in read_dates(value, day_first=day_first) or ():
        for text in _written_years(value, one):
            years[("'" if len(text) == 2 else "") + text + ("s" if "decade" in one.parts else "")] = None
    return "-".join(years) or None


def _written_years(value: str, written: WrittenDate) -> list[str]:
    return [value[slice(*written.parts[part])] for part in ("year", "year2", "decade") if part in written.parts]


def zip3(value: str) -> str | None:
    """The first three digits of a US ZIP code; 000 where 20,000 people or fewer live; None for other postcodes.

    >>> zip3("02139"), zip3("02139-4307"), zip3("82101"), zip3("EC1A 1BB")
    ('021**', '021**', '000**', None)
    """
    # Wide digits would be on no list of restricted areas.
    match = _ZIP.fullmatch(normalize_value(value))
    if not match:
        return None
    area = "000" if match[1] in word_list("restricted-zip3") else match[1]
    return f"{area}**"


def state_only(value: str) -> str | None:
    """The value itself where it is a state or a country, and None where it is smaller, whatever it was labelled.

    >>> state_only("Mass."), state_only("UK"), state_only("Co. Mayo")
    ('Mass.', 'UK', None)
    """
    return value if read_state(value) or value.strip().casefold() in word_list("countries") else None
