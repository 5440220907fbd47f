"""The confidence margin: how close two tags of a token are when int8 may take one for the other, which the cascade goes by."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from incognote.find.model.checkpoint import Checkpoint
from incognote.find.model.runtimes.loading import ONNX_FP32
from incognote.find.model.runtimes.onnx import INT8, load_onnx_runtime
from incognote.find.model.tagger import EncoderTagger

_MISSED = 0.005  # of the tokens that int8 tags otherwise than full precision, the share that may be outside the margin
_FEWEST = 100  # such tokens: of fewer the rare ones among them are not known


def measure_confidence_margin(checkpoint: Checkpoint, texts: Sequence[str]) -> float | None:
    """How far apart in int8 the logits of a token's two likeliest tags are at most, where int8 takes one for the other.

    None where these texts have too few such tokens.
    """
    exact = EncoderTagger(str(checkpoint.folder), device="cpu", runtime=ONNX_FP32)
    quick = replace(exact, runtime=load_onnx_runtime(checkpoint, precision=INT8, pruned=False))
    notes = exact.tokenize(texts)
    margins = []
    for full, rough in zip(exact.logits(notes), quick.logits(notes), strict=True):
        best = np.sort(rough[rough.argmax(axis=1) != full.argmax(axis=1)], axis=1)[:, -2:]
        margins.append(best[:, 1] - best[:, 0])
    mistaken = np.concatenate(margins) if margins else np.zeros(0)
    return round(float(np.quantile(mistaken, 1 - _MISSED)), 3) if len(mistaken) >= _FEWEST else None
