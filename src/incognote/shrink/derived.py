"""A Checkpoint made from another: new weights and config, the same tokenizer, and a card that says what was done to it."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from incognote.encoders.card import write_card
from incognote.encoders.checkpoint import RECIPE, SETTINGS, WEIGHTS, copy_tokenizer, load_checkpoint, replace_whole
from incognote.encoders.tensors import write_tensors
from incognote.errors import OutputError

# What others asked to be told wherever their work goes.
_NOTICES = ("NOTICE", "LICENSE", "LICENCE")


def check_new(folder: Path, *, overwrite: bool = False) -> None:
    """Raise when the folder is there already, before any work is done."""
    if folder.exists() and not (overwrite and folder.is_dir()):
        raise OutputError(f"{folder}: is there already; give another folder" + ("" if folder.is_file() else ", or --overwrite"))


def write_derived(source: Path, target: Path, tensors: Mapping[str, NDArray[Any]], config: Mapping[str, Any], *, how: str) -> Path:
    """Write the weights and config with all else that a Checkpoint has; ``how`` is the sentence for its card.

    Runtimes that were vouched for computed with other weights, so nobody vouches for them here.
    """
    checkpoint = load_checkpoint(source)
    settings = {key: value for key, value in dict(config.get(SETTINGS, {})).items() if key != "vouched"}
    with replace_whole(target) as draft:
        copy_tokenizer(checkpoint.folder, draft)
        for name in (RECIPE, *_NOTICES):
            if (checkpoint.folder / name).is_file():
                shutil.copyfile(checkpoint.folder / name, draft / name)
        (draft / "config.json").write_text(json.dumps({**config, SETTINGS: settings}, indent=2) + "\n", encoding="utf-8")
        card = write_card(target.name, checkpoint.tags, str(config.get("model_type", "")))
        (draft / "README.md").write_text(f"{card}\nMade from {checkpoint.name}: {how}.\n", encoding="utf-8")
        write_tensors(draft / WEIGHTS, tensors, metadata={"format": "pt"})
    return target
