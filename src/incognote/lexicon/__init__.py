"""Word lists and their loader: names, places, eponyms, drugs, professions, and the restricted three-digit ZIP areas.

Where each list comes from, and under which licence, is in ``SOURCES.md`` beside the lists.
"""

from incognote.lexicon.words import frequent_words, list_names, word_groups, word_list, word_order, word_rows, word_starts

__all__ = ["frequent_words", "list_names", "word_groups", "word_list", "word_order", "word_rows", "word_starts"]
