"""The encoders known by name, and the shape of any encoder from its config: hub name, size, licence, casing."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from incognote.errors import CheckpointError, MissingExtraError
from incognote.lab.encoders.parameters import TAGS, Parameter, list_parameters

# What the families call the same thing.
_WIDTHS = ("hidden_size", "dim", "d_model")
_DEPTHS = ("num_hidden_layers", "n_layers", "n_layer")


@dataclass(frozen=True, slots=True)
class Architecture:
    """An encoder's name, origin and config; ``hub`` is empty for a local folder."""

    name: str
    hub: str
    family: str
    licence: str
    cased: bool | None
    config: Mapping[str, Any] = field(repr=False)

    @property
    def width(self) -> int:
        """The size of its hidden state."""
        return int(next((self.config[key] for key in _WIDTHS if key in self.config), 0))

    @property
    def depth(self) -> int:
        """How many layers it has."""
        return int(next((self.config[key] for key in _DEPTHS if key in self.config), 0))

    def parameters(self, *, head: str = TAGS, labels: int = 41) -> tuple[Parameter, ...]:
        """Every parameter with a head of that kind; families not described here are built on PyTorch's meta device, without weights."""
        return list_parameters(self.config, head=head, labels=labels) or _build_parameters(self.config, head, labels)


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads((files("incognote.lab.encoders") / "architectures.toml").read_text(encoding="utf-8"))


def _read(name: str, entry: Mapping[str, Any]) -> Architecture:
    family = entry["family"]
    config = {"model_type": family, **_tables()["families"][family], **entry.get("config", {})}
    return Architecture(name, entry["hub"], family, entry["licence"], entry["cased"], config)


def known_architectures() -> tuple[Architecture, ...]:
    """All encoders of the table, the paper's six first."""
    return tuple(_read(name, entry) for name, entry in _tables()["models"].items())


def find_architecture(name: str) -> Architecture:
    """The encoder of that name, alias or hub name, or the one in that folder.

    >>> find_architecture("albert-xxlarge").hub
    'albert/albert-xxlarge-v2'
    """
    models = _tables()["models"]
    wanted = name.casefold()
    for own, entry in models.items():
        if wanted in {own, entry["hub"].casefold(), *entry.get("aliases", ())}:
            return _read(own, entry)
    from incognote.find.model.checkpoint import expand_home

    folder = expand_home(name)
    if (folder / "config.json").is_file():
        return _from_folder(folder)
    near = get_close_matches(
        wanted, [*models, *(alias for entry in models.values() for alias in entry.get("aliases", ()))], n=3, cutoff=0.5
    )
    hint = f"nearest: {', '.join(near)}" if near else "incognote models list shows all"
    raise CheckpointError("no encoder of that name is known and there is no such folder with a config.json", where=name, fix=hint)


def config_for(name: str) -> dict[str, Any]:
    """The config of a known encoder, as its ``config.json`` would have it.

    >>> config_for("bert-base")["vocab_size"]
    30522
    """
    return dict(find_architecture(name).config)


def _from_folder(folder: Path) -> Architecture:
    from incognote.find.model.config import read_config

    config = read_config(folder)
    family = config.get("model_type")
    if family is None:
        raise CheckpointError("not the config of a model: it names no model_type", where=folder / "config.json")
    return Architecture(folder.resolve().name, "", family, "", None, {**_tables()["families"].get(family, {}), **config})


def _build_parameters(config: Mapping[str, Any], head: str, labels: int) -> tuple[Parameter, ...]:
    try:
        import torch
        from transformers import AutoConfig, AutoModelForSequenceClassification, AutoModelForTokenClassification

        from incognote.find.model.quiet import quiet
    except ImportError:
        raise MissingExtraError("torch and transformers", "train") from None
    model_class = AutoModelForTokenClassification if head == TAGS else AutoModelForSequenceClassification
    own = {key: value for key, value in config.items() if key not in ("model_type", "id2label", "label2id")}
    try:
        with torch.device("meta"), quiet():
            model = model_class.from_config(AutoConfig.for_model(config["model_type"], **own, num_labels=labels))
    except (ValueError, TypeError, KeyError) as error:
        raise CheckpointError(f"an encoder of the family {config['model_type']} cannot be built with a {head} head: {error}") from None
    return tuple(Parameter(name, tuple(value.shape)) for name, value in model.named_parameters())
