"""What every rule family shares: one reading of a note, pattern tables and word tokens."""
