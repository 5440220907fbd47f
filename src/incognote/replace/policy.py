"""A Policy says what becomes of each label; the shipped ones are TOML files, and a user's own is one too."""

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any

from incognote.document import scheme, scheme_names
from incognote.errors import ConfigError
from incognote.replace.dates import DateOptions

# What each action does, and the labels it is for (all, where none is named).
ACTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "keep": ("left as it is", ()),
    "replace": ("replaced as the mode says", ()),
    "redact": ("masked in every mode", ()),
    "placeholder": ("a numbered placeholder in every mode", ()),
    "shift": ("moved by the patient's shift in every mode", ("DATE",)),
    "year": ("only the year is left, and not where it shows an age over 89", ("DATE",)),
    "zip3": ("the first three digits are left, 000 for areas of few people", ("ZIP",)),
    "cap-age": ("kept up to 89, 90+ above", ("AGE",)),
    "state": ("states are kept, what is smaller is not", ("STATE",)),
}
# Older names of actions and modes.
ALIASES = {"tag": "placeholder"}
CLINICIANS = ("remove", "keep")
_FIELDS = {"title": str, "scheme": str, "extends": str, "default": str, "clinicians": str, "actions": dict, "dates": dict}
_DATE_FIELDS = {"most_days": int, "keep_weekday": bool, "keep_season": bool}


@dataclass(frozen=True, slots=True)
class Policy:
    """The action for each label; a label of the scheme without an entry in ``actions`` gets ``default``."""

    name: str
    title: str = ""
    scheme: str = "i2b2-2014"
    default: str = "replace"
    clinicians: str = "remove"
    actions: Mapping[str, str] = field(default_factory=dict, hash=False)
    dates: DateOptions = field(default_factory=DateOptions)

    def action(self, label: str) -> str:
        """The action for a label. Rules find labels of i2b2-2014, whatever the policy's scheme; such a label gets the action of the
        labels of the scheme that map to it, or ``replace`` where none does or their actions differ.

        >>> load_policy("safe-harbor").action("ZIP"), load_policy("i2b2").action("ZIP")
        ('zip3', 'replace')
        """
        if label == "DOCTOR" and self.clinicians == "keep":
            return "keep"
        own = scheme(self.scheme)
        if label in own.categories:
            return self.actions.get(label, self.default)
        alike = {self.actions.get(name, self.default) for name, meaning in own.maps.get("i2b2-2014", {}).items() if meaning == label}
        return alike.pop() if len(alike) == 1 else "replace"


def policy_names() -> tuple[str, ...]:
    """The shipped policies."""
    folder = files("incognote.replace") / "policies"
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")))


def load_policy(name_or_path: str | Path, *, clinicians: str | None = None) -> Policy:
    """A shipped policy by name, or one in a file; ``clinicians`` (remove, keep) overrides its setting."""
    policy = _load(str(name_or_path), ())
    if clinicians is None:
        return policy
    if clinicians not in CLINICIANS:
        raise ConfigError(f"policy {policy.name}", [f"clinicians is {clinicians!r}; it must be one of: {', '.join(CLINICIANS)}"])
    return replace(policy, clinicians=clinicians)


def _load(name_or_path: str, above: tuple[str, ...]) -> Policy:
    if name_or_path in above:
        raise ConfigError(f"policy {above[0]}", [f"extends goes round in a circle: {' -> '.join([*above, name_or_path])}"])
    if name_or_path in policy_names():
        name, text = name_or_path, (files("incognote.replace") / "policies" / f"{name_or_path}.toml").read_text(encoding="utf-8")
    else:
        name, text = Path(name_or_path).stem, _read_file(name_or_path)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"policy {name_or_path}", [f"is not TOML: {error}"]) from error
    if faults := find_faults(table):
        raise ConfigError(f"policy {name_or_path}", faults)
    parent = table.get("extends")
    if parent and parent not in policy_names() and not Path(parent).is_absolute():
        parent = str(Path(name_or_path).parent / parent)
    base = _load(parent, (*above, name_or_path)) if parent else Policy(name)
    # The title describes the whole policy, so a policy that changes it must not inherit the title.
    plain = {"title": f"as {base.name}, but changed" if parent else ""}
    plain |= {field: table[field] for field in ("title", "scheme", "default", "clinicians") if field in table}
    if plain.get("default") in ALIASES:
        plain["default"] = ALIASES[plain["default"]]
    actions = {label: ALIASES.get(action, action) for label, action in table.get("actions", {}).items()}
    dates = replace(base.dates, **table.get("dates", {}))
    return replace(base, name=name, actions={**base.actions, **actions}, dates=dates, **plain)


