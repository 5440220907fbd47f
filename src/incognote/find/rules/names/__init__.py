"""Name rules: titles, fields, signatures, kinship words, lists and logins."""

from incognote.find.rules.names.finder import find_names, find_titled_names

__all__ = ["find_names", "find_titled_names"]
