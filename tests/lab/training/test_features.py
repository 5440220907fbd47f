from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from incognote.errors import ConfigError
from incognote.find.model.tagger import EncoderTagger
from incognote.lab.training.answerer import load_answerer
from incognote.lab.training.classifier import load_classifier
from incognote.lab.training.data import Splits
from incognote.lab.training.features import body_of
from incognote.lab.training.loop import Progress, train
from incognote.lab.training.recipe import Recipe
from incognote.lab.training.tasks.classes import prepare_classes
from incognote.lab.training.tasks.extractive_qa import prepare_extractive_qa
from incognote.lab.training.tasks.tagging import prepare_tagging
from incognote.lab.training.texts import Examples
from tests.fakes import FAMILIES, tiny_encoder
from tests.lab.training.tasks.test_answers import make_questions
from tests.lab.training.tasks.test_classes import make_texts

TEXTS = Examples(tuple(make_texts(60)), tuple(make_texts(20, seed=1)))


@pytest.fixture
def frozen(recipe: Recipe) -> Recipe:
    return replace(recipe, task="classes", batch=8, epochs=6, learning_rate=2e-2, freeze="all-but-head", features="last")


@contextmanager
def counting(model: Any) -> Iterator[list[int]]:
    """Every row that passes through the encoder while this lasts, by its first layer."""
    rows: list[int] = []
    layer = next(module for module in body_of(model).modules() if isinstance(module, torch.nn.ModuleList))[0]
    handle = layer.register_forward_pre_hook(lambda _, inputs, options: rows.append(len((*inputs, *options.values())[0])), with_kwargs=True)
    yield rows
    handle.remove()


def test_the_encoder_runs_once_over_each_text(frozen: Recipe) -> None:
    task = prepare_classes(frozen, TEXTS)
    with counting(task.model) as rows:
        outcome = train(task, frozen)
    texts = {one.text for one in (*TEXTS.train, *TEXTS.validation)}
    assert len(outcome.history) == 6
    assert sum(rows) == len(texts) == 80


def test_only_the_head_learns_and_it_learns(frozen: Recipe) -> None:
    long = replace(frozen, epochs=60, learning_rate=5e-3, dropout=0.0)
    task = prepare_classes(long, TEXTS)
    before = {name: weight.clone() for name, weight in task.model.state_dict().items()}
    outcome = train(task, long)
    moved = {name for name, weight in task.model.state_dict().items() if not torch.equal(weight, before[name])}
    assert moved == {"classifier.weight", "classifier.bias", "bert.pooler.dense.weight", "bert.pooler.dense.bias"}
    assert outcome.history[-1]["loss"] < 0.97 * outcome.history[0]["loss"]


@pytest.mark.parametrize("family", sorted(FAMILIES))
@pytest.mark.parametrize("features", ["last", 1, "concat-last-2", "sum-all"])
def test_what_was_learned_from_kept_states_holds_for_the_whole_model(
    family: str, features: str | int, frozen: Recipe, tmp_path: Path
) -> None:
    recipe = replace(frozen, model=str(tiny_encoder(tmp_path / family, family)), features=features, epochs=1, batch=16)
    few = Examples(TEXTS.train[:20], TEXTS.validation[:8])
    task = prepare_classes(recipe, few)
    outcome = train(task, recipe)
    assert task.validate(task.model) == pytest.approx(outcome.scores)
    expected = task.judge(task.model, few.validation)
    task.save(task.model, tmp_path / "model", card={})
    loaded = load_classifier(tmp_path / "model")
    np.testing.assert_allclose(loaded.judge([one.text for one in few.validation]), expected, atol=1e-5)


def test_features_of_a_layer_are_its_hidden_states(frozen: Recipe, encoder: Path) -> None:
    from transformers import AutoModel

    task = prepare_classes(replace(frozen, features=1), TEXTS)
    batch = task.collate([0, 1, 2])
    inputs = {key: value for key, value in batch.items() if key != "labels"}
    whole = AutoModel.from_pretrained(encoder).eval()
    with torch.inference_mode():
        short = body_of(task.model.eval())(**inputs).last_hidden_state
        torch.testing.assert_close(short, whole(**inputs, output_hidden_states=True).hidden_states[1])
    assert task.model.config.num_hidden_layers == 1


