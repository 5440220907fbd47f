"""Hidden states of an encoder for whole texts: chosen layers, for each token or pooled, long texts through windows.

Nothing is truncated: a token of a long text has its state from the window that gives it the most context, as in tagging.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from incognote.errors import ConfigError
from incognote.find.model.checkpoint import Checkpoint
from incognote.find.model.device import open_device, watch_memory
from incognote.find.model.inference import check_numbers
from incognote.find.model.tokens import SubwordTokenizer, Tokens, load_tokenizer
from incognote.find.model.windows import Window, batch_windows, cut_windows, fill_batch

if TYPE_CHECKING:
    from incognote.find.model.runtimes.torch import TorchRuntime

Floats = NDArray[np.float32]

POOLS = ("mean", "first", "max", "none", "tokens")
TOKENS = frozenset({"none", "tokens"})
"""The pools that keep every token."""


@dataclass(frozen=True, slots=True)
class States:
    """One text: its tokens, the state of each ``(tokens, layers, width)``, and that of the opening token ``(layers, width)``."""

    tokens: Tokens
    each: Floats = field(repr=False)
    opening: Floats = field(repr=False)


@dataclass(frozen=True, slots=True)
class StateReader:
    """An encoder on a device that gives the states of these layers; 0 is the embeddings, the last is the top."""

    folder: Path
    layers: tuple[int, ...]
    width: int
    room: int
    overlap: int
    tokenizer: SubwordTokenizer = field(repr=False)
    runtime: "TorchRuntime" = field(repr=False)

    def read(self, texts: Sequence[str]) -> list[States]:
        """The states of each text, in order; a text without tokens has none."""
        notes = self.tokenizer.tokenize(texts)
        windows = cut_windows([len(note) for note in notes], room=self.room, overlap=self.overlap)
        shape = (len(self.layers), self.width)
        each = [np.zeros((len(note), *shape), dtype=np.float32) for note in notes]
        opening = [np.zeros(shape, dtype=np.float64) for _ in notes]
        ahead = len(self.tokenizer.before)
        for window, states in self._run(windows, notes):
            own = states.reshape(len(states), *shape)
            place = ahead + window.first - window.start
            each[window.note][window.first : window.last] = own[place : place + window.last - window.first]
            # Each window of a long text has an opening token of its own; it counts as much as the tokens judged there.
            special = own[0 if ahead else len(window) + len(self.tokenizer.after) - 1]
            opening[window.note] += special * ((window.last - window.first) / len(notes[window.note]))
        for tokens, special in zip(each, opening, strict=True):
            check_numbers(tokens, self.folder)
            check_numbers(special, self.folder)
        return [States(*row) for row in zip(notes, each, (one.astype(np.float32) for one in opening), strict=True)]

    def _run(self, windows: Sequence[Window], notes: Sequence[Tokens]) -> Iterator[tuple[Window, Floats]]:
        batches = batch_windows(windows, budget=self.runtime.budget, specials=self.tokenizer.specials)
        filled = (fill_batch([windows[number] for number in batch], notes, self.tokenizer) for batch in batches)
        for batch, states in zip(batches, self.runtime.run(filled), strict=True):
            for row, number in enumerate(batch):
                yield windows[number], states[row]


def load_states(
    source: str | Path, *, layers: Sequence[int] = (-1,), window: int = 0, device: str = "auto", unsafe: bool = False
) -> StateReader:
    """The encoder of a folder or hub name, whatever head it has; ``window`` 0 is the longest it reads, up to 512 tokens."""
    import torch

    from incognote.find.model.runtimes.torch import TorchRuntime
    from incognote.find.model.weights import start_model

    # The head is not used, so one of a single tag will do; this way the weights are checked as for tagging.
    model, folder = start_model(source, ("O",), unsafe=unsafe)
    tokenizer = load_tokenizer(folder)
    place = open_device(device)
    with watch_memory(place):
        encoder = model.base_model.to(place).eval()
    limit = Checkpoint(folder, "", model.config.to_dict(), ()).limit
    if window > limit:
        raise ConfigError("window", [f"{window}: {folder} reads at most {limit} tokens at once"])
    room = (window or min(limit, 512)) - tokenizer.specials
    if room < 2:
        raise ConfigError("window", [f"{window}: leaves no room for two tokens beside the {tokenizer.specials} special ones"])
    probe = np.array([[*tokenizer.before, tokenizer.pad, *tokenizer.after]])
    with torch.inference_mode():
        states = encoder(input_ids=torch.from_numpy(probe).to(encoder.device), output_hidden_states=True).hidden_states
    numbers = number_layers(layers, len(states) - 1)

    def read(**inputs: Any) -> SimpleNamespace:
        found = encoder(**inputs, output_hidden_states=True).hidden_states
        return SimpleNamespace(logits=torch.cat([found[number] for number in numbers], dim=-1))

    return StateReader(folder, numbers, states[-1].shape[-1], room, room // 4, tokenizer, TorchRuntime(read, place))


def number_layers(layers: Sequence[int], depth: int) -> tuple[int, ...]:
    """The layers counted from the embeddings (0) up; negative numbers count from the top.

    >>> number_layers([-1, 0, 3], 6)
    (6, 0, 3)
    >>> number_layers([7], 6)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    incognote.errors.ConfigError: layers: 7: there is no such layer; the encoder has 6: ...
    """
    faults = [
        f"{layer}: there is no such layer; the encoder has {depth}: 1 to {depth}, and 0 for the embeddings, "
        f"or -1 to -{depth + 1} from the top"
        for layer in layers
        if not -depth - 1 <= layer <= depth
    ]
    numbers = tuple(layer % (depth + 1) for layer in layers)
    if not faults and len(set(numbers)) < max(1, len(numbers)):
        faults.append("name each layer once, and at least one")
    if faults:
        raise ConfigError("layers", faults)
    return numbers


def pool_states(states: States, pool: str) -> Floats:
    """One row ``(layers, width)`` for the text. ``first`` is the opening token ([CLS]), the others go over the text's own tokens."""
    if pool == "first":
        return states.opening
    if pool == "max":
        top: Floats = states.each.max(axis=0)
        return top
    mean: Floats = states.each.mean(axis=0, dtype=np.float64).astype(np.float32)
    return mean
