"""Finding PHI by rules: pattern tables, gazetteers with context, memory within a patient's notes, and known patients."""

from incognote.rules.pattern import Pattern, find_patterns
from incognote.rules.tagger import RuleTagger

__all__ = ["Pattern", "RuleTagger", "find_patterns"]
