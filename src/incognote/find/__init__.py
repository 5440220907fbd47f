"""Finding candidate spans: the Finder protocol, rules and encoders."""

from incognote.find.finder import Batch, Finder, Tagger, TextFinder

__all__ = ["Batch", "Finder", "Tagger", "TextFinder"]
