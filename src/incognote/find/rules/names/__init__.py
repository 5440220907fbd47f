"""Names of persons: by title, field, signature, relation, speech, and by the lists where nothing else speaks."""

from incognote.find.rules.names.finder import find_names

__all__ = ["find_names"]
