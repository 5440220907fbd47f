"""Encoders trained for the audits with the one loop: classes of notes, pairs of notes, and answers in notes; the regime says how deep."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

import numpy as np

from incognote.errors import ConfigError
from incognote.evaluate.bootstrap import Floats, Whole
from incognote.find.model import find_source
from incognote.find.model.checkpoint import Checkpoint, find_folder
from incognote.find.model.config import read_config
from incognote.lab.audit.alignment import ORIGINAL, Aligned
from incognote.lab.audit.learners import Classifier
from incognote.lab.audit.pairs import Pairs
from incognote.lab.audit.regimes import Regime
from incognote.lab.training.answerer import train_answerer
from incognote.lab.training.classifier import train_classifier
from incognote.lab.training.recipe import Recipe
from incognote.lab.training.texts import Example, Examples

_DEPTHS = ("num_hidden_layers", "n_layers", "n_layer")
_VALIDATION = 0.1
# A new head on layers that hold still learns faster than they should.
_HEAD_RATE = 20


@dataclass(frozen=True, slots=True)
class TunedClasses:
    """A learner of classes: the encoder of the recipe, trained again each time."""

    texts: Mapping[str, Sequence[str]] = field(repr=False)
    recipe: Recipe

    def __call__(self, form: str, places: Whole, targets: Whole, seed: int) -> Classifier:
        examples = [Example(f"note {at}", self.texts[form][at], label=str(target)) for at, target in zip(places, targets, strict=True)]
        model, _ = train_classifier(_seeded(self.recipe, seed), hold_some(examples, seed))
        names = np.array([int(name) for name in model.classes], dtype=np.int64)

        def classify(other: str, asked: Whole) -> Whole:
            return np.asarray(names[model.judge([self.texts[other][at] for at in asked]).argmax(axis=1)])

        return classify


@dataclass(frozen=True, slots=True)
class TunedPairs:
    """An attack: the encoder reads both notes side by side and learns whether one patient has both."""

    texts: Mapping[str, Sequence[str]] = field(repr=False)
    recipe: Recipe

    def __call__(self, form: str, train: Pairs, test: Pairs, seed: int) -> Floats:
        examples = [
            Example(f"pair {at}", one, other=two, label=str(int(true)))
            for at, (one, two, true) in enumerate(zip(*self._read(form, train), train.true, strict=True))
        ]
        model, _ = train_classifier(_seeded(self.recipe, seed), hold_some(examples, seed))
        return np.asarray(model.judge_pairs(list(zip(*self._read(form, test), strict=True)))[:, 1], dtype=np.float64)

    def _read(self, form: str, pairs: Pairs) -> tuple[list[str], list[str]]:
        return [self.texts[form][at] for at in pairs.scrubbed], [self.texts[ORIGINAL][at] for at in pairs.original]


@dataclass(frozen=True, slots=True)
class TunedAnswers:
    """A learner of answers: it finds them in the notes of any form once it is trained on one."""

    notes: Aligned = field(repr=False)
    recipe: Recipe

    def __call__(
        self, form: str, asked: Sequence[tuple[int, str, str]], tests: Mapping[str, Sequence[tuple[int, str]]], seed: int
    ) -> dict[str, list[str]]:
        """Train on ``(place, question, answer)`` in a form, an empty answer for one that the note has no more; answer each test form."""
        texts = self.notes.texts
        examples = [
            Example(f"question {at}", texts[form][place], question=question, answer=answer)
            for at, (place, question, answer) in enumerate(asked)
        ]
        model, _ = train_answerer(_seeded(self.recipe, seed), hold_some(examples, seed))
        return {
            other: [found.text for found in model.answer([(question, texts[other][place]) for place, question in each])]
            for other, each in tests.items()
        }


def make_recipe(model: str, task: str, regime: Regime, *, epochs: int, rate: float = 5e-5) -> Recipe:
    """The settings of every training of an audit: the same whatever form the notes have."""
    folder = find_folder(find_source(model))
    config = read_config(folder)
    depth = next((int(config[key]) for key in _DEPTHS if config.get(key)), 0)
    window = min(512, Checkpoint(folder, "", config, ()).limit)
    return Recipe(
        model=str(folder),
        task=task,
        epochs=epochs,
        learning_rate=rate,
        freeze=regime.freeze(depth),
        learning_rates={} if regime.top is None else {"head": min(1.0, _HEAD_RATE * rate)},
        warmup=0.5,
        window=window,
        overlap=window // 4,
        save_every=0,
    )


def hold_some(examples: Sequence[Example], seed: int) -> Examples:
    """One example in ten of every label that has enough is kept back, to select the best epoch by; the others are learned from."""
    groups: dict[str, list[Example]] = {}
    for example in Random(f"validation {seed}").sample(list(examples), len(examples)):
        groups.setdefault(example.label, []).append(example)
    held = {one.id for group in groups.values() if len(group) > 3 for one in group[: max(1, round(_VALIDATION * len(group)))]}
    if not held:
        raise ConfigError("data", [f"{len(examples)} examples are too few to keep some for validation"], fix="set {model} to words")
    return Examples(
        tuple(one for one in examples if one.id not in held),
        tuple(one for one in examples if one.id in held),
    )


def _seeded(recipe: Recipe, seed: int) -> Recipe:
    return replace(recipe, seed=seed)
