import numpy as np
import pytest

from incognote.encoders.tagger import EncoderTagger
from tests.fakes import random_texts

pytest.importorskip("openvino")


@pytest.mark.parametrize("family", ["bert", "roberta", "albert", "distilbert", "mpnet"])
def test_scores_are_near_those_of_pytorch_and_in_order(tiny, family):
    texts = random_texts(1, [5, 120, 0, 30, 5])
    exact, quick = (EncoderTagger(str(tiny(family)), device="cpu", runtime=name) for name in ("torch", "openvino"))
    notes = exact.tokenizer.tokenize(texts)
    for one, two in zip(exact.logits(notes), quick.logits(notes), strict=True):
        if one.size:
            assert np.abs(one - two).mean() < 0.02 * one.std()
