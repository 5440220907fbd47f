import ast
import pickle
import re
from pathlib import Path

import pytest

from incognote.cli.output import name_option
from incognote.errors import ConfigError, CorpusError, IncognoteError, MissingExtraError, OutputError

SOURCES = Path(__file__).parents[1] / "src" / "incognote"
OPTION = re.compile(r"(?<![\w(-])--[a-z][a-z-]+\b(?!:)")
SHOWS_OPTIONS = {
    "errors.py",  # a doctest of how an option is named
    "find/model/card.py",  # a page with commands to type
    "find/model/checkpoint.py",  # an option of another program, hf
    "lab/default_model/__main__.py",  # a command of its own
    "lab/training/adaptation_report.py",  # a page with commands to type
}


@pytest.mark.parametrize(
    "error",
    [
        OutputError("is not empty", where="out", fix="set {overwrite}"),
        CorpusError("no note", path="a.jsonl", document="7", place="line 3", fix="set {note_column}"),
        ConfigError("policy", ["one", "two"], fix="see the page"),
        MissingExtraError("pyarrow", "parquet"),
    ],
)
def test_an_error_comes_back_whole_from_a_worker(error: IncognoteError) -> None:
    back = pickle.loads(pickle.dumps(error))
    assert (type(back), str(back), back.fix, back.where) == (type(error), str(error), error.fix, error.where)


def test_the_command_line_words_a_setting_as_its_option() -> None:
    error = CorpusError("no note", path="a.jsonl", place="line 3", fix="name its column with {note_column}")
    assert error.render(name_option) == "a.jsonl, line 3: no note; name its column with --note-column"
    assert str(error) == "a.jsonl, line 3: no note; name its column with note_column"


def test_one_fault_is_one_line_and_several_are_a_list() -> None:
    assert str(ConfigError("recipe", ["rate: missing"])) == "recipe: rate: missing"
    assert str(ConfigError("recipe", ["a", "b"])) == "recipe: 2 faults\n  - a\n  - b"


def test_control_characters_of_a_name_are_escaped() -> None:
    assert str(OutputError("exists", where="a\x1b]0;b\n.txt")) == "a\\x1b]0;b\\n.txt: exists"


def test_no_module_below_the_command_line_names_an_option() -> None:
    named = {path.relative_to(SOURCES).as_posix() for path in SOURCES.rglob("*.py") if _names_option(path)}
    assert {name for name in named if not name.startswith("cli/")} == SHOWS_OPTIONS


def _names_option(path: Path) -> bool:
    """Whether a string of the module, docstrings too, names a command-line option; a CSS variable is none."""
    strings = (
        node.value for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    return any(OPTION.search(each) for each in strings)


def test_doubled_braces_in_a_fault_are_braces() -> None:
    error = ConfigError("marks", ["write it as [{{label}}], or set {mask}"])
    assert error.render(lambda setting: f"--{setting}") == "marks: write it as [{label}], or set --mask"
