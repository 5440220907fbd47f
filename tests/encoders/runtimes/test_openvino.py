import numpy as np
import pytest

from incognote.encoders.tagger import EncoderTagger
from tests.fakes import random_texts


@pytest.mark.parametrize("family", ["bert", "roberta", "albert", "distilbert", "mpnet"])
def test_scores_are_near_those_of_pytorch_and_in_order(tiny, family):
    texts = random_texts(1, [5, 120, 0, 30, 5])
    exact, quick = (EncoderTagger(str(tiny(family)), device="cpu", runtime=name) for name in ("torch", "openvino"))
    notes = exact.tokenizer.tokenize(texts)
    for one, two in zip(exact.logits(notes), quick.logits(notes), strict=True):
        if one.size:
            assert np.abs(one - two).mean() < 0.02 * one.std()


@pytest.mark.parametrize("family", ["roberta", "mpnet"])
def test_scores_do_not_depend_on_padding_or_neighbours(tiny, family):
    texts = random_texts(2, [1, 15, 16, 17, 90])
    tagger = EncoderTagger(str(tiny(family)), device="cpu", runtime="openvino")
    for text, scores in zip(texts, tagger.scores(texts), strict=True):
        assert (tagger.scores([text])[0].probabilities == scores.probabilities).all()
