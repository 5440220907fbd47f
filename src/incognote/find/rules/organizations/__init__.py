"""Hospitals, employers and other organizations."""

from incognote.find.rules.organizations.landmarks import find_sure_landmarks
from incognote.find.rules.organizations.named import find_organizations

__all__ = ["find_organizations", "find_sure_landmarks"]
