"""The frozen encoder of the feature-based regime: it runs once over each text, and the head learns from the hidden states kept.

They are kept in a file without a name, which the system removes whatever happens, because they come from notes; what is used often
stays in memory as the system sees fit.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from incognote.errors import ConfigError
from incognote.lab.training.recipe import Recipe, recipe_table
from incognote.lab.training.regimes import find_conflicts
from incognote.lab.training.task import Task

_BUDGET = 4096  # tokens in one pass that fills the store


class Remembered(nn.Module):
    """Replaces an encoder that is not trained. A row of tokens seen before is looked up, any other is run and kept.

    The encoder is not among its parameters; the pooler is, because it belongs to the head.
    """

    like: Tensor

    def __init__(self, body: Any) -> None:
        super().__init__()
        self.pooler = getattr(body, "pooler", None)
        self.register_buffer("like", torch.zeros(1), persistent=False)
        self.config = body.config
        self.held = (body.eval(),)  # a tuple hides it from PyTorch
        self.places: dict[bytes, tuple[int, int]] = {}
        self.file = tempfile.TemporaryFile(prefix="incognote-features-")  # noqa: SIM115 - lives as long as this module
        self.kind: Any = None

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None, token_type_ids: Tensor | None = None, **_: Any) -> Any:
        keys, masks = _name_rows(input_ids, attention_mask, token_type_ids)
        wanted = [at for at, key in enumerate(keys) if key not in self.places]
        if wanted:
            self._run(input_ids, attention_mask, token_type_ids, wanted, keys, masks)
        hidden = self._look_up(keys, masks).to(self.like)
        return self.kind(last_hidden_state=hidden, **({} if self.pooler is None else {"pooler_output": self._pool(hidden)}))

    def _run(self, ids: Tensor, mask: Tensor | None, types: Tensor | None, wanted: list[int], keys: list[bytes], masks: Any) -> None:
        body = self.held[0].to(ids.device)
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        with torch.no_grad():
            output = body(**{name: value[wanted] for name, value in inputs.items() if value is not None}, return_dict=True)
        self.kind = type(output)
        for row, at in zip(output.last_hidden_state.float().cpu().numpy(), wanted, strict=True):
            # The same row twice in one batch is kept once.
            if keys[at] not in self.places:
                kept = np.ascontiguousarray(row[masks[at]])
                self.places[keys[at]] = (self.file.seek(0, os.SEEK_END), len(kept))
                self.file.write(kept.tobytes())
        self.file.flush()

    def _look_up(self, keys: list[bytes], masks: Any) -> Tensor:
        found = [self.places[key] for key in keys]
        rows = [np.frombuffer(self._read(*place), dtype=np.float32).reshape(place[1], -1) for place in found]
        hidden = np.zeros((*masks.shape, rows[0].shape[1]), dtype=np.float32)
        for at, row in enumerate(rows):
            hidden[at, masks[at]] = row
        return torch.from_numpy(hidden)

    def _read(self, start: int, tokens: int) -> bytes:
        return os.pread(self.file.fileno(), tokens * self.width * 4, start)

    @property
    def width(self) -> int:
        """The width of a token's features."""
        size = getattr(self.held[0], "width", None)
        return int(size if isinstance(size, int) else self.config.hidden_size)

    def _pool(self, hidden: Tensor) -> Tensor:
        assert self.pooler is not None
        if isinstance(self.pooler, nn.Linear):  # ALBERT keeps the parts of its pooler apart
            found: Tensor = self.held[0].pooler_activation(self.pooler(hidden[:, 0]))
            return found
        pooled: Tensor = self.pooler(hidden)
        return pooled


def _name_rows(ids: Tensor, mask: Tensor | None, types: Tensor | None) -> tuple[list[bytes], Any]:
    """A key for each row without padding, and where in each the tokens are."""
    rows = ids.cpu().numpy().astype(np.int32)
    masks = np.ones_like(rows, dtype=np.bool_) if mask is None else mask.cpu().numpy().astype(np.bool_)
    kinds = np.zeros_like(rows) if types is None else types.cpu().numpy().astype(np.int32)
    return [np.concatenate([row[m], kind[m]]).tobytes() for row, kind, m in zip(rows, kinds, masks, strict=True)], masks


def body_of(model: Any) -> Any:
    """The encoder under a model's head."""
    return getattr(model, model.base_model_prefix)


@contextmanager
def remembering(task: Task, recipe: Recipe) -> Iterator[None]:
    """While this lasts, the task's encoder runs once over each text, where the recipe asks for ``features``; then it is back in place.

    The training samples are run first and in a fixed order, so that a resumed training sees the same hidden states to the last bit.
    """
    if recipe.features == "":
        yield
        return
    if faults := find_conflicts(recipe_table(recipe)):
        raise ConfigError("recipe", faults)
    model: Any = task.model
    body, kept = body_of(model), Remembered(body_of(model))
    setattr(model, model.base_model_prefix, kept)
    try:
        yield
    finally:
        setattr(model, model.base_model_prefix, body.to(kept.like.device))
        kept.file.close()


def fill_features(task: Task, device: torch.device) -> None:
    """Run the encoder over every training sample, as long as the task's model remembers; elsewhere do nothing."""
    model: Any = task.model
    if not isinstance(body_of(model), Remembered):
        return
    model.eval()
    order = sorted(range(len(task.lengths)), key=lambda at: (-task.lengths[at], at))
    with torch.inference_mode():
        while order:
            count = max(1, _BUDGET // task.lengths[order[0]])
            batch = {key: value.to(device) for key, value in task.collate(order[:count]).items()}
            task.forward(model, batch)
            order = order[count:]


def keep_layers(model: Any, count: int, *, name: str) -> None:
    """Take the layers above number ``count`` off an encoder; what the next reads is then the hidden state after that layer."""
    config = model.config
    if count > config.num_hidden_layers:
        raise ConfigError("recipe", [f"features = {count}: {name} has {config.num_hidden_layers} layers"])
    for module in model.modules():
        if isinstance(module, nn.ModuleList) and len(module) == config.num_hidden_layers > 1:
            del module[count:]
            break
    shorten_config(config, count)


def shorten_config(config: Any, count: int) -> None:
    """Set the number of layers in the config."""
    if getattr(config, "layer_types", None):
        config.layer_types = config.layer_types[:count]
    config.num_hidden_layers = count
