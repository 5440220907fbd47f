"""What the rules' own names mean: which are exact, and which names stand after a cue."""

from functools import cache

# Kept where a model sees nothing: contacts and identifiers of any form, a date with its month.
_EXACT_FAMILIES = ("contacts", "identifiers")
_EXACT_DATES = ("day-month", "month", "iso", "spelled", "birth")
# The context proves that it is a name: "Patient: Foley" is no catheter.
_CUED = frozenset({"field", "signature", "relation", "row", "kin"})


@cache
def is_exact(source: str) -> bool:
    """Whether a rule finds an exact form.

    >>> is_exact("rules.contacts.url"), is_exact("rules.dates.slash")
    (True, False)
    """
    _, family, rule = source.split(".", 2)
    return family in _EXACT_FAMILIES or (family == "dates" and rule.startswith(_EXACT_DATES))


@cache
def is_identifier(source: str) -> bool:
    """Whether a rule finds numbers that identify."""
    return source.split(".", 2)[1] == "identifiers"


@cache
def is_cued(source: str) -> bool:
    """Whether a rule finds names after a cue.

    >>> is_cued("rules.name.kin"), is_cued("rules.name.list")
    (True, False)
    """
    _, family, rule = source.split(".", 2)
    return family == "name" and rule.partition(".")[0] in _CUED


@cache
def is_time(source: str) -> bool:
    """Whether a rule finds dates or ages.

    >>> is_time("rules.dates.slash"), is_time("rules.name.list")
    (True, False)
    """
    return source.split(".", 2)[1] in ("dates", "ages")


def is_titled(source: str) -> bool:
    """Whether a rule finds names after a title or before a degree."""
    return source == "rules.name.title"
