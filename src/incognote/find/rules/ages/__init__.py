"""Age rules."""

from incognote.find.rules.ages.stated import find_ages

__all__ = ["find_ages"]
