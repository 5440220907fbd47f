"""Memory: finds the values that are known of a patient in all notes of that patient."""

from incognote.memory.known_mentions import find_known_mentions
from incognote.memory.patients import Roster
from incognote.memory.stores import FactStore, MemoryFactStore, SqliteFactStore

__all__ = ["FactStore", "MemoryFactStore", "Roster", "SqliteFactStore", "find_known_mentions"]
