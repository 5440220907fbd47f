"""A Checkpoint is a folder with weights, tokenizer, labels, recipe and model card, which Hugging Face can load as well.

Only safetensors are read: a pickle runs whatever its author put into it. Nothing is fetched unless the user gave a hub name.
"""

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from incognote.errors import CheckpointError, MissingExtraError, OutputError
from incognote.find.model.card import write_card
from incognote.find.model.config import PADDED_POSITIONS, SETTINGS, read_config
from incognote.find.model.quiet import quiet
from incognote.find.model.tensors import PRUNING, Tensors
from incognote.find.model.tokens import SubwordTokenizer, load_tokenizer
from incognote.models import DEFAULT, find_model

WEIGHTS = "model.safetensors"
RECIPE = "recipe.toml"
_HEAD = "classifier.bias"

_HUB_NAME = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")
_UNNAMED = re.compile(r"LABEL_\d+")
_TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "spm.model",
    "spiece.model",
    "sentencepiece.bpe.model",
)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """An opened model folder: checked, its files mapped and not read yet; ``weights`` is empty where they are a pickle."""

    folder: Path
    name: str
    config: Mapping[str, Any] = field(repr=False)
    tags: tuple[str, ...] = field(repr=False)
    unsafe: bool = False
    weights: Tensors = field(default_factory=Tensors, repr=False, compare=False)
    pruning: Tensors = field(default_factory=Tensors, repr=False, compare=False)

    @property
    def limit(self) -> int:
        """How many tokens a window may hold, special tokens included; 512 where the model itself sets no limit."""
        positions = int(self.config.get("max_position_embeddings") or 512)
        if self.config.get("model_type") in PADDED_POSITIONS:
            positions -= int(self.config.get("pad_token_id", 1)) + 1
        return positions if positions > 0 else 512

    @property
    def settings(self) -> Mapping[str, Any]:
        """What this package keeps in ``config.json`` for itself, such as the temperature."""
        found = self.config.get(SETTINGS, {})
        return found if isinstance(found, dict) else {}


def load_checkpoint(source: str | Path, *, unsafe: bool = False) -> Checkpoint:
    """A fine-tuned model by folder or hub name, checked: safe, undamaged weights, and named labels."""
    folder = find_folder(source, unsafe=unsafe)
    weights = check_weights(folder, unsafe=unsafe)
    config = read_config(folder)
    tags = _read_tags(folder, config)
    _check_head(folder, weights, tags)
    name = folder.name if Path(source).is_dir() else str(source)
    return Checkpoint(folder, name, config, tags, unsafe, weights, Tensors(folder, PRUNING))


def find_folder(source: str | Path, *, unsafe: bool = False) -> Path:
    """The folder itself, that of the shipped model for ``default``, or where the hub model of that name was fetched to."""
    if source == DEFAULT:
        return find_model()
    folder = expand_home(source)
    if folder.is_dir():
        return folder.resolve()
    if folder.exists():
        raise CheckpointError(f"{source}: a model is a folder with config.json and {WEIGHTS}, and this is a file; pass its folder")
    if whole := _find_whole(folder):
        raise CheckpointError(f"{source}: a run was killed as it put this model in place; it is whole in {whole}: rename that folder")
    if isinstance(source, Path) or not _HUB_NAME.fullmatch(source):
        raise CheckpointError(f"{source}: there is no such model folder")
    return _fetch(source, unsafe=unsafe)


