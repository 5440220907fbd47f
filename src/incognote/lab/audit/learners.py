"""What can be trained to put notes into classes: word counts or hidden states under logistic regression. Fine-tuning is in ``tuning``.

A learner is given the notes of one form to train on and gives back a classifier of notes in any form.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incognote.evaluate.bootstrap import Whole

Matrix = NDArray[np.float32]
Sparse = Any  # a scipy.sparse matrix, which has no types
# Which form, and which notes of it, to the class of each.
Classifier = Callable[[str, Whole], Whole]
# The form and the notes to train on, their classes, and a seed.
Learner = Callable[[str, Whole, Whole, int], Classifier]


@dataclass(frozen=True, slots=True)
class HeadLearner:
    """A scikit-learn estimator over the features of each form, which are computed once."""

    features: Mapping[str, Any] = field(repr=False)
    make_estimator: Callable[[], Any] = field(repr=False)

    def __call__(self, form: str, places: Whole, targets: Whole, seed: int) -> Classifier:
        if len(set(targets.tolist())) == 1:  # a fold may hold every other class
            return lambda other, asked: np.full(len(asked), targets[0])
        model = self.make_estimator().fit(self.features[form][places], targets)
        return lambda other, asked: np.asarray(model.predict(self.features[other][asked]), dtype=np.int64)


def make_word_learner(texts: Mapping[str, Sequence[str]]) -> HeadLearner:
    """TF-IDF of words and logistic regression: strong where the topic decides, fast, and without a model."""
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    return HeadLearner(
        count_terms(texts), lambda: make_pipeline(TfidfTransformer(sublinear_tf=True), LogisticRegression(C=30.0, max_iter=1000))
    )


def make_state_learner(states: Mapping[str, Matrix]) -> HeadLearner:
    """The frozen regime: hidden states computed once for every note, and logistic regression over them."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return HeadLearner(states, lambda: make_pipeline(StandardScaler(), LogisticRegression(C=1.0, max_iter=1000)))


def count_terms(texts: Mapping[str, Sequence[str]], **options: Any) -> dict[str, Sparse]:
    """How often each note of each form has each term: words in lower case, unless ``options`` of ``CountVectorizer`` say otherwise."""
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(**(options or {"token_pattern": r"\w+"}))
    vectorizer.fit(text for notes in texts.values() for text in notes)
    return {form: vectorizer.transform(notes) for form, notes in texts.items()}
