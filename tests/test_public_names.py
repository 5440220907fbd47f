"""The names that each public folder offers: importable, sorted, documented."""

import inspect
from importlib import import_module

import pytest

FOLDERS = ("", ".batch", ".corpora", ".document", ".evaluate", ".filters", ".find", ".memory", ".replace")
NAMES = [(f"incognote{folder}", name) for folder in FOLDERS for name in import_module(f"incognote{folder}").__all__]


@pytest.mark.parametrize(("folder", "name"), NAMES)
def test_a_public_name_can_be_imported_and_says_what_it_is(folder: str, name: str) -> None:
    offered = getattr(import_module(folder), name)
    if inspect.isclass(offered) or inspect.isroutine(offered):
        # A dataclass without a docstring is given its own signature.
        assert offered.__doc__
        assert not offered.__doc__.startswith(f"{name}(")


@pytest.mark.parametrize("folder", FOLDERS)
def test_public_names_stand_once(folder: str) -> None:
    names = import_module(f"incognote{folder}").__all__
    assert len(set(names)) == len(names) > 0
