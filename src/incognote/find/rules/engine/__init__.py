"""What all rule families share: the Reading of a note, pattern tables and word tokens."""
