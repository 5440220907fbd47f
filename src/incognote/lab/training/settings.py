"""What a setting in a TOML file may be, and the faults of a whole table at once; standard library only, so it runs anywhere torch does."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, field, fields
from difflib import get_close_matches
from math import inf
from sys import float_info
from typing import Any


class Rule:
    """A test for one setting and the words that say what it wants."""

    __slots__ = ("accepts", "wants")

    def __init__(self, wants: str, accepts: Callable[[Any], bool]) -> None:
        self.wants, self.accepts = wants, accepts


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= float_info.max


def number(low: float, high: float = inf) -> Rule:
    """A number between two bounds, both allowed.

    >>> number(0, 1).wants, number(0, 1).accepts(1.5), number(0).wants, number(0).accepts(inf)
    ('a number from 0 to 1', False, 'a number from 0 up', False)
    """
    wants = f"a number from {low:g} up" if high == inf else f"a number from {low:g} to {high:g}"
    return Rule(wants, lambda value: _is_number(value) and low <= value <= high)


def whole(low: int, high: float = inf) -> Rule:
    """A whole number between two bounds, both allowed."""
    wants = f"a whole number from {low} {'up' if high == inf else f'to {high}'}"
    return Rule(wants, lambda value: isinstance(value, int) and not isinstance(value, bool) and low <= value <= high)


def choice(*words: str) -> Rule:
    """One of the words."""
    return Rule("one of " + ", ".join(words), lambda value: isinstance(value, str) and value in words)


def either(one: Rule, other: Rule) -> Rule:
    """What either rule accepts."""
    return Rule(f"{one.wants}, or {other.wants}", lambda value: one.accepts(value) or other.accepts(value))


TEXT = Rule("a non-empty text", lambda value: isinstance(value, str) and bool(value.strip()))
ANY_TEXT = Rule("a text", lambda value: isinstance(value, str))
SEED = whole(0, 2**63 - 1)
"""What PyTorch takes."""
FLAG = Rule("true or false", lambda value: isinstance(value, bool))
RATES = Rule(
    "a table of numbers above 0",
    lambda value: isinstance(value, Mapping) and all(_is_number(rate) and rate > 0 for rate in value.values()),
)
RATIO = Rule(
    "three whole numbers above 0, such as 50:10:40",
    lambda value: isinstance(value, str) and len(parts := value.split(":")) == 3 and all(p.isdecimal() and int(p) > 0 for p in parts),
)
LABEL_MAP = Rule("a table of texts", lambda value: isinstance(value, Mapping) and all(isinstance(label, str) for label in value.values()))


def setting(rule: Rule, default: Any = MISSING) -> Any:
    """A dataclass field that carries its rule."""
    return field(default=default, metadata={"rule": rule})


def nearest(word: str, words: Iterable[str]) -> str:
    """A hint that names the word most like this one, or all of them.

    >>> nearest("epoch", ["epochs", "batch"])
    'nearest: epochs'
    """
    known = list(words)
    near = get_close_matches(word, known, n=1, cutoff=0.6)
    return f"nearest: {near[0]}" if near else f"there are: {', '.join(sorted(known))}"


def find_faults(kind: type, table: Mapping[str, object], *, place: str = "") -> list[str]:
    """Every unknown key, missing key and bad value of a table that is to become the dataclass ``kind``."""
    known: dict[str, Field[Any]] = {f.name: f for f in fields(kind)}
    faults = [f"{place}{key}: not a setting; {nearest(key, known)}" for key in table if key not in known]
    for name, one in known.items():
        rule = one.metadata.get("rule")
        if name not in table:
            if one.default is MISSING and one.default_factory is MISSING:
                faults.append(f"{place}{name}: missing" + (f"; wants {rule.wants}" if rule else ""))
        elif rule and not rule.accepts(table[name]):
            faults.append(f"{place}{name} = {table[name]!r}: wants {rule.wants}")
    return faults


def format_toml(table: Mapping[str, object]) -> str:
    """The table as TOML: plain values first, then the tables and lists of tables.

    >>> print(format_toml({"model": "a", "batch": 8, "split": {"seed": 5}, "data": [{"path": "x"}]}))
    model = "a"
    batch = 8
    <BLANKLINE>
    [split]
    seed = 5
    <BLANKLINE>
    [[data]]
    path = "x"
    """
    plain = [f"{_key(key)} = {_value(value)}" for key, value in table.items() if not _nests(value)]
    for key, value in table.items():
        if isinstance(value, Mapping) and value:
            plain += ["", f"[{_key(key)}]", *(f"{_key(k)} = {_value(v)}" for k, v in value.items())]
        elif isinstance(value, list | tuple) and _nests(value):
            for row in value:
                plain += ["", f"[[{_key(key)}]]", *(f"{_key(k)} = {_value(v)}" for k, v in row.items())]
    return "\n".join(plain)


def _nests(value: object) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list | tuple) and any(isinstance(row, Mapping) for row in value))


def _key(key: str) -> str:
    return key if key.replace("_", "").replace("-", "").isalnum() and key.isascii() else _value(key)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)  # the escapes of TOML are those of JSON
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }"
    return repr(value)
