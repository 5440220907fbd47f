"""Date rules."""

from incognote.find.rules.dates.written import find_dates

__all__ = ["find_dates"]
