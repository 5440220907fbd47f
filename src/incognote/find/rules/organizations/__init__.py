"""Hospitals, employers and other organizations."""

from incognote.find.rules.organizations.landmarks import find_told_landmarks
from incognote.find.rules.organizations.named import find_organizations

__all__ = ["find_organizations", "find_told_landmarks"]
