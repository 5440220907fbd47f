"""The arguments of commands that train: corpora, the name of an encoder, and a check that PyTorch is installed."""

from pathlib import Path
from typing import TYPE_CHECKING

from incognote.errors import ConfigError, MissingExtraError
from incognote.models import DEFAULT

if TYPE_CHECKING:
    from incognote.lab.training.recipe import Source


def parse_data(values: list[str], option: str = "--data") -> "tuple[Source, ...]":
    """The corpora of an option: paths, each with an optional split before it (``train=PATH``).

    Paths are made absolute, so that the recipe stored with the weights works from any folder.
    """
    from incognote.lab.training.recipe import Source

    sources, faults = [], []
    for value in values:
        part, equals, path = value.partition("=")
        if not (equals and part in ("train", "validation", "test")):
            part, path = "all", value
        sources.append(Source(path=str(Path(path).resolve()), part=part))
        if not path or not Path(path).exists():
            faults.append(f"{value}: no such file or folder")
    if faults:
        raise ConfigError(option, faults)
    return tuple(sources)


def settle_model(name: str) -> str:
    """The name of a model as a recipe stores it: a folder is made absolute, so that the recipe works from any folder."""
    return str(Path(name).resolve()) if name != DEFAULT and Path(name).is_dir() else name


def require_torch() -> None:
    """Raise unless the packages that training needs are installed."""
    from importlib.util import find_spec

    for package in ("torch", "transformers", "safetensors", "tokenizers", "numpy"):
        if find_spec(package) is None:
            raise MissingExtraError(package, "train")
