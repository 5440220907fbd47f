"""Record, account, device and other identifying numbers."""

from incognote.find.rules.identifiers.numbers import find_identifiers

__all__ = ["find_identifiers"]
