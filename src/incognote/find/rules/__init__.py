"""Rules: pattern tables, and word lists read with their context."""
