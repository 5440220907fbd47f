"""An encoder with a new Hugging Face head and its tokenizer, for any task but tagging: started, saved, and opened again."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn

from incognote.errors import CheckpointError, ConfigError
from incognote.find.model.checkpoint import RECIPE, copy_tokenizer, find_folder, replace_whole
from incognote.find.model.config import SETTINGS, read_config
from incognote.find.model.quiet import quiet
from incognote.find.model.tokens import SubwordTokenizer, load_tokenizer
from incognote.find.model.weights import load_head, start_model
from incognote.lab.training.features import keep_layers
from incognote.lab.training.mixtures import load_mixture, save_mixture, widen
from incognote.lab.training.recipe import Recipe, format_recipe, recipe_table
from incognote.lab.training.regimes import find_conflicts, is_mixed
from incognote.lab.training.tasks.tagging import check_window
from incognote.lab.training.tasks.tokenizers import prepare_tokenizer


@dataclass(frozen=True, slots=True)
class Head:
    """What a task has besides its network: the kind of head, the tokenizer, and the encoder's folder, which the tokenizer came from."""

    kind: str
    tokenizer: SubwordTokenizer = field(repr=False)
    folder: Path


def start_head(recipe: Recipe, kind: str, classes: Sequence[str] = (), *, unsafe: bool = False) -> tuple[Any, Head]:
    """The recipe's encoder with a new head, drawn with the recipe's seed, over the layers that the recipe's features are of."""
    if faults := find_conflicts(recipe_table(recipe)):
        raise ConfigError("recipe", faults)
    torch.manual_seed(recipe.seed)
    model, folder = start_model(recipe.model, classes, head=kind, unsafe=unsafe)
    check_window(recipe, model)
    if isinstance(recipe.features, int):
        keep_layers(model, recipe.features, name=recipe.model)
    tokenizer = prepare_tokenizer(folder, model, newline=recipe.newline_token)
    if is_mixed(recipe.features):
        model = widen(model, kind, str(recipe.features), name=recipe.model)
    return model, Head(kind, tokenizer, folder)


def save_head(
    folder: Path, model: Any, head: Head, recipe: Recipe, *, typed: bool, card: Mapping[str, object], settings: Mapping[str, object]
) -> None:
    """Write a folder that loads here and in Hugging Face; it appears whole or not at all, and replaces an older one."""
    mixed = is_mixed(recipe.features)
    own = {"task": recipe.task, "window": recipe.window, "overlap": recipe.overlap, **settings}
    own |= {"features": recipe.features} if mixed else {}
    setattr(model.config, SETTINGS, {**getattr(model.config, SETTINGS, {}), **own})
    text = card.get("text")
    with replace_whole(folder) as draft, quiet():
        save_mixture(model, draft) if mixed else model.save_pretrained(draft)
        copy_tokenizer(head.folder, draft, head.tokenizer)
        _name_inputs(draft, typed)
        (draft / RECIPE).write_text(format_recipe(recipe), encoding="utf-8")
        (draft / "README.md").write_text(text if isinstance(text, str) else f"# {folder.name}\n", encoding="utf-8")


def _name_inputs(folder: Path, typed: bool) -> None:
    """Have Hugging Face's tokenizer give the model what it was trained with: token types, or none."""
    file = folder / "tokenizer_config.json"
    config = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    config["model_input_names"] = ["input_ids", *(["token_type_ids"] if typed else []), "attention_mask"]
    file.write_text(json.dumps(config, indent=2, ensure_ascii=False), encoding="utf-8")


def open_head(
    source: str | Path, kind: str, *, tasks: Sequence[str], unsafe: bool = False
) -> tuple[nn.Module, SubwordTokenizer, Mapping[str, Any]]:
    """What :func:`save_head` wrote: the network, the tokenizer, and the settings kept with it."""
    folder = find_folder(source, unsafe=unsafe)
    settings = read_config(folder).get(SETTINGS, {})
    task = settings.get("task") if isinstance(settings, dict) else None
    if task not in tasks:
        raise CheckpointError(
            f"trained for {task or 'something else'}, not for {' or '.join(tasks)}", where=folder, fix="give another folder"
        )
    features = settings.get("features", "")
    model = load_mixture(folder, kind, features) if features else load_head(folder, kind, unsafe=unsafe)
    return model, load_tokenizer(folder), settings
