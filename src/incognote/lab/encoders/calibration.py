"""Temperature scaling (Guo et al. 2017): one number that makes a tagger's probabilities mean what they say."""

from collections.abc import Sequence

import numpy as np

from incognote.document import Document
from incognote.find.model.inference import Logits, softmax
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.tokens import Ints
from incognote.lab.encoders.encoding import encode_notes

_LOWEST, _HIGHEST, _STEPS = 0.2, 10.0, 40
_GOLDEN = (5**0.5 - 1) / 2


def calibrate(tagger: EncoderTagger, documents: Sequence[Document]) -> float:
    """The temperature that fits a tagger's probabilities to annotated documents it was not trained on.

    Keep it with ``save_checkpoint(…, settings={"temperature": …})``; the tagger uses it from then on.
    """
    notes = encode_notes(documents, tagger.tokenizer, tagger.tags)
    logits = tagger.logits([note.tokens for note in notes])
    return fit_temperature(np.concatenate(logits), np.concatenate([note.tags for note in notes]))


def fit_temperature(logits: Logits, tags: Ints) -> float:
    """The temperature under which the right tags are likeliest, found by golden section on its logarithm.

    >>> sure = np.array([[9.0, 0.0], [9.0, 0.0]], dtype=np.float32)
    >>> fit_temperature(sure, np.array([0, 1], dtype=np.int32)) > 5  # right half of the time, yet all but certain
    True
    """
    if not len(tags):
        return 1.0
    low, high = np.log(_LOWEST), np.log(_HIGHEST)
    for _ in range(_STEPS):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if _surprise(logits, tags, left) < _surprise(logits, tags, right):
            high = right
        else:
            low = left
    return round(float(np.exp((low + high) / 2)), 4)


def _surprise(logits: Logits, tags: Ints, log_temperature: float) -> float:
    chances = softmax(logits, temperature=float(np.exp(log_temperature)))[np.arange(len(tags)), tags]
    return float(-np.log(np.maximum(chances, 1e-12)).mean())
