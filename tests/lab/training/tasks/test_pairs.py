from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.errors import CheckpointError, ConfigError
from incognote.lab.training.classifier import load_classifier, train_classifier
from incognote.lab.training.loop import train
from incognote.lab.training.recipe import Recipe
from incognote.lab.training.tasks.pairs import cut_pair, prepare_pairs
from incognote.lab.training.texts import Example, Examples
from tests.fakes import FAMILIES, tiny_encoder

FILLER = "the patient was seen in clinic on 3 May 2021 with Ann and Omar".split()


def make_pairs(count: int, *, seed: int = 0) -> tuple[Example, ...]:
    """Pairs of texts with the same words, but for the one that tells of a fever; their class says which that is."""
    random = Random(seed)
    examples = []
    for at in range(count):
        first = random.random() < 0.5
        texts = [" ".join([*random.sample(FILLER, 3), word, *random.sample(FILLER, 2)]) for word in ("fever", "pain")]
        one, two = texts if first else reversed(texts)
        examples.append(Example(f"p{at}", one, other=two, label="first" if first else "second"))
    return tuple(examples)


@pytest.fixture(scope="module")
def splits() -> Examples:
    return Examples(make_pairs(200), make_pairs(60, seed=1), make_pairs(60, seed=2))


@pytest.fixture
def recipe(encoder: Path) -> Recipe:
    return Recipe(model=str(encoder), task="pairs", batch=16, epochs=5, learning_rate=5e-3, warmup=1, dropout=0.0, window=64, overlap=16)


def test_a_tiny_encoder_learns_which_of_two_texts_tells_of_a_fever(recipe: Recipe, splits: Examples) -> None:
    classifier, outcome = train_classifier(recipe, splits)
    assert outcome.scores["auc"] > 0.8
    judged = classifier.judge_pairs([(one.text, one.other) for one in splits.test])
    right = [classifier.classes[at] == one.label for at, one in zip(judged.argmax(axis=1), splits.test, strict=True)]
    assert np.mean(right) > 0.75


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_every_family_frames_pairs_as_its_tokenizer_does(family: str, recipe: Recipe, splits: Examples, tmp_path: Path) -> None:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    recipe = replace(recipe, model=str(tiny_encoder(tmp_path / family, family)), epochs=1)
    few = Examples(splits.train[:16], splits.validation[:8])
    task = prepare_pairs(recipe, few)
    train(task, recipe)
    task.save(task.model, tmp_path / "model", card={})
    pairs = [(one.text, one.other) for one in few.validation]
    ours = load_classifier(tmp_path / "model").judge_pairs(pairs)
    np.testing.assert_allclose(ours, task.judge(task.model, few.validation), atol=1e-5)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "model")
    model = AutoModelForSequenceClassification.from_pretrained(tmp_path / "model").eval()
    for one, row in zip(few.validation, ours, strict=True):
        rows = tokenizer(one.text, one.other, return_tensors="pt")
        assert ("token_type_ids" in rows) == task.frame.typed
        theirs = model(**rows).logits.softmax(-1)[0].tolist()
        assert row.tolist() == pytest.approx(theirs, abs=1e-5)


@given(st.integers(1, 90), st.integers(1, 90), st.integers(4, 40), st.integers(0, 20))
def test_pieces_of_a_pair_fit_and_hold_all_of_both_texts(one: int, two: int, room: int, overlap: int) -> None:
    pieces = list(cut_pair(np.arange(one), np.arange(two), room=room, overlap=min(overlap, room // 2)))
    assert all(len(a) + len(b) <= room and len(a) and len(b) for a, b in pieces)
    for length, side in ((one, 0), (two, 1)):
        assert {int(token) for piece in pieces for token in piece[side]} == set(range(length))


def test_long_pairs_are_told_in_the_run(recipe: Recipe, splits: Examples) -> None:
    long = tuple(replace(one, text=one.text * 9, other=one.other * 7) for one in splits.test[:2])
    task = prepare_pairs(recipe, Examples(splits.train, splits.validation, long))
    assert task.remarks == ("test: 2 of 2 examples are longer than the window of 64 tokens and are read in pieces",)


def test_a_pair_without_its_other_text_is_a_fault(recipe: Recipe, splits: Examples) -> None:
    with pytest.raises(ConfigError, match="empty other: p0"):
        prepare_pairs(recipe, Examples((replace(splits.train[0], other=""), *splits.train[1:]), splits.validation))


def test_a_tokenizer_that_does_not_part_two_texts_is_an_error(recipe: Recipe, splits: Examples, tmp_path: Path) -> None:
    from tokenizers import Tokenizer, processors

    folder = tiny_encoder(tmp_path / "odd")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    marks = [(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=marks)
    tokenizer.save(str(folder / "tokenizer.json"))
    with pytest.raises(CheckpointError, match="nothing between two texts"):
        prepare_pairs(replace(recipe, model=str(folder)), splits)


def test_a_classifier_of_pairs_does_not_judge_texts(recipe: Recipe, splits: Examples) -> None:
    classifier, _ = train_classifier(replace(recipe, epochs=1), Examples(splits.train[:16], splits.validation[:8]))
    with pytest.raises(ConfigError, match="trained for pairs, not for classes"):
        classifier.judge(["Ann"])
