"""Fitting token pruning: which tokens the upper layers need is learned from the tags of the whole model on notes without annotations."""

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from incognote.document.bio import OUTSIDE
from incognote.errors import CheckpointError, ConfigError, CorpusError
from incognote.find.model.checkpoint import Checkpoint, replace_whole
from incognote.find.model.config import MARGIN, SETTINGS, VALIDATED
from incognote.find.model.device import open_device
from incognote.find.model.inference import infer_each
from incognote.find.model.runtimes.prefilter import Prefilter
from incognote.find.model.runtimes.pruning import PruningHead, widen
from incognote.find.model.runtimes.pruning_file import write_pruning
from incognote.find.model.runtimes.stack import Linear, Stack, read_stack
from incognote.find.model.runtimes.torch import TorchRuntime
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.tensors import OLD_PRUNING, PRUNING, is_quantized
from incognote.find.model.weights import load_model
from incognote.lab.shrink.confidence_margin import measure_confidence_margin
from incognote.lab.shrink.derived import CODES, check_new, tell_origin
from incognote.lab.shrink.prefilter import learn_prefilter
from incognote.models import SUMS

AROUND, MOST_LOST = 12, 0.0005
"""How many neighbours are kept with a token, and the share of the tokens that the model tags which a head may prune."""

_LOWER_LOST = 0.4  # what a lower head prunes is missed by more layers, so it prunes less
# By so much the logit of a tag is above that of no PHI where a model is sure, and of such tokens a head may prune so many times fewer.
_SURE, _SURE_LOST = 4.0, 0.1
_WIDTH, _EPOCHS, _BATCH, _RATE = 64, 8, 4096, 2e-3
_WEIGHT = 5.0  # a token pruned wrongly costs more than one kept wrongly
_EVERY = 5  # each fifth note is kept for measuring
_STEPS = 24


@dataclass(frozen=True, slots=True)
class Fit:
    """A pruning head, and what it does alone on held-out notes: the share of tokens kept, and of the tagged ones pruned."""

    head: PruningHead | Prefilter
    through: float
    lost: float
    tagged: int

    @property
    def where(self) -> str:
        return f"after layer {self.head.layer}" if self.head.layer else "below the first layer"


@dataclass(frozen=True, slots=True)
class _Read:
    """One note: its tokens, their states after each head's layer ``(tokens, heads, width)``, which of them the model tags, and surely."""

    ids: NDArray[np.integer]
    states: NDArray[np.float16]
    tagged: NDArray[np.bool_]
    sure: NDArray[np.bool_]


def add_pruning(checkpoint: Checkpoint, target: Path, texts: Sequence[str], *, overwrite: bool = False, **options: Any) -> list[Fit]:
    """Write the checkpoint with token pruning; ``options`` are those of :func:`fit_pruning`. No runtime of it is validated yet.

    The confidence margin is measured on the same notes.
    """
    check_new(target, overwrite=overwrite)
    fits = fit_pruning(checkpoint, texts, **options)
    margin = measure_confidence_margin(checkpoint, texts)
    shares = " and ".join(f"{100 * fit.through:.0f} % of the tokens {fit.where}" for fit in fits)
    with replace_whole(target) as draft:
        for file in checkpoint.folder.iterdir():
            if file.is_file() and file.name not in (SUMS, PRUNING, OLD_PRUNING):
                shutil.copyfile(file, draft / file.name)
        settings = {key: value for key, value in checkpoint.settings.items() if key not in (VALIDATED, MARGIN)}
        settings |= {} if margin is None else {MARGIN: margin}
        (draft / "config.json").write_text(json.dumps({**checkpoint.config, SETTINGS: settings}, indent=2) + "\n", encoding="utf-8")
        card = tell_origin(checkpoint, target.name, how=f"token pruning keeps {shares}", packed=CODES)
        (draft / "README.md").write_text(card, encoding="utf-8")
        write_pruning(draft, [fit.head for fit in fits])
    return fits


def fit_pruning(
    checkpoint: Checkpoint,
    texts: Sequence[str],
    *,
    layers: Sequence[int] = (),
    around: int = AROUND,
    most_lost: float = MOST_LOST,
    seed: int = 0,
    device: str = "auto",
) -> list[Fit]:
    """Pruning heads after these layers of a tagger, from notes like those it will tag; layer 0 stands for a prefilter below the first.

    Unless given, these are 0 and half of the layers. The threshold of a head is the highest at which no more than ``most_lost`` of the
    tagged tokens of held-out notes are pruned, and a tenth of that of those that the model is sure of; ``most_lost`` is for the uppermost
    head, and those below it are more careful.
    """
    stack = open_prunable(checkpoint)
    layers = choose_layers(layers, len(stack.layers))
    between = [layer for layer in layers if layer]
    read = list(_read_notes(checkpoint, texts, between, stack.width, device))
    kept, seen = read[::_EVERY], [one for at, one in enumerate(read) if at % _EVERY]
    if not any(one.tagged.any() for one in kept) or not any(one.tagged.any() for one in seen):
        raise CorpusError("the model finds no PHI in these notes, or there are too few of them; token pruning is fitted on a few hundred")
    fits = []
    if len(between) < len(layers):
        prefilter = learn_prefilter([(one.ids, one.tagged) for one in seen], stack, around=around, seed=seed)
        opened = prefilter.open(stack, threads=1)
        fits.append(_set_threshold(prefilter, [opened.score(one.ids) for one in kept], kept, most_lost * _LOWER_LOST))
    for at, layer in enumerate(between):
        head = PruningHead(layer, around, *_learn(seen, at, seed))
        scores = [score_states(head, one.states[:, at].astype(np.float32)) for one in kept]
        fits.append(_set_threshold(head, scores, kept, most_lost * (1 if layer == layers[-1] else _LOWER_LOST)))
    return fits


