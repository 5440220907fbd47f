"""A user's own rules, read from TOML: what to find, where it counts, and how it is checked.

[[rules]]
name = "ward"
label = "DEPARTMENT"
words = ["Kestrel", "Blake 7"]          # whatever their case; or
expression = 'HX-(?P<phi>\\d{6})'       # the group phi is the span where there is one, else the whole match
context = ["ward", "unit"]              # one of them must stand beside it, on the same line
check = "luhn"                          # or dea, ssn, vin
"""

import hashlib
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]  # the public name of the parser of expressions is deprecated
from typing import Any

from incognote.document import scheme
from incognote.errors import ConfigError
from incognote.find.rules.engine.pattern import Pattern, PatternTable, find_patterns
from incognote.find.rules.finder import Rules
from incognote.lexicon.check_digits import is_dea, is_luhn, is_ssn, is_vin
from incognote.lexicon.context import left_of, right_of

_LABELS = scheme("i2b2-2014").labels
_CHECKS = {"dea": is_dea, "luhn": is_luhn, "ssn": is_ssn, "vin": is_vin}
_KINDS = {"name": str, "label": str, "expression": str, "check": str, "words": list, "context": list, "score": float}
_SCORE = 0.9


def read_rules(path: str | Path) -> Rules:
    """The rules of a TOML file as a Find for one more row of a pipeline; an error lists all faults of the file."""
    file = Path(path)
    try:
        content = file.read_bytes()
        rows = tomllib.loads(content.decode("utf-8")).get("rules", [])
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(str(file), [f"cannot be read: {error.strerror if isinstance(error, OSError) else error}"]) from None
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise ConfigError(str(file), ["holds no rule"], fix="write each as a table [[rules]]")
    faults = [f"rule {number}: {fault}" for number, row in enumerate(rows, 1) for fault in _find_faults(row)]
    if faults:
        raise ConfigError(str(file), faults)
    table = PatternTable(*(_make_pattern(number, row) for number, row in enumerate(rows, 1)))
    return Rules(f"{file.name} {hashlib.sha256(content).hexdigest()[:8]}", whole=(partial(find_patterns, table),))


def _find_faults(row: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"{key}: not a setting; they are {', '.join(_KINDS)}" for key in row if key not in _KINDS)
    wrong = [key for key, kind in _KINDS.items() if key in row and not isinstance(row[key], kind)]
    wrong += [key for key in ("words", "context") if key not in wrong and not all(isinstance(word, str) for word in row.get(key, ()))]
    if wrong:
        yield from (f"{key}: of the wrong type" for key in wrong)
        return
    if row.get("label") not in _LABELS:
        yield f"label: {row.get('label', 'missing')}; the labels are {', '.join(_LABELS)}"
    if row.get("check", "luhn") not in _CHECKS:
        yield f"check: {row['check']}; the checks are {', '.join(_CHECKS)}"
    if ("words" in row) == ("expression" in row):
        yield "needs either words or an expression"
    for key in ("words", "context"):
        if key in row and not any(word.strip() for word in row[key]):
            yield f"{key}: empty, so the rule can never fire"
    if "expression" in row:
        yield from _find_expression_faults(row["expression"])


def _find_expression_faults(expression: str) -> Iterator[str]:
    try:
        re.compile(expression)
    except re.error as error:
        yield f"expression: {error}"
        return
    if _parser.parse(expression).getwidth()[1] == 0:
        yield "expression: matches no character, so the rule can never fire"


def _make_pattern(number: int, row: Mapping[str, Any]) -> Pattern:
    name = f"own.{row.get('name', number)}"
    regex = re.compile(row["expression"]) if "expression" in row else _compile_words(row["words"])
    context = _compile_words(row["context"]) if "context" in row else None
    return Pattern(name, row["label"], regex, row.get("score", _SCORE), partial(_passes, context=context, check=row.get("check", "")))


def _compile_words(words: list[str]) -> re.Pattern[str]:
    listed = (word.split() for word in sorted(words, key=len, reverse=True) if word.strip())
    written = "|".join(r"\s+".join(map(re.escape, parts)) for parts in listed)
    return re.compile(rf"(?<!\w)(?:{written})(?!\w)", re.IGNORECASE)


def _passes(match: re.Match[str], *, context: re.Pattern[str] | None, check: str) -> bool:
    value = re.sub(r"[^A-Za-z0-9]", "", match["phi"] if "phi" in match.re.groupindex else match[0])
    if check and not _CHECKS[check](value):
        return False
    beside = (left_of(match.string, match.start()), right_of(match.string, match.end()))
    return context is None or any(context.search(side) for side in beside)
