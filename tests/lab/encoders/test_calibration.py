import numpy as np
import pytest

from incognote.document import parse_markup
from incognote.find.model.inference import softmax
from incognote.find.model.tagger import EncoderTagger
from incognote.lab.encoders.calibration import calibrate, fit_temperature


@pytest.mark.parametrize("true", [0.5, 1.0, 2.5])
def test_the_temperature_that_made_the_tags_is_found_again(true):
    random = np.random.default_rng(3)
    logits = random.normal(0, 3, (20_000, 5)).astype(np.float32)
    chances = softmax(logits, temperature=true).cumsum(axis=1)
    tags = (random.random((len(logits), 1)) > chances).sum(axis=1).clip(max=4).astype(np.int32)
    assert fit_temperature(logits, tags) == pytest.approx(true, rel=0.05)


def test_a_tagger_that_guesses_is_told_to_be_less_sure(tiny):
    notes = [parse_markup(f"<PATIENT>Ann Lee</PATIENT> was seen on <DATE>3 May</DATE> in Boston {number}") for number in range(5)]
    assert calibrate(EncoderTagger(str(tiny("bert")), device="cpu"), notes) > 1


def test_nothing_to_learn_from_changes_nothing(tiny):
    assert calibrate(EncoderTagger(str(tiny("bert")), device="cpu"), [parse_markup("")]) == 1.0