def choose_layers(layers: Sequence[int], depth: int) -> tuple[int, ...]:
    """The layers to put pruning heads after, checked, from the lowest up.

    >>> choose_layers((), 6), choose_layers((), 1), choose_layers((4, 2), 12)
    ((0, 3), (0,), (2, 4))
    """
    chosen = tuple(sorted({*layers} or {0, depth // 2}))
    if not all(0 <= layer < depth for layer in chosen):
        raise ConfigError("pruning", [f"{{layer}} = {' '.join(map(str, layers))}: a head needs layers above it; the model has {depth}"])
    return chosen


def open_prunable(checkpoint: Checkpoint) -> Stack:
    """The layers of the model; an error unless it is quantized, since only int8 prunes, and our graph covers it."""
    if not is_quantized(checkpoint.folder):
        raise CheckpointError("token pruning is for int8, so quantize it first: incognote shrink quantize", where=checkpoint.folder)
    return read_stack(checkpoint.config, checkpoint.weights)


def _read_notes(checkpoint: Checkpoint, texts: Sequence[str], layers: Sequence[int], width: int, device: str) -> Iterator[_Read]:
    """The states and tags of each note that has tokens."""
    tagger, place = EncoderTagger(str(checkpoint.folder)), open_device(device)
    model = load_model(checkpoint).to(place)
    outside = checkpoint.tags.index(OUTSIDE)
    others = [column for column in range(len(checkpoint.tags)) if column != outside]

    def look(**inputs: Any) -> SimpleNamespace:
        found = model(**inputs, output_hidden_states=True)
        above = found.logits[..., others].amax(dim=-1) - found.logits[..., outside]
        return SimpleNamespace(logits=torch.cat([*(found.hidden_states[layer] for layer in layers), above.unsqueeze(-1)], dim=-1))

    notes = [note for note in tagger.tokenize(texts) if len(note)]
    columns = len(layers) * width + 1
    for number, given in infer_each(TorchRuntime(look, place), notes, tagger.tokenizer, columns=columns, **tagger.cutting._asdict()):
        states = given[:, :-1].astype(np.float16).reshape(len(given), len(layers), width)
        yield _Read(notes[number].ids, states, given[:, -1] > 0, given[:, -1] > _SURE)


def _learn(notes: Sequence[_Read], at: int, seed: int) -> tuple[Linear, Linear]:
    """The two linears of a pruning head, from the states of that number."""
    states = torch.from_numpy(np.concatenate([note.states[:, at] for note in notes]))
    tagged = torch.from_numpy(np.concatenate([note.tagged for note in notes])).float()
    sample = states[:: max(1, len(states) // 100_000)].float()
    middle, spread = sample.mean(dim=0), sample.std(dim=0) + 1e-5
    torch.manual_seed(seed)
    up, down = nn.Linear(states.shape[1], _WIDTH), nn.Linear(_WIDTH, 1)
    optimizer = torch.optim.Adam([*up.parameters(), *down.parameters()], _RATE)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, _EPOCHS * -(-len(states) // _BATCH))
    weight = torch.tensor(_WEIGHT)
    for _ in range(_EPOCHS):
        for rows in torch.split(torch.randperm(len(states)), _BATCH):
            scores = down(torch.relu(up((states[rows].float() - middle) / spread))).squeeze(1)
            loss = nn.functional.binary_cross_entropy_with_logits(scores, tagged[rows], pos_weight=weight)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
    with torch.inference_mode():
        own = up.weight / spread  # so that the states need not be made even first
        return _linear("up", own, up.bias - own @ middle), _linear("down", down.weight, down.bias)


def _linear(name: str, weight: Tensor, bias: Tensor) -> Linear:
    return Linear(name, weight.numpy().astype(np.float32), bias.numpy().astype(np.float32))


def _set_threshold(head: PruningHead | Prefilter, scores: Sequence[NDArray[np.float32]], notes: Sequence[_Read], most_lost: float) -> Fit:
    """The head with the highest threshold that prunes no more than it may."""
    low, high = min(float(one.min()) for one in scores) - 1.0, max(float(one.max()) for one in scores)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        _, lost, surely = _weigh(head.around, scores, notes, middle)
        low, high = (middle, high) if lost <= most_lost and surely <= most_lost * _SURE_LOST else (low, middle)
    through, lost, _ = _weigh(head.around, scores, notes, low)
    settled = replace(head, down=replace(head.down, bias=head.down.bias - np.float32(low)))
    return Fit(settled, through, lost, _count(note.tagged for note in notes))


def score_states(head: PruningHead, states: NDArray[np.float32]) -> NDArray[np.float32]:
    """The score of each token, as the runtimes compute it in their graphs."""
    scores: NDArray[np.float32] = np.maximum(states @ head.up.floats().T + head.up.bias, 0) @ head.down.floats()[0] + head.down.bias
    return scores


def _weigh(around: int, scores: Sequence[NDArray[np.float32]], notes: Sequence[_Read], threshold: float) -> tuple[float, float, float]:
    """The share of tokens that are kept with this threshold, and the shares of tagged ones and of surely tagged ones that are not."""
    chosen = [widen(one > threshold, around) for one in scores]
    through = sum(map(len, chosen)) / sum(map(len, scores))
    marks = [[note.tagged for note in notes], [note.sure for note in notes]]
    lost, surely = (1 - _count(kept[on] for kept, on in zip(mark, chosen, strict=True)) / max(1, _count(mark)) for mark in marks)
    return through, lost, surely


def _count(marks: Iterable[NDArray[np.bool_]]) -> int:
    return sum(int(mark.sum()) for mark in marks)
