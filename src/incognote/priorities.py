"""Priorities: roles of single rules beside a model, learned by a study, kept as JSON."""

import json
from collections.abc import Mapping
from pathlib import Path

from incognote.errors import ConfigError
from incognote.merge import Role

Priorities = Mapping[str, Role | None]
"""The role of each rule by its name; None leaves its spans out."""

_OUT = "OUT"


def save_priorities(priorities: Priorities, path: str | Path) -> None:
    """Write priorities as JSON."""
    Path(path).write_text(json.dumps({"priorities": name_roles(priorities)}, indent=2) + "\n", encoding="utf-8")


def load_priorities(path: str | Path) -> Priorities:
    """Read what :func:`save_priorities` wrote, or a file written by hand; all its faults are listed."""
    try:
        value = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(str(path), [f"not a readable JSON file ({type(error).__name__})"]) from None
    rows = value.get("priorities") if isinstance(value, dict) else None
    if not isinstance(rows, dict) or set(value) != {"priorities"}:
        raise ConfigError(str(path), ["it must hold an object with one key, priorities, that maps rules to roles"])
    return read_roles(rows, subject=str(path))


def name_roles(priorities: Priorities) -> dict[str, str]:
    """The roles by name, ready for JSON."""
    return {rule: _OUT if role is None else role.name for rule, role in sorted(priorities.items())}


def read_roles(rows: Mapping[str, object], *, subject: str) -> Priorities:
    """The roles that :func:`name_roles` named."""
    names = {_OUT: None, **Role.__members__}
    if faults := [f"{rule}: its role is one of {', '.join(names)}" for rule, name in rows.items() if name not in names]:
        raise ConfigError(subject, faults)
    return {rule: names[str(name)] for rule, name in rows.items()}
