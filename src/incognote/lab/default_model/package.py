"""The last stage: the folder that ships, with its card, its licence notice and checksums, and the rescorer's weights beside it."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from incognote.find.model.config import SETTINGS, read_config
from incognote.lab.default_model.build import Build, Settings, log
from incognote.lab.default_model.quantization import SCORES, binary_f1
from incognote.lab.training.recipe import format_recipe, read_recipe
from incognote.models import write_sums

CARD = Path(__file__).with_name("card.md")
NOTICE = """incognote's default model
Derived from granite-embedding-30m-english, Copyright IBM, under the Apache License 2.0
(https://huggingface.co/ibm-granite/granite-embedding-30m-english): the vocabulary was cut, a head was added, and all weights were
trained further and quantized. The licence is in the LICENSE file of this package.
Trained on text of MTSamples (CC0) and of ACI-Bench (Yim et al. 2023, CC BY 4.0), and on names of GeoNames (CC BY 4.0) and the US Census.
"""
FOLDER, WEIGHTS = "default", "rescorer.json"


def package_model(build: Build, out: Path) -> None:
    """Write ``default``, which takes the place of ``src/incognote/models/default``, and ``rescorer.json``, that of the one in filters."""
    out.mkdir()
    folder = Path(shutil.copytree(build.stage("confidence-margin"), out / FOLDER))
    scores = json.loads((build.stage("int8") / SCORES).read_text(encoding="utf-8"))
    cost = json.loads((build.stage("training") / "training.json").read_text(encoding="utf-8"))
    recipe = replace(read_recipe(folder / "recipe.toml"), model=build.settings.student)
    (folder / "recipe.toml").write_text(format_recipe(recipe), encoding="utf-8")
    (folder / "README.md").write_text(write_card(folder, build.settings, scores, cost), encoding="utf-8")
    (folder / "NOTICE").write_text(NOTICE, encoding="utf-8")
    write_sums(folder)
    shutil.copyfile(build.stage("rescorer") / WEIGHTS, out / WEIGHTS)
    log(f"{folder}: {_megabytes(folder):.1f} MB")


def write_card(folder: Path, settings: Settings, scores: Mapping[str, Any], cost: Mapping[str, int]) -> str:
    """The card of the model."""
    config = read_config(folder)
    return CARD.read_text(encoding="utf-8").format(
        tokens=f"{config['vocab_size']:,}",
        megabytes=_megabytes(folder),
        teachers=" and ".join(settings.teachers),
        members=settings.members,
        steps=cost["steps"],
        windows=cost["windows"],
        trained=cost["tokens"],
        temperature=config[SETTINGS]["temperature"],
        figures=tabulate(scores["int8"], scores["notes"]),
        int8=compare(scores["full"], scores["int8"]),
    )


def tabulate(scores: Mapping[str, Mapping[str, float]], counts: Mapping[str, int]) -> str:
    """The table of the card."""
    lines = ["| notes | recall | precision | strict F1 |", "|---|---:|---:|---:|"]
    for name, found in scores.items():
        cells = " | ".join(f"{found[key]:.4f}" for key in ("recall", "precision", "strict_f1"))
        lines.append(f"| {name} ({counts[name]}) | {cells} |")
    return "\n".join(lines)


def compare(full: Mapping[str, Mapping[str, float]], small: Mapping[str, Mapping[str, float]]) -> str:
    """What int8 costs, in words."""
    return "; ".join(
        f"{name} {binary_f1(full[name]):.4f} → {binary_f1(small[name]):.4f} "
        f"(with labels {full[name]['token_f1']:.4f} → {small[name]['token_f1']:.4f}, "
        f"strict {full[name]['strict_f1']:.4f} → {small[name]['strict_f1']:.4f})"
        for name in full
    )


def _megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.iterdir()) / 1e6
