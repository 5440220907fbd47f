"""Filters judge candidate spans: kept, changed or dropped, by which filter, for which reason."""
