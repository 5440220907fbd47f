"""Quantized checkpoints: their matrices as int8 values with one scale for each row, a quarter of the size, ready for the int8 runtimes."""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incognote.find.model.checkpoint import WEIGHTS, load_checkpoint, replace_whole
from incognote.find.model.config import SETTINGS, carry_settings
from incognote.find.model.tensors import SCALE, Tensors, highest, pack, quantize, write_tensors

ACTIVATIONS = "activations"
"""The setting of a checkpoint with the calibrated low and high value of each linear's input, by the linear's name."""

KEPT = ("position_embeddings", "token_type_embeddings", "relative_attention_bias", "classifier")
"""Parts of the names of matrices that are small, or added to others and not multiplied with them, and stay as they are."""


def pack_checkpoint(
    source: str | Path,
    target: str | Path,
    *,
    settings: Mapping[str, Any] | None = None,
    kept: Sequence[str] = KEPT,
    bits: int = 8,
    card: str | None = None,
) -> Path:
    """Write the checkpoint with its matrices quantized, except those with a part of ``kept`` in their names; ``settings`` are added.

    The int8 runtimes compute with these values, full precision with the dequantized ones, so all loss of precision of weights is here.
    ``card`` replaces the model card of the source. Runtimes whose scores were measured belong in the setting ``validated_runtimes``; they
    are then not compared again on every machine.
    """
    checkpoint = load_checkpoint(source)
    place = Path(target)
    with replace_whole(place) as draft:
        for file in checkpoint.folder.iterdir():
            if file.is_file() and file.suffix != ".safetensors":
                shutil.copyfile(file, draft / file.name)
        config = {**checkpoint.config, SETTINGS: {**carry_settings(checkpoint.settings), **(settings or {})}}
        (draft / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
        if card is not None:
            (draft / "README.md").write_text(card, encoding="utf-8")
        write_tensors(draft / WEIGHTS, encode_weights(checkpoint.weights, kept=kept, bits=bits), metadata={"format": "pt"})
    return place


def encode_weights(weights: Tensors, *, kept: Sequence[str] = KEPT, bits: int = 8) -> dict[str, NDArray[Any]]:
    """int8 values and scales for the large matrices, all else in single precision; with values of four bits, in half precision."""
    encoded: dict[str, NDArray[Any]] = {}
    for name in weights:
        values = weights[name]
        if values.ndim != 2 or any(part in name for part in kept):
            encoded[name] = values if bits == 8 or values.dtype.kind != "f" else values.astype(np.float16)
            continue
        matrix = weights.quantized(name) or quantize(np.asarray(values, dtype=np.float32), bits=bits)
        packed = bits == 4 and np.abs(matrix.values).max() <= highest(4) and matrix.values.shape[1] % 2 == 0
        encoded[name], encoded[name + SCALE] = pack(matrix.values) if packed else matrix.values, matrix.scales
    return encoded
