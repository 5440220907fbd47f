"""What a policy does with each label, in words: the table that ``incognote policy show`` prints."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from incognote.document import scheme
from incognote.replace.marks import FIXED
from incognote.replace.modes import MODES
from incognote.replace.policy import ACTIONS, Policy

_SAME_IN_ALL = {
    "keep": "kept",
    "redact": FIXED,
    "shift": "shifted",
    "year": "2061",
    "zip3": "021**",
    "cap-age": "67, 90+",
    "state": "MA",
}


@dataclass(frozen=True, slots=True)
class PolicyDescription:
    """A policy, and for each label its action and what it becomes in each mode."""

    policy: Policy
    labels: Mapping[str, Mapping[str, str]]

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "name": self.policy.name,
            "title": self.policy.title,
            "scheme": self.policy.scheme,
            "clinicians": self.policy.clinicians,
            "dates": asdict(self.policy.dates),
            "labels": {label: dict(row) for label, row in self.labels.items()},
        }

    def as_table(self) -> str:
        """For people."""
        rows = [["label", "action", *MODES], *([label, *row.values()] for label, row in self.labels.items())]
        widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
        lines = ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        dates = self.policy.dates
        notes = [f"{action}: {ACTIONS[action][0]}" for action in dict.fromkeys(row["action"] for row in self.labels.values())]
        kept = [word for word, on in (("the weekday", dates.keep_weekday), ("the season", dates.keep_season)) if on]
        if self._moves_dates():
            notes.append(f"date shift: up to {dates.furthest} days" + (f", keeping {' and '.join(kept)}" if kept else ""))
        return "\n".join([f"{self.policy.name}: {self.policy.title}", "", *lines, "", *notes])

    def _moves_dates(self) -> bool:
        """Whether dates are moved in any mode; a policy that keeps, cuts or masks them moves none."""
        meanings = scheme(self.policy.scheme).maps.get("i2b2-2014", {})
        return any(row["action"] in ("shift", "replace") for label, row in self.labels.items() if meanings.get(label, label) == "DATE")


def describe_policy(policy: Policy) -> PolicyDescription:
    """What becomes of each label of the policy's scheme.

    >>> from incognote.replace.policy import load_policy
    >>> describe_policy(load_policy("safe-harbor")).labels["ZIP"]["surrogate"]
    '021**'
    """
    return PolicyDescription(policy, {label: _describe_label(policy, label) for label in scheme(policy.scheme).labels})


def _describe_label(policy: Policy, label: str) -> dict[str, str]:
    action = policy.action(label)
    placeholder = f"[{label}-1]"
    by_mode = {
        "redact": FIXED,
        "placeholder": placeholder,
        "surrogate": f"a mask, {FIXED}" if label == "OTHER" else _surrogate_words(label),
    }
    texts = by_mode if action == "replace" else dict.fromkeys(MODES, placeholder if action == "placeholder" else _SAME_IN_ALL[action])
    return {"action": action, **texts}


def _surrogate_words(label: str) -> str:
    return {"DATE": "shifted", "AGE": "moved 1-3 years, 90+"}.get(label, "surrogate")
