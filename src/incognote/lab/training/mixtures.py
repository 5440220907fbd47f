"""Heads over the hidden states of several layers, summed or side by side: how they are made, saved and opened; only incognote runs them."""

import copy
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from incognote.errors import CheckpointError, ConfigError
from incognote.find.model.checkpoint import check_weights
from incognote.find.model.quiet import quiet
from incognote.find.model.weights import check_finite
from incognote.lab.training.features import body_of, shorten_config
from incognote.lab.training.regimes import parse_mixture

ENCODER = "encoder"
HEAD = "head.safetensors"


class Mixture(nn.Module):
    """An encoder whose hidden states of several layers are put together for each token."""

    def __init__(self, encoder: Any, features: str, body: Any) -> None:
        super().__init__()
        self.mixed = encoder
        self.how, self.count = parse_mixture(features, encoder.config.num_hidden_layers)
        self.config = encoder.config
        self.width = encoder.config.hidden_size * (self.count if self.how == "concat" else 1)
        self.pooler = getattr(body, "pooler", None)
        self.pooler_activation = getattr(body, "pooler_activation", None)

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None, token_type_ids: Tensor | None = None, **_: Any) -> Any:
        inputs = {"input_ids": input_ids, "attention_mask": attention_mask, "token_type_ids": token_type_ids}
        given = {name: value for name, value in inputs.items() if value is not None}
        output = self.mixed(**given, output_hidden_states=True, return_dict=True)
        chosen = output.hidden_states[-self.count :]
        hidden = torch.cat(chosen, dim=-1) if self.how == "concat" else torch.stack(chosen).sum(dim=0)
        pooled = {} if self.pooler is None else {"pooler_output": self._pool(hidden)}
        return type(output)(last_hidden_state=hidden, **pooled)

    def _pool(self, hidden: Tensor) -> Tensor:
        assert self.pooler is not None
        pooled: Tensor = self.pooler(hidden) if self.pooler_activation is None else self.pooler_activation(self.pooler(hidden[:, 0]))
        return pooled


def widen(model: Any, kind: str, features: str, *, name: str) -> Any:
    """The model's encoder under a new head as wide as the features; the model's own head is left."""
    layers = model.config.num_hidden_layers
    if (count := parse_mixture(features, layers)[1]) > layers:
        raise ConfigError("recipe", [f"features = {features!r}: {count} layers wanted, and {name} has {layers}"])
    return _build(kind, _widen_config(model.config, features), body_of(model), features)


def _widen_config(config: Any, features: str) -> Any:
    """The config of the head: as wide as the features. What it says of the encoder below is as small as can be, for it is replaced."""
    wide = copy.deepcopy(config)
    how, count = parse_mixture(features, config.num_hidden_layers)
    wide.hidden_size = config.hidden_size * (count if how == "concat" else 1)
    # DeBERTa and XLNet say some of their widths twice.
    if hasattr(wide, "pooler_hidden_size"):
        wide.pooler_hidden_size = wide.hidden_size
    if hasattr(wide, "d_head"):
        wide.d_head = wide.hidden_size // wide.num_attention_heads
    shorten_config(wide, 1)
    wide.vocab_size = 1 + max(0, *(id for name, id in config.to_dict().items() if name.endswith("_token_id") and isinstance(id, int)))
    return wide


def _build(kind: str, wide: Any, encoder: Any, features: str) -> Any:
    import transformers

    with quiet():
        model = getattr(transformers, f"AutoModelFor{kind}").from_config(wide)
    setattr(model, model.base_model_prefix, Mixture(encoder, features, body_of(model)))
    return model


def save_mixture(model: Any, folder: Path) -> None:
    """The encoder in a folder of its own and the head beside it: Hugging Face opens the encoder, and never the head without its mixture."""
    from safetensors.torch import save_file

    body = body_of(model)
    body.mixed.save_pretrained(folder / ENCODER)
    inside = f"{model.base_model_prefix}.mixed."
    save_file(
        {name: weight.contiguous().cpu() for name, weight in model.state_dict().items() if not name.startswith(inside)}, folder / HEAD
    )
    model.config.save_pretrained(folder)


def load_mixture(folder: Path, kind: str, features: str) -> Any:
    """What :func:`save_mixture` wrote."""
    from safetensors.torch import load_file
    from transformers import AutoConfig, AutoModel

    check_weights(folder / ENCODER)
    with quiet():
        encoder = AutoModel.from_pretrained(folder / ENCODER, local_files_only=True, dtype=torch.float32)
        model = _build(kind, AutoConfig.from_pretrained(folder, local_files_only=True), encoder, features)
    missing, unknown = model.load_state_dict(load_file(folder / HEAD), strict=False)
    lost = [name for name in missing if not name.startswith(f"{model.base_model_prefix}.mixed.")]
    if lost or unknown:
        raise CheckpointError("does not fit config.json beside it", where=folder / HEAD, fix="copy the folder again")
    check_finite(model, folder)
    return model.eval()
