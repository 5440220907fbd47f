"""Expressions compiled at their first use."""

import re
import subprocess
import sys

import pytest

from incognote.lexicon.lazy import lazy


def test_a_pattern_does_what_a_compiled_one_does() -> None:
    text, ours, theirs = "Ann 7/22, ann 8/1", lazy(r"(?P<who>ann) (\d)", re.IGNORECASE), re.compile(r"(?P<who>ann) (\d)", re.IGNORECASE)
    assert [match.span("who") for match in ours.finditer(text)] == [match.span("who") for match in theirs.finditer(text)]
    assert (ours.groupindex, ours.groups, ours.pattern, ours.flags) == (theirs.groupindex, theirs.groups, theirs.pattern, theirs.flags)
    assert ours.sub("x", text) == theirs.sub("x", text)
    assert ours.match(text, 4) is None
    assert ours.fullmatch(text) is None


def test_a_fault_shows_at_first_use() -> None:
    broken = lazy("(")
    with pytest.raises(re.error):
        broken.search("")


def test_the_rules_are_imported_without_compiling_their_patterns() -> None:
    code = """
import re
made, compile = [], re._compiler.compile
re._compiler.compile = lambda pattern, flags=0: made.append(pattern) or compile(pattern, flags)
import incognote.find.rules
print(len(made))
"""
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert int(told) < 150  # those of other packages; the rules have six hundred


def test_every_pattern_of_the_rules_compiles() -> None:
    code = """
import gc, importlib, pkgutil
import incognote.find.rules
from incognote.lexicon.lazy import _Lazy
for module in pkgutil.walk_packages(incognote.find.rules.__path__, "incognote.find.rules."):
    importlib.import_module(module.name)
found = [one for one in gc.get_objects() if isinstance(one, _Lazy)]
print(len(found), sum(one.groups >= 0 for one in found))
"""
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert told[0] == told[1]
    assert int(told[0]) > 500
