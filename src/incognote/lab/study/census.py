"""The corpus of a study as the report shows it: notes and tokens of each PHI type in each part, and its fingerprint."""

from typing import Any

from incognote.evaluate.census import census_dict, take_census
from incognote.lab.training.data import PARTS, Parts


def describe_corpus(parts: Parts) -> dict[str, Any]:
    """Counts for the paper's Table 3; ids, texts and patients stay out."""
    counted = {part: take_census(parts.of(part)) for part in PARTS if parts.of(part)}
    return {"digest": parts.digest, "notes": sum(c.notes for c in counted.values()), "parts": census_dict(counted)}
