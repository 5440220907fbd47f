"""Replacing PHI: masks, numbered tags or realistic surrogates, as a policy says."""

from incognote.replace.replacer import Edit, Replacer, rewrite

__all__ = ["Edit", "Replacer", "rewrite"]