def _read_file(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")  # Windows' editors put a byte order mark before it
    except FileNotFoundError:
        raise ConfigError(f"policy {path}", [f"no such policy or file; {_suggest(path, policy_names(), 'shipped')}"]) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"policy {path}", [f"cannot be read: {getattr(error, 'strerror', None) or 'not UTF-8'}"]) from error


def _suggest(word: str, known: Collection[str], there: str = "there") -> str:
    near = get_close_matches(word, known, n=1)
    return f"did you mean {near[0]}?" if near else f"{there} are: {', '.join(known)}"


def find_faults(table: Mapping[str, Any]) -> list[str]:
    """Everything wrong with the table of a policy file."""
    faults = _field_faults(table, _FIELDS, "")
    table = _sound(table, _FIELDS)
    faults += _field_faults(table.get("dates", {}), _DATE_FIELDS, "dates.")
    dates = _sound(table.get("dates", {}), _DATE_FIELDS)
    if not 1 <= (most := dates.get("most_days", 365)) <= 36500:
        faults.append(f"dates.most_days is {most}; it must be from 1 to 36500")
    elif dates.get("keep_weekday") and most < 7:
        faults.append(f"dates.most_days is {most}; to keep weekdays it must be 7 or more")
    if table.get("clinicians", "remove") not in CLINICIANS:
        faults.append(f"clinicians is {table['clinicians']!r}; it must be one of: {', '.join(CLINICIANS)}")
    known = table.get("scheme", "i2b2-2014")
    if known not in scheme_names():
        return [*faults, f"scheme {known!r} is not known; there are: {', '.join(scheme_names())}"]
    labels = scheme(known).labels
    meanings = scheme(known).maps.get("i2b2-2014", {})
    chosen = {
        "default": table.get("default", "replace"),
        **{f"actions.{label}": action for label, action in table.get("actions", {}).items()},
    }
    for place, action in chosen.items():
        faults += _action_faults(place, action, labels, meanings)
    return faults


def _field_faults(table: Mapping[str, Any], fields: Mapping[str, type], prefix: str) -> list[str]:
    faults = []
    for name, value in table.items():
        if name not in fields:
            faults.append(f"{prefix}{name} is not a setting; {_suggest(name, fields)}")
        elif type(value) is not fields[name]:
            faults.append(f"{prefix}{name} must be a {fields[name].__name__}, not {type(value).__name__}")
    return faults


def _sound(table: Mapping[str, Any], fields: Mapping[str, type]) -> dict[str, Any]:
    """The settings that are known and of the right type: the checks of these run even if others are faulty."""
    return {name: value for name, value in table.items() if type(value) is fields.get(name)}


def _action_faults(place: str, action: Any, labels: tuple[str, ...], meanings: Mapping[str, str]) -> list[str]:
    faults = []
    label = place.removeprefix("actions.") if place != "default" else ""
    if label and label not in labels:
        faults.append(f"{place}: no such label; {_suggest(label, labels)}")
    name = ALIASES.get(str(action), str(action))
    if name not in ACTIONS:
        faults.append(f"{place} is {action!r}; it must be one of: {', '.join(ACTIONS)}")
    elif (only := ACTIONS[name][1]) and (not label or (label in labels and meanings.get(label, label) not in only)):
        faults.append(f"{place} is {action!r}, which is for {', '.join(only)} only")
    return faults
