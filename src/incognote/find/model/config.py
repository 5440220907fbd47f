"""The ``config.json`` of a model folder, checked for numbers where a model needs them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from incognote.errors import CheckpointError

SETTINGS = "incognote"  # our own settings inside config.json, which Hugging Face carries along
VALIDATED = "validated_runtimes"  # the runtimes whose spans were scored with these weights
MARGIN = "confidence_margin"  # the confidence margin: below this difference of a token's top two logits, int8 may swap them
LOWERCASE = "lowercase_all_caps"  # whether notes in capitals are lowercased
RECALL_BIAS = "recall_bias"  # the recall bias: by how much the logit of O was lowered
_MEASURED = (VALIDATED, MARGIN, LOWERCASE, "activations")  # with the weights that they stand beside; they say nothing of others
_OLD_NAMES = {"vouched": VALIDATED, "close": MARGIN, "calm": LOWERCASE, "lean": RECALL_BIAS}
# These count positions from the padding id on, so that many fewer tokens fit than there are positions.
PADDED_POSITIONS = frozenset({"roberta", "xlm-roberta", "camembert", "mpnet", "longformer", "roberta-prelayernorm", "xlm-roberta-xl"})

# What the families call the same things.
_SIZES = ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
_OTHER_SIZES = ("dim", "hidden_dim", "n_layers", "n_heads", "d_model", "d_inner", "n_layer", "n_head")


def read_config(folder: Path) -> dict[str, Any]:
    """The folder's ``config.json``."""
    file = folder / "config.json"
    if not file.is_file():
        raise CheckpointError(f"{folder}: no config.json; is this a model folder?")
    config = _rename_settings(read_object(file))
    faults = _find_faults(config)
    if faults:
        raise CheckpointError(f"{file}: {'; '.join(faults)}; copy the file again")
    return config


def read_object(file: Path) -> dict[str, Any]:
    """The JSON object in a file of a model folder."""
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        raise CheckpointError(f"{file}: not valid JSON; copy the file again") from None
    if not isinstance(value, dict):
        raise CheckpointError(f"{file}: not a JSON object; copy the file again")
    return value


def _rename_settings(config: dict[str, Any]) -> dict[str, Any]:
    """Settings by their present names; checkpoints of earlier versions have others.

    >>> _rename_settings({"incognote": {"lean": 6.0, "vouched": ["onnx"]}})
    {'incognote': {'recall_bias': 6.0, 'validated_runtimes': ['onnx']}}
    """
    settings = config.get(SETTINGS)
    if not isinstance(settings, dict):
        return config
    return {**config, SETTINGS: {_OLD_NAMES.get(name, name): value for name, value in settings.items()}}


def carry_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a model that stay valid when its weights change.

    >>> carry_settings({"window": 320, "validated_runtimes": ["onnx"], "confidence_margin": 0.7})
    {'window': 320}
    """
    return {name: value for name, value in settings.items() if name not in _MEASURED}


def _find_faults(config: Mapping[str, Any]) -> list[str]:
    """
    >>> _find_faults({"model_type": "bert", "hidden_size": "wide", "incognote": {"window": 320, "temperature": 0}})
    ['hidden_size must be a whole number from 1 on', 'temperature must be a number above 0']
    """
    settings = config.get(SETTINGS)
    own = settings if isinstance(settings, dict) else {}
    padded = ("pad_token_id",) if str(config.get("model_type")) in PADDED_POSITIONS else ()
    whole = [(config, name, 1) for name in (*_SIZES, *_OTHER_SIZES)] + [(config, name, 0) for name in padded]
    whole += [(own, "window", 1), (own, "overlap", 0)]
    if config.get("max_position_embeddings") is not None:  # null, or -1, means that there is no limit
        whole.append((config, "max_position_embeddings", -1))
    real = [(config, "layer_norm_eps", "of 0 or above", 0.0), (own, MARGIN, "of 0 or above", 0.0)]
    real += [(own, "temperature", "above 0", 1e-9), (own, RECALL_BIAS, "", -1e9)]
    faults = [] if isinstance(config.get("model_type", ""), str) else ["model_type must be a name"]
    faults += [
        f"{name} must be a whole number from {least} on" for held, name, least in whole if not _is(int, held.get(name, least), least)
    ]
    faults += [f"{name} must be a number {what}".rstrip() for held, name, what, least in real if not _is(float, held.get(name, 1), least)]
    shapes: list[tuple[str, type]] = [(VALIDATED, list), ("activations", dict), (LOWERCASE, bool)]
    return faults + [f"{name} must be a {kind.__name__}" for name, kind in shapes if not isinstance(own.get(name) or kind(), kind)]


def _is(kind: type[int] | type[float], value: object, least: float) -> bool:
    return isinstance(value, (int, kind)) and not isinstance(value, bool) and least <= value < float("inf")
