"""Hospitals, employers and other organizations."""

from incognote.find.rules.organizations.named import find_organizations

__all__ = ["find_organizations"]
