"""The audits with an encoder: frozen states read once, and encoders trained for classes, pairs and answers."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

from incognote.document import Document
from incognote.errors import ConfigError, CorpusError
from incognote.lab.audit.alignment import Aligned, align
from incognote.lab.audit.answers import Question, measure_answers
from incognote.lab.audit.hidden import read_states
from incognote.lab.audit.labels import find_labels
from incognote.lab.audit.learners import make_state_learner
from incognote.lab.audit.pairs import draw_pairs, split_patients
from incognote.lab.audit.regimes import Regime, parse_regime
from incognote.lab.audit.tuning import TunedAnswers, TunedClasses, TunedPairs, hold_some, make_recipe
from incognote.lab.audit.utility import measure_utility
from incognote.lab.training.texts import Example

pytestmark = pytest.mark.usefixtures("one_thread")
FILLER = "was seen by on in aged the patient and plan follow up with weeks".split()


def make_notes(count: int = 48) -> Aligned:
    """Notes whose class is told by a place; scrubbing takes the name out, not the place."""
    random = Random(0)
    original, redact = [], []
    for at in range(count):
        place = ("Boston", "fever")[at % 2]
        words = random.choices(FILLER, k=4)
        for target, name in ((original, "Ann"), (redact, "***")):
            text = f"{name} {' '.join(words)} {place} {place} {place} {place} {place}"
            target.append(Document(f"n{at}", text, patient=f"p{at // 4}", meta={"label": place}))
    return align(original, {"redact": redact})


def test_a_text_is_read_once_and_stands_in_every_form_that_has_it(encoder: Path) -> None:
    notes = align([Document("a", "Ann was seen"), Document("b", "fever")], {"tag": [Document("a", "fever"), Document("b", "fever")]})
    read: list[int] = []
    states = read_states(notes, str(encoder), device="cpu", tick=read.append)
    assert sum(read) == 2
    np.testing.assert_array_equal(states["tag"][0], states["original"][1])
    assert states["original"].shape == (2, 32)


def test_an_empty_note_has_no_states(encoder: Path) -> None:
    with pytest.raises(CorpusError, match="document b: there is no token"):
        read_states(align([Document("a", "fever"), Document("b", " ")], {}), str(encoder), device="cpu")


def test_a_frozen_encoder_under_a_light_head_classifies(encoder: Path) -> None:
    notes = make_notes()
    labels = find_labels(notes, "label")
    learner = make_state_learner(read_states(notes, str(encoder), device="cpu"))
    audit = measure_utility(notes, labels, learner, seeds=(0,), folds=3, resamples=50)
    assert all(trial.scores["accuracy"].value > 0.8 for trial in audit.trials)


def test_an_encoder_is_tuned_for_classes(encoder: Path) -> None:
    notes = make_notes()
    labels = find_labels(notes, "label")
    recipe = make_recipe(str(encoder), "classes", Regime(1), epochs=20, rate=2e-3)
    assert (recipe.freeze, recipe.window) == (1, 64)
    audit = measure_utility(notes, labels, TunedClasses(notes.texts, recipe), seeds=(0,), folds=2, resamples=50)
    assert audit.trials[0].scores["accuracy"].value > 0.65


def test_an_encoder_is_tuned_to_attack_pairs(encoder: Path) -> None:
    notes = make_notes()
    train, test = split_patients(notes, 0)
    pairs = [draw_pairs(notes, places, [""] * len(notes), 0) for places in (train, test)]
    attack = TunedPairs(notes.texts, make_recipe(str(encoder), "pairs", Regime(None), epochs=1, rate=1e-3))
    scores = attack("redact", *pairs, 0)
    assert scores.shape == (len(pairs[1]),)
    assert ((scores > 0) & (scores < 1)).all()


def test_an_encoder_is_tuned_to_answer(encoder: Path) -> None:
    notes = make_notes(24)
    questions = [Question(at, "in", ("Boston", "fever")[at % 2]) for at in range(24)]
    recipe = make_recipe(str(encoder), "answers", Regime(None), epochs=1, rate=2e-3)
    audit = measure_answers(notes, questions, TunedAnswers(notes, recipe), seeds=(0,), folds=2, resamples=20)
    assert audit.kept["redact"].value == 1.0
    assert [set(trial.scores) for trial in audit.trials] == [{"exact", "f1"}] * 4


def test_more_layers_than_there_are_cannot_learn(encoder: Path) -> None:
    with pytest.raises(ConfigError, match="top-9: the encoder has 2 layers"):
        make_recipe(str(encoder), "classes", parse_regime("top-9"), epochs=1)
    with pytest.raises(ConfigError, match="half: is frozen, all, or top-N"):
        parse_regime("half")


def test_some_examples_of_each_label_are_kept_back() -> None:
    examples = [Example(f"e{at}", "x", label="ab"[at % 2]) for at in range(40)]
    splits = hold_some(examples, 0)
    assert (len(splits.train), len(splits.validation)) == (36, 4)
    assert {one.label for one in splits.validation} == {"a", "b"}
    with pytest.raises(ConfigError, match="too few"):
        hold_some(examples[:4], 0)
