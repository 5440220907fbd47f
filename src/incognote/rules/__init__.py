"""Finding PHI by rules: pattern tables, gazetteers with context, memory within a patient's notes, and known patients."""

from incognote.rules.memory import recall
from incognote.rules.patients import Roster
from incognote.rules.pattern import Pattern, PatternTable, find_patterns
from incognote.rules.tagger import RuleTagger

__all__ = ["Pattern", "PatternTable", "Roster", "RuleTagger", "find_patterns", "recall"]
