"""Record, account, device and other identifying numbers, and the names of files."""

from incognote.find.rules.identifiers.files import find_files
from incognote.find.rules.identifiers.numbers import find_identifiers

__all__ = ["find_files", "find_identifiers"]
