"""Name rules: titles, fields, signatures, kinship words, lists and logins."""

from incognote.find.rules.names.finder import find_cued_names, find_listed_names, find_names, find_titled_names

__all__ = ["find_cued_names", "find_listed_names", "find_names", "find_titled_names"]
