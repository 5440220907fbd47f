"""The page of the Python API: every public name is on it, under its folder, and every example runs."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

from tests.test_public_names import FOLDERS

PAGE = (Path(__file__).parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (incognote[\w.]*)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def test_each_public_folder_has_a_section_with_an_example() -> None:
    assert set(SECTIONS) == {f"incognote{folder}" for folder in FOLDERS}
    assert all("```pycon\n>>> " in section for section in SECTIONS.values())


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_section_names_every_public_name_of_its_folder_and_none_that_is_not(folder: str) -> None:
    public = {each: set(import_module(f"incognote{each}").__all__) for each in FOLDERS}
    section = SECTIONS[f"incognote{folder}"]
    shown = set(re.findall(r"`(\w+)`", section))
    assert public[folder] - shown - (public[""] if folder else set()) == set()
    assert {name for name in shown if re.match(r"[A-Z]\w+[a-z]", name)} <= set().union(*public.values())


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    example = doctest.DocTestParser().get_doctest(PAGE, {}, "docs/api.md", "docs/api.md", 0)
    assert doctest.DocTestRunner().run(example).failed == 0
