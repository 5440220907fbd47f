"""The corpus of a study as the report shows it: notes and tokens of each PHI type in each part, and its fingerprint."""

from typing import Any

from incognote.evaluate.census import census_dict, take_census
from incognote.lab.training.data import SPLITS, Splits


def describe_corpus(splits: Splits) -> dict[str, Any]:
    """Counts for the paper's Table 3; ids, texts and patients stay out."""
    counted = {part: take_census(splits.of(part)) for part in SPLITS if splits.of(part)}
    return {"digest": splits.digest, "notes": sum(c.notes for c in counted.values()), "parts": census_dict(counted)}
