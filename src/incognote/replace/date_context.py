"""Where the dates of a note stand: one without year or month takes it from the nearest."""

from bisect import bisect_left
from collections.abc import Mapping
from datetime import date

from incognote.document import Document, normalize_value
from incognote.replace.date_reading import ANY_YEAR, read_dates


def place_dates(document: Document, meanings: Mapping[str, str], day_first: bool) -> list[tuple[int, date]]:
    """The offsets and dates of the dates written with month and day. A date without month or year gets them from the nearest of these."""
    found, others = [], []
    for span in document.spans:
        if meanings.get(span.label, span.label) == "DATE":
            for written in read_dates(normalize_value(document.value(span)), day_first=day_first) or ():
                if written.full:
                    found.append((span.start, written.full))
                elif written.month and written.day:
                    others.append((span.start, written))
    # Where no year is written, the first day gets one, and the others lie near that.
    sure = found or [(start, day) for start, written in others[:1] if (day := written.on(ANY_YEAR))]
    days = [(start, day) for start, written in others if (near := nearest_day(sure, start)) and (day := written.nearest(near))]
    return sorted([*found, *days])


def nearest_day(days: list[tuple[int, date]], place: int) -> date | None:
    """The date nearest to an offset; of two at the same distance, the one before it."""
    after = bisect_left(days, place, key=lambda found: found[0])
    return min(days[max(0, after - 1) : after + 1], key=lambda found: abs(found[0] - place))[1] if days else None
