"""A Checkpoint made from another: new weights and config, its tokenizer and notices, and a card that says what was done to it."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from incognote.errors import OutputError
from incognote.find.model.card import write_card
from incognote.find.model.checkpoint import (
    RECIPE,
    WEIGHTS,
    Checkpoint,
    check_replaceable,
    copy_tokenizer,
    load_checkpoint,
    replace_whole,
)
from incognote.find.model.config import SETTINGS, carry_settings
from incognote.find.model.tensors import has_factors, is_quantized, write_tensors

# Files that must go wherever the work does.
_NOTICES = ("NOTICE", "LICENSE", "LICENCE")

CODES, FACTORS = "matrices as codes of 8 or 4 bits", "the embedding of words as two factors"


def check_new(folder: Path, *, overwrite: bool = False) -> None:
    """Raise when the folder is there already, before any work is done."""
    if folder.exists() and not (overwrite and folder.is_dir()):
        raise OutputError("exists already", where=folder, fix="give another folder" + ("" if folder.is_file() else ", or set {overwrite}"))
    check_replaceable(folder)


def write_derived(source: Path, target: Path, tensors: Mapping[str, NDArray[Any]], config: Mapping[str, Any], *, how: str) -> Path:
    """Write the weights and config with all else that a Checkpoint has; ``how`` is the sentence for its card."""
    checkpoint = load_checkpoint(source)
    with replace_whole(target) as draft:
        copy_tokenizer(checkpoint.folder, draft)
        (draft / "config.json").write_text(json.dumps(dict(config)), encoding="utf-8")
        write_tensors(draft / WEIGHTS, tensors, metadata={"format": "pt"})
        settle_derived(checkpoint, draft, name=target.name, how=how)
    return target


def settle_derived(origin: Checkpoint, folder: Path, *, name: str, how: str) -> None:
    """Complete a folder that has weights, config and tokenizer: recipe, notices, a card, and no blanks in the tokenizer's file.

    What was measured with other weights is dropped: validated runtimes, calibrated ranges and the confidence margin.
    """
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    settings = carry_settings(config.get(SETTINGS, {}))
    (folder / "config.json").write_text(json.dumps({**config, SETTINGS: settings}, indent=2) + "\n", encoding="utf-8")
    words = folder / "tokenizer.json"
    words.write_text(json.dumps(json.loads(words.read_text(encoding="utf-8")), ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    for file in (RECIPE, *_NOTICES):
        if (origin.folder / file).is_file():
            shutil.copyfile(origin.folder / file, folder / file)
    packed = [way for way, has in ((CODES, is_quantized), (FACTORS, has_factors)) if has(folder)]
    (folder / "README.md").write_text(tell_origin(origin, name, how=how, packed=" and ".join(packed)), encoding="utf-8")


def tell_origin(origin: Checkpoint, name: str, *, how: str, packed: str = "") -> str:
    """The card of a model that was made from another: how, and which of its weights only incognote can read."""
    card = write_card(name, origin.tags, str(origin.config.get("model_type", "")), packed=packed)
    return f"{card}\nMade from {origin.name}: {how}.\n"
