"""Age rules."""

from incognote.find.rules.ages.stated import find_ages, find_sure_ages

__all__ = ["find_ages", "find_sure_ages"]
