"""What can be trained to put notes into classes: word counts or hidden states under a light head. Fine-tuning is in ``tuning``.

A learner is given the notes of one form to train on and gives back a classifier of notes in any form.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from incognote.evaluate.bootstrap import Whole
from incognote.lab.audit.logistic import Matrix, fit_head
from incognote.lab.audit.word_features import Weights, count_all, list_words

# Which form, and which notes of it, to the class of each.
Classifier = Callable[[str, Whole], Whole]
# The form and the notes to train on, their classes, and a seed.
Learner = Callable[[str, Whole, Whole, int], Classifier]

# Over the number of notes, this is the penalty on the squared weights.
_WORDS_PENALTY = 1 / 30
_STATES_PENALTY = 1.0


@dataclass(frozen=True, slots=True)
class WordLearner:
    """Hashed TF-IDF and logistic regression: strong where the topic decides, fast, and without a model."""

    counts: Mapping[str, Matrix] = field(repr=False)
    classes: int

    def __call__(self, form: str, places: Whole, targets: Whole, seed: int) -> Classifier:
        rows = self.counts[form][places]
        weights = Weights.of(rows)
        head = fit_head(weights.apply(rows), targets, classes=self.classes, penalty=_WORDS_PENALTY / len(places))
        return lambda other, asked: head.classify(weights.apply(self.counts[other][asked]))


@dataclass(frozen=True, slots=True)
class StateLearner:
    """The frozen regime: hidden states computed once for every note, and logistic regression over them."""

    states: Mapping[str, Matrix] = field(repr=False)
    classes: int

    def __call__(self, form: str, places: Whole, targets: Whole, seed: int) -> Classifier:
        scale = Scale.of(self.states[form][places])
        head = fit_head(scale.apply(self.states[form][places]), targets, classes=self.classes, penalty=_STATES_PENALTY / len(places))
        return lambda other, asked: head.classify(scale.apply(self.states[other][asked]))


@dataclass(frozen=True, slots=True)
class Scale:
    """Each column brought to mean 0 and deviation 1, as the training rows have it."""

    mean: Matrix = field(repr=False)
    deviation: Matrix = field(repr=False)

    @classmethod
    def of(cls, rows: Matrix) -> "Scale":
        deviation = rows.std(axis=0)
        return cls(rows.mean(axis=0), np.where(deviation < 1e-6, 1, deviation).astype(np.float32))

    def apply(self, rows: Matrix) -> Matrix:
        return np.asarray((rows - self.mean) / self.deviation, dtype=np.float32)


def make_word_learner(texts: Mapping[str, Sequence[str]], classes: int) -> WordLearner:
    """The learner over the words of these notes, counted once."""
    return WordLearner({form: count_all([list_words(text) for text in notes]) for form, notes in texts.items()}, classes)
