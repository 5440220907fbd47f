"""Training tests run on one thread, with one tiny encoder and one small set of notes for all."""

from pathlib import Path

import pytest
import torch

from incognote.lab.training.data import Splits
from incognote.lab.training.recipe import Recipe
from tests.fakes import template_notes, tiny_encoder


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_encoder(tmp_path_factory.mktemp("encoders") / "tiny", "bert")


@pytest.fixture(scope="session")
def splits() -> Splits:
    notes = template_notes(60)
    return Splits(tuple(notes[:36]), tuple(notes[36:48]), tuple(notes[48:]))


@pytest.fixture
def recipe(encoder: Path) -> Recipe:
    return Recipe(model=str(encoder), batch=4, epochs=3, learning_rate=3e-3, window=64, overlap=16)