def test_mixtures_are_what_they_say(frozen: Recipe, encoder: Path) -> None:
    from transformers import AutoModel

    whole = AutoModel.from_pretrained(encoder).eval()
    for features in ("concat-last-2", "sum-last-2", "sum-all"):
        task = prepare_classes(replace(frozen, features=features), TEXTS)
        inputs = {key: value for key, value in task.collate([0, 1, 2]).items() if key != "labels"}
        with torch.inference_mode():
            states = whole(**inputs, output_hidden_states=True).hidden_states[1:]
            expected = torch.cat(states, dim=-1) if "concat" in features else states[0] + states[1]
            torch.testing.assert_close(body_of(task.model.eval())(**inputs).last_hidden_state, expected)


def test_a_folder_of_a_mixture_never_opens_in_hugging_face_with_a_wrong_head(frozen: Recipe, tmp_path: Path) -> None:
    from transformers import AutoModelForSequenceClassification

    recipe = replace(frozen, features="sum-all")
    task = prepare_classes(recipe, TEXTS)
    task.save(task.model, tmp_path / "model", card={})
    with pytest.raises(OSError, match=r"model\.safetensors"):
        AutoModelForSequenceClassification.from_pretrained(tmp_path / "model")


def test_tags_learn_from_kept_states_too(frozen: Recipe, splits: Splits, tmp_path: Path) -> None:
    recipe = replace(frozen, task="tags", features=1, epochs=8)
    task = prepare_tagging(recipe, splits)
    with counting(task.model) as rows:
        outcome = train(task, recipe)
    assert sum(rows) <= len(task.windows) + len(splits.validation)
    assert outcome.history[-1]["loss"] < 0.6 * outcome.history[0]["loss"]
    task.save(task.model, tmp_path / "model", card={})
    texts = [document.text for document in splits.validation]
    assert EncoderTagger(str(tmp_path / "model")).tag(texts) == task.predict(task.model, splits.validation)


def test_answers_learn_from_a_mixture(frozen: Recipe, tmp_path: Path) -> None:
    recipe = replace(frozen, task="answers", features="concat-last-2", epochs=3)
    few = Examples(make_questions(60), make_questions(10, seed=1))
    task = prepare_extractive_qa(recipe, few)
    with counting(task.model) as rows:
        train(task, recipe)
    assert sum(rows) <= 70
    task.save(task.model, tmp_path / "model", card={})
    asked = [(one.question, one.text) for one in few.validation]
    expected = task.answer(task.model, few.validation)
    assert [(each.start, each.end) for each in load_answerer(tmp_path / "model").answer(asked)] == [(a.start, a.end) for a in expected]


class Stop(Exception):
    pass


def test_a_stopped_training_resumes_to_the_same_weights(frozen: Recipe, tmp_path: Path) -> None:
    def stop(progress: Progress) -> None:
        if progress.step > 0.6 * progress.total:
            raise Stop

    recipe = replace(frozen, epochs=3, ema=0.9, r_drop=0.5)
    calm, first, second = (prepare_classes(recipe, TEXTS) for _ in range(3))
    train(calm, recipe)
    with pytest.raises(Stop):
        train(first, recipe, folder=tmp_path, watch=stop)
    with counting(first.model) as rows:
        assert first.judge(first.model, TEXTS.validation).shape == (20, 2)
    assert sum(rows) == 20, "the encoder is back in its place"
    train(second, recipe, folder=tmp_path, resume=True)
    assert all(torch.equal(a, b) for a, b in zip(calm.model.parameters(), second.model.parameters(), strict=True))


def test_top_layers_learn_alone(frozen: Recipe) -> None:
    recipe = replace(frozen, freeze="all-but-top-1", features="", epochs=1)
    task = prepare_classes(recipe, TEXTS)
    before = {name: weight.clone() for name, weight in task.model.state_dict().items()}
    train(task, recipe)
    moved = {name for name, weight in task.model.state_dict().items() if not torch.equal(weight, before[name])}
    assert all(name.startswith(("bert.encoder.layer.1.", "bert.pooler.", "classifier.")) for name in moved)
    assert any(name.startswith("bert.encoder.layer.1.") for name in moved)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"freeze": "none"}, "wants freeze = 'all-but-head'"),
        ({"token_masking": 0.1}, "wants token_masking = 0"),
        ({"features": 3}, "has 2 layers"),
        ({"features": "concat-last-4"}, "4 layers wanted, and"),
        ({"freeze": "all-but-top-3", "features": ""}, "freeze = all-but-top-3: .* has 2 layers"),
    ],
)
def test_what_does_not_go_together_is_said(changes: dict[str, Any], fault: str, frozen: Recipe) -> None:
    wrong = replace(frozen, **changes)
    with pytest.raises(ConfigError, match=fault):
        train(prepare_classes(wrong, TEXTS), wrong)
