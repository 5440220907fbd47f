"""Tasks hold their tokenizer in memory: a training that fails or is killed can leave no file of it behind."""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from incognote.find.model.tokens import load_tokenizer
from incognote.lab.training.data import Splits
from incognote.lab.training.recipe import Recipe
from incognote.lab.training.tasks.classes import prepare_classes
from incognote.lab.training.tasks.extractive_qa import prepare_extractive_qa
from incognote.lab.training.tasks.masked_language_model import prepare_masked_language_model
from incognote.lab.training.tasks.tagging import prepare_tagging
from incognote.lab.training.texts import Example, Examples

_EXAMPLES = tuple(Example(f"e{at}", "seen in Boston", label="ab"[at % 2], question="where", answer="Boston") for at in range(4))
_TABLE = Examples(_EXAMPLES, _EXAMPLES)


@pytest.mark.parametrize("prepare", [prepare_tagging, prepare_masked_language_model, prepare_classes, prepare_extractive_qa])
def test_a_task_keeps_no_temporary_files_and_saves_the_tokenizer_it_learned_with(
    prepare: Callable[..., Any], recipe: Recipe, splits: Splits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    tables = prepare in (prepare_classes, prepare_extractive_qa)
    task = prepare(replace(recipe, newline_token=True), _TABLE if tables else splits)
    assert not list(scratch.iterdir())
    task.save(task.model, tmp_path / "saved", card={})
    tokens = [load_tokenizer(Path(folder)).tokenize(["Ann\nLee"])[0] for folder in (recipe.model, tmp_path / "saved")]
    assert [len(each) for each in tokens] == [len(tokens[1]) - 1, len(tokens[1])]
