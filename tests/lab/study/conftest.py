"""One miniature of the paper's study, run once for all tests: six tiny encoders, template notes, CPU."""

import tomllib
from pathlib import Path

import pytest
import torch

from incognote.corpora import write_corpus
from incognote.lab.study.folder import StudyFolder
from incognote.lab.study.pool import run_study
from incognote.lab.study.study import STUDIES, Study, parse_study, plan_runs
from incognote.lab.study.systems import build_systems
from incognote.lab.training.data import load_splits
from tests.fakes import template_notes, tiny_encoder

FAMILIES = {"Bert": "bert", "Roberta": "roberta", "Albert": "albert"}


def shrink(table: dict, place: Path) -> dict:
    """The paper's study with tiny encoders, short trainings and small batches; everything else as it is."""
    for model in table["models"]:
        family = FAMILIES[model["name"].split("-")[0]]
        model["model"] = str(place / family)
        model["batch"] = 4
        model["grid"] = {"epochs": [1, 2, 4], "learning_rate": [0.003], "weight_decay": model["grid"]["weight_decay"][:1]}
    table["recipe"] |= {"window": 64, "overlap": 16}
    return table | {"data": str(place / "notes.jsonl"), "scheme": "meaney-2022"}


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def miniature(tmp_path_factory: pytest.TempPathFactory) -> Study:
    place = tmp_path_factory.mktemp("miniature")
    for family in FAMILIES.values():
        tiny_encoder(place / family, family)
    write_corpus(template_notes(60), place / "notes.jsonl", format="jsonl")
    table = tomllib.loads((STUDIES / "meaney2022.toml").read_text(encoding="utf-8"))
    return parse_study(shrink(table, place))


@pytest.fixture(scope="session")
def done(miniature: Study, tmp_path_factory: pytest.TempPathFactory) -> StudyFolder:
    torch.set_num_threads(1)
    folder = run_study(miniature, tmp_path_factory.mktemp("done") / "study")
    build_systems(folder, load_splits(plan_runs(miniature)[0].recipe))
    return folder