def expand_home(name: str | Path) -> Path:
    """The path with ``~`` made a home folder, where there is such a home."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


def _fetch(name: str, *, unsafe: bool) -> Path:
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise MissingExtraError("huggingface_hub", "train") from None
    patterns = ["*.json", "*.safetensors", "*.txt", "*.model", *(["*.bin"] if unsafe else [])]
    try:
        return Path(snapshot_download(name, allow_patterns=patterns, ignore_patterns=["*/*"]))
    except Exception as error:  # noqa: BLE001 - no network, no such name, no leave to read: the way out is the same
        raise CheckpointError(
            f"{name}: no folder of that name here, and the hub did not give a model of that name ({type(error).__name__}). "
            f"Without a network, fetch it elsewhere (hf download {name} --local-dir FOLDER) and pass the folder"
        ) from None


def check_weights(folder: Path, *, unsafe: bool = False) -> Tensors:
    """The weights in whole safetensors; an error where there are none, unless a pickle is there and ``unsafe``."""
    weights = Tensors(folder)
    if not weights.files:
        if not any(folder.glob("pytorch_model*.bin")):
            raise CheckpointError(f"{folder}: no weights; there should be {WEIGHTS} beside config.json")
        if not unsafe:
            raise CheckpointError(
                "its weights are a pickle (.bin), which can run any code when opened",
                where=str(folder),
                fix=f"convert it to {WEIGHTS}, or set {{unsafe}} when you trust whoever made it",
            )
    for file, count in weights.files.items():
        if not count:
            raise CheckpointError(f"{file}: holds no weights; copy or fetch the file again")
    return weights


def _check_head(folder: Path, weights: Tensors, tags: Sequence[str]) -> None:
    """Raise when the weights score another number of tags than there are names for."""
    scored = weights.raw(_HEAD).shape if _HEAD in weights else (len(tags),)
    if scored != (len(tags),):
        raise CheckpointError(f"{folder}: config.json names {len(tags)} tags and the weights score {scored[0]}; they are not of one model")


def _read_tags(folder: Path, config: Mapping[str, Any]) -> tuple[str, ...]:
    try:
        names = {int(number): str(tag) for number, tag in config.get("id2label", {}).items()}
    except (AttributeError, ValueError):
        raise CheckpointError(f"{folder / 'config.json'}: id2label must map numbers to tags") from None
    tags = tuple(names.get(number, "") for number in range(len(names)))
    if not tags or all(_UNNAMED.fullmatch(tag) for tag in tags):
        raise CheckpointError(
            f"{folder / 'config.json'}: no labels (id2label); this is a bare encoder, so train a tagger from it: incognote train"
        )
    if "O" not in tags or "" in tags:
        raise CheckpointError(f"{folder / 'config.json'}: id2label must number its tags from 0 without gaps and hold the tag O")
    return tags


def save_checkpoint(
    folder: str | Path,
    model: Any,
    *,
    tags: Sequence[str],
    tokenizer_from: Path,
    tokenizer: SubwordTokenizer | None = None,
    recipe: str = "",
    card: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Path:
    """Write a Checkpoint; the folder appears whole or not at all, and replaces an older one of that name.

    ``tokenizer_from`` is the model folder whose tokenizer was used, ``tokenizer`` that one where it was changed since, ``recipe`` TOML
    text, ``card`` Markdown (one is written when None).
    """
    target = Path(folder)
    model.config.id2label = dict(enumerate(tags))
    model.config.label2id = {tag: number for number, tag in enumerate(tags)}
    if settings:
        setattr(model.config, SETTINGS, {**getattr(model.config, SETTINGS, {}), **settings})
    with replace_whole(target) as draft, quiet():
        model.save_pretrained(draft)
        copy_tokenizer(tokenizer_from, draft, tokenizer)
        (draft / RECIPE).write_text(recipe, encoding="utf-8")
        text = write_card(target.name, tags, model.config.model_type) if card is None else card
        (draft / "README.md").write_text(text, encoding="utf-8")
    return target


def copy_tokenizer(source: Path, target: Path, tokenizer: SubwordTokenizer | None = None) -> None:
    """The tokenizer files of one model folder in another; ``tokenizer.json`` is made where there was none, or of a ``tokenizer`` given."""
    for name in _TOKENIZER_FILES:
        if (source / name).is_file():
            shutil.copyfile(source / name, target / name)
    (tokenizer or load_tokenizer(source)).backend.save(str(target / "tokenizer.json"))


def check_replaceable(folder: Path) -> None:
    """Raise when a model that takes the folder's place would remove anything but a model, such as notes."""
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "config.json").is_file():
        raise OutputError(f"{folder}: holds something else than a model, and would be replaced as a whole; give another folder")


@contextmanager
def replace_whole(target: Path) -> Iterator[Path]:
    """A draft folder that takes the place of ``target``, or of what that links to, when all went well."""
    target = target.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    if whole := _find_whole(target):
        whole.rename(target)
    draft, old = _beside(target)
    for leftover in (draft, old):
        shutil.rmtree(leftover, ignore_errors=True)
    draft.mkdir()
    try:
        yield draft
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    if target.exists():
        target.rename(old)
    draft.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def _beside(target: Path) -> tuple[Path, Path]:
    """Where the folder that is to take the target's place stands, and where the one it replaces goes."""
    return target.with_name(f".{target.name}.new"), target.with_name(f".{target.name}.old")


def _find_whole(target: Path) -> Path | None:
    """Where the model is when a kill fell between the two renames of :func:`replace_whole`: the new one, as it was whole by then."""
    if not target.name or target.exists():
        return None
    draft, old = _beside(target)
    return next((folder for folder in (draft, old) if folder.is_dir()), None) if old.is_dir() else None
