"""Layers dropped from a tagging model after "Poor Man's BERT" (Sajjad et al. 2020): which to keep, and the model without the rest."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from incognote.document import Document
from incognote.errors import CheckpointError, ConfigError
from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.config import read_config
from incognote.find.model.tensors import SCALE, Tensors
from incognote.lab.shrink.derived import write_derived

STRATEGIES = ("top", "bottom", "even", "odd", "middle", "contribution")
LAYER = re.compile(r"(?<=\.)(layers?)\.(\d+)\.")
_COUNTS = ("num_hidden_layers", "n_layers", "n_layer")
_WINDOWS = 64


def choose_layers(count: int, drop: int, strategy: str, *, likeness: Sequence[float] = ()) -> tuple[int, ...]:
    """The layers that stay, numbered from 0. Papers count them from 1, so ``even`` drops the last of twelve first.

    Where every other layer is gone and more must go, ``even`` and ``odd`` begin again on those that are left. ``middle`` keeps the
    bottom when both ends cannot be equal. ``contribution`` drops the layers whose output is most like their input (``likeness``).

    >>> {name: choose_layers(6, 2, name) for name in ("top", "bottom", "even", "odd", "middle")}
    {'top': (0, 1, 2, 3), 'bottom': (2, 3, 4, 5), 'even': (0, 1, 2, 4), 'odd': (0, 1, 3, 5), 'middle': (0, 1, 4, 5)}
    >>> choose_layers(4, 1, "contribution", likeness=[0.8, 0.99, 0.9, 0.7])
    (0, 2, 3)
    """
    check_drop(count, drop)
    if strategy not in STRATEGIES:
        raise ConfigError("prune", [f"strategy = {strategy!r}: wants one of {', '.join(STRATEGIES)}"])
    if strategy == "contribution" and len(likeness) != count:
        raise ConfigError("prune", ["the strategy contribution needs notes to measure what layers do; name them with {data}"])
    ways: dict[str, Callable[[], Iterable[int]]] = {
        "top": lambda: range(count - drop, count),
        "bottom": lambda: range(drop),
        "even": lambda: _alternate(count, drop, odd=False),
        "odd": lambda: _alternate(count, drop, odd=True),
        "middle": lambda: range((count - drop + 1) // 2, (count - drop + 1) // 2 + drop),
        "contribution": lambda: sorted(range(count), key=lambda at: -likeness[at])[:drop],
    }
    gone = set(ways[strategy]())
    return tuple(at for at in range(count) if at not in gone)


def check_drop(count: int, drop: int) -> None:
    """Raise unless a layer is left."""
    if not 0 <= drop < count:
        raise ConfigError("prune", [f"{drop} layers to drop: the model has {count}, and one at least must stay"])


def _alternate(count: int, drop: int, *, odd: bool) -> list[int]:
    left, gone = list(range(count)), list[int]()
    while len(gone) < drop:
        chosen = left[0 if odd or len(left) == 1 else 1 :: 2][::-1][: drop - len(gone)]
        gone += chosen
        left = [at for at in left if at not in chosen]
    return gone


def spread_layers(count: int, keep: int) -> tuple[int, ...]:
    """So many layers at even distances, the first and the last among them, as DistilBERT began.

    >>> spread_layers(12, 6), spread_layers(6, 3), spread_layers(3, 1)
    ((0, 2, 4, 7, 9, 11), (0, 2, 5), (0,))
    """
    check_drop(count, count - keep)
    return tuple(round(at * (count - 1) / max(1, keep - 1)) for at in range(keep))


def count_layers(config: Mapping[str, Any]) -> int:
    """How many layers a model has of its own; ALBERT has one that it runs again and again."""
    name = next((name for name in _COUNTS if name in config), None)
    if name is None or config.get("model_type") == "albert":
        raise CheckpointError(f"layers of the family {config.get('model_type')} cannot be dropped: it has no stack of layers of its own")
    return int(config[name])


def keep_layers(source: Path, target: Path, kept: Sequence[int]) -> Path:
    """Write the Checkpoint at ``source`` to ``target`` with these layers only, in their order; codes stay codes."""
    config = read_config(source)
    count = count_layers(config)
    numbers = {old: new for new, old in enumerate(sorted(kept))}
    weights = Tensors(source)
    _check_first(source, weights, min(numbers))
    tensors = {}
    for name in weights:
        found = LAYER.search(name)
        if found and int(found[2]) not in numbers:
            continue
        fresh = LAYER.sub(rf"\g<1>.{numbers[int(found[2])]}.", name) if found else name
        tensors[fresh] = weights.raw(name)
        if weights.quantized(name):
            tensors[fresh + SCALE] = weights.raw(name + SCALE)
    lists = {key: [value[at] for at in sorted(numbers)] for key, value in config.items() if key == "layer_types" and value}
    sizes = {name: len(numbers) for name in _COUNTS if name in config}
    how = f"layers {', '.join(map(str, sorted(numbers)))} of its {count}, counted from 0"
    return write_derived(source, target, tensors, {**config, **lists, **sizes}, how=how)


def _check_first(source: Path, weights: Tensors, first: int) -> None:
    """ModernBERT's first layer lacks a norm that the others have, so none of them can take its place."""
    names: dict[int, set[str]] = {0: set(), first: set()}
    for name in weights:
        if (found := LAYER.search(name)) and int(found[2]) in names:
            names[int(found[2])].add(name[found.end() :])
    if names[0] != names[first]:
        raise CheckpointError("the first layer of this family is unlike the others and must stay", where=source, fix="use another strategy")


def measure_likeness(folder: Path, documents: Sequence[Document]) -> list[float]:
    """For each layer the mean cosine between what goes into it and what comes out, over tokens of the documents: near 1 does little."""
    import torch

    from incognote.find.model.inference import infer_notes
    from incognote.find.model.runtimes.torch import TorchRuntime
    from incognote.find.model.tagger import EncoderTagger
    from incognote.find.model.weights import load_model
    from incognote.lab.training.machine import list_layers

    if not documents:
        raise ConfigError("prune", ["the strategy contribution needs notes to measure what layers do; name them with {data}"])
    model = load_model(load_checkpoint(folder))
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    sums = [[0.0, 0] for _ in list_layers(model)]

    def listen(at: int) -> Any:
        def note(_: object, args: tuple[Any, ...], options: dict[str, Any], output: Any) -> None:
            before = args[0] if args else options["hidden_states"]
            after = output if isinstance(output, torch.Tensor) else output[0]
            alike = torch.nn.functional.cosine_similarity(before.float(), after.float(), dim=-1)
            sums[at][0] += float(alike.sum())
            sums[at][1] += alike.numel()

        return note

    hooks = [layer.register_forward_hook(listen(at), with_kwargs=True) for at, layer in enumerate(list_layers(model))]
    tagger = EncoderTagger(str(folder))
    notes = tagger.tokenizer.tokenize([document.text for document in documents[:_WINDOWS]])
    # A budget of one token puts each window into a batch of its own, so that no padding is counted.
    infer_notes(
        TorchRuntime(model.to(device), device), notes, tagger.tokenizer, columns=len(tagger.tags), budget=1, **tagger.cutting._asdict()
    )
    for hook in hooks:
        hook.remove()
    return [total / max(1, tokens) for total, tokens in sums]
