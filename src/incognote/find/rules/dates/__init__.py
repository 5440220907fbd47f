"""Date rules."""

from incognote.find.rules.dates.finder import find_dates, find_doubtful_dates, find_sure_dates

__all__ = ["find_dates", "find_doubtful_dates", "find_sure_dates"]
