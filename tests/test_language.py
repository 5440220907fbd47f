"""The words of the pages, the help and the messages: a complete glossary, and none of the words that the field does not use."""

import ast
import re
from pathlib import Path

import pytest
import typer

from docs.make_cli import walk
from incognote.cli.main import app

ROOT = Path(__file__).parents[1]
GLOSSARY = ROOT / "docs" / "glossary.md"
NOUNS = (
    "Span, Document, Record, LabelScheme, Finder, Filter, Decision, Facts, FactStore, Merge, Replacer, Policy, Deidentifier, Executor, "
    "Counts, Leak, Recipe, Run, Study, Checkpoint, Cascade, Token pruning, Prefilter, Confidence margin, Recall bias, Rescorer, "
    "Clinical-term filter, Pattern rule, Context rule, Normalization, Boundaries, Person context, Priorities, Entity resolution, "
    "Extra column, Known patients, W8A16, Safe Harbor, Surrogate, Placeholder, Quarantine, PHI, Role, Pipeline, Thresholds"
).split(", ")
# Words that stood for something before, each where it cannot be innocent, and phrases that say what a plain word says shorter.
DIALECT = re.compile(
    r"\b(glances?|sieves?|sift(s|ed)?|vouch(es|ed)?|calm|anew|nobody'?s?|tell no|told (of|by)|desks|judging|second reader|plain reading|"
    r"lean(s|ing)? towards|fine runtimes?|onnx-fine|openvino(-fine)?|never were|way back|is none\b|are none\b|exams?|teaching|"
    r"by heart|dealt|gates?|trunks?)\b",
    re.IGNORECASE,
)
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
COMMANDS = sorted((ROOT / "src" / "incognote" / "cli").glob("*.py"))


def entries() -> dict[str, str]:
    return dict(re.findall(r"^- \*\*(.+?)\*\*: (.+)$", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE))


def test_the_glossary_has_every_noun_of_the_design() -> None:
    assert set(NOUNS) - set(entries()) == set()


def test_the_glossary_is_alphabetical_and_brief() -> None:
    found = entries()
    assert list(found) == sorted(found, key=str.casefold)
    assert {name: text for name, text in found.items() if len(re.findall(r"[.!?](?: |$)", text)) > 3 or not text.endswith(".")} == {}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_use_the_words_of_the_field(page: Path) -> None:
    prose = re.sub(r"`[^`\n]*`", "", page.read_text(encoding="utf-8"))
    assert [found[0] for found in DIALECT.finditer(prose)] == []


@pytest.mark.parametrize("file", COMMANDS, ids=lambda file: file.name)
def test_messages_and_help_use_the_words_of_the_field(file: Path) -> None:
    texts = [node.value for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.Constant)]
    assert [found[0] for text in texts if isinstance(text, str) and " " in text for found in DIALECT.finditer(text)] == []


def test_no_summary_of_a_command_is_cut_in_the_overview() -> None:
    root = typer.main.get_command(app)
    assert {path: line for path, command in walk(root, "incognote")[1:] if len(line := command.get_short_help_str(200)) > 64} == {}
