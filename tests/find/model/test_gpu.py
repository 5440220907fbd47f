"""What only a GPU can show; skipped where there is none."""

import pytest
import torch

from incognote.find.model.tagger import EncoderTagger
from tests.fakes import FAMILIES, random_texts

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


@pytest.mark.parametrize("family", FAMILIES)
def test_half_precision_on_a_gpu_scores_nearly_as_the_processor_does(tiny, family):
    texts = random_texts(1, [5, 120, 0, 30, 600])
    exact = EncoderTagger(str(tiny(family)), device="cpu").scores(texts)
    quick = EncoderTagger(str(tiny(family)), device="cuda", budget=700).scores(texts)
    for one, two in zip(exact, quick, strict=True):
        assert one.starts.tolist() == two.starts.tolist()
        assert two.probabilities == pytest.approx(one.probabilities, abs=0.08)


def test_results_on_a_gpu_come_in_the_order_of_the_texts(tiny):
    texts = random_texts(2, [40, 3, 150, 1, 0, 77])
    tagger = EncoderTagger(str(tiny("bert")), device="cuda", budget=200)
    assert tagger.tag(texts[::-1]) == tagger.tag(texts)[::-1]
