"""What is known of a patient, found again in all of that patient's notes."""

from incognote.memory.known_mentions import find_known_mentions
from incognote.memory.patients import Roster
from incognote.memory.stores import FactStore, MemoryFactStore, SqliteFactStore

__all__ = ["FactStore", "MemoryFactStore", "Roster", "SqliteFactStore", "find_known_mentions"]
