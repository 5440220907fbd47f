from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch

from incognote.errors import CheckpointError, ConfigError
from incognote.lab.training.checkpointing import train_checkpoint
from incognote.lab.training.classifier import load_classifier, train_classifier
from incognote.lab.training.loop import Progress, train
from incognote.lab.training.recipe import Recipe, Source, SplitSettings
from incognote.lab.training.tasks.classes import prepare_classes
from incognote.lab.training.texts import Example, Examples
from tests.fakes import FAMILIES, tiny_encoder

WORDS = {
    "heart": "chest pain fever Boston 47 seen".split(),
    "skin": "nausea clinic follow weeks Ann Plan".split(),
}
FILLER = "the patient was seen by Dr. Omar on 3 May 2021 in New York".split()


def make_texts(count: int, *, seed: int = 0, length: int = 12) -> list[Example]:
    """Texts of two classes that differ in a few of their words."""
    random = Random(seed)
    examples = []
    for at in range(count):
        label = random.choice(sorted(WORDS))
        words = [random.choice(WORDS[label] if random.random() < 0.4 else FILLER) for _ in range(length)]
        examples.append(Example(f"t{seed}-{at}", " ".join(words), label=label))
    return examples


@pytest.fixture(scope="module")
def splits() -> Examples:
    return Examples(tuple(make_texts(80)), tuple(make_texts(40, seed=1)), tuple(make_texts(40, seed=2)))


@pytest.fixture
def recipe(encoder: Path) -> Recipe:
    return Recipe(model=str(encoder), task="classes", batch=8, epochs=5, learning_rate=3e-3, window=64, overlap=16)


def labels_of(probabilities: np.ndarray, classes: Sequence[str]) -> list[str]:
    return [classes[at] for at in probabilities.argmax(axis=1)]


def test_a_tiny_encoder_learns_two_classes(recipe: Recipe, splits: Examples) -> None:
    classifier, outcome = train_classifier(recipe, splits)
    assert outcome.scores["f1"] > 0.85
    assert outcome.scores["auc"] > 0.9
    found = labels_of(classifier.judge([one.text for one in splits.test]), classifier.classes)
    assert np.mean([one.label == two for one, two in zip(splits.test, found, strict=True)]) > 0.8


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_every_family_trains_saves_and_loads_to_the_same_probabilities(
    family: str, recipe: Recipe, splits: Examples, tmp_path: Path
) -> None:
    recipe = replace(recipe, model=str(tiny_encoder(tmp_path / family, family)), epochs=1)
    few = Examples(splits.train[:16], splits.validation[:8])
    task = prepare_classes(recipe, few)
    train(task, recipe)
    long = [replace(one, text=one.text * 12) for one in few.validation]
    expected = task.judge(task.model, long)
    task.save(task.model, tmp_path / "model", card={})
    classifier = load_classifier(tmp_path / "model")
    np.testing.assert_allclose(classifier.judge([one.text for one in long]), expected, atol=1e-5)
    np.testing.assert_allclose(expected.sum(axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("family", ["bert", "roberta", "xlnet"])
def test_the_folder_gives_the_same_in_a_hugging_face_pipeline(family: str, recipe: Recipe, splits: Examples, tmp_path: Path) -> None:
    from transformers import pipeline

    recipe = replace(recipe, model=str(tiny_encoder(tmp_path / family, family)), epochs=2)
    task = prepare_classes(recipe, Examples(splits.train[:24], splits.validation[:8]))
    train(task, recipe)
    task.save(task.model, tmp_path / "model", card={})
    theirs = pipeline("text-classification", model=str(tmp_path / "model"), top_k=None)([one.text for one in splits.test])
    ours = load_classifier(tmp_path / "model").judge([one.text for one in splits.test])
    for one, rows in zip(ours, theirs, strict=True):
        scores = {row["label"]: row["score"] for row in rows}
        assert [scores[name] for name in task.classes] == pytest.approx(one.tolist(), abs=1e-5)


def test_a_long_text_is_pooled_from_all_its_windows(recipe: Recipe, splits: Examples) -> None:
    task = prepare_classes(recipe, splits)
    task.model.eval()
    long = replace(splits.train[0], text=" ".join(one.text for one in splits.train[:20]))
    samples = task.cut([long], task.head.tokenizer, task.frame, 64, 16)
    tokens = len(task.head.tokenizer.tokenize([long.text])[0])
    assert len(samples) > 4
    assert sum(sample.weight for sample in samples) == tokens
    with torch.inference_mode():
        alone = [
            task.model(input_ids=torch.from_numpy(s.ids.astype(np.int64))[None]).logits.softmax(-1)[0].numpy() * s.weight for s in samples
        ]
    np.testing.assert_allclose(task.judge(task.model, [long])[0], sum(alone) / tokens, atol=1e-5)


def test_long_texts_are_told_in_the_run(recipe: Recipe, splits: Examples) -> None:
    long = tuple(replace(one, text=one.text * 9) for one in splits.train[:3])
    task = prepare_classes(recipe, Examples((*long, *splits.train[3:]), splits.validation))
    assert task.remarks == ("train: 3 of 80 examples are longer than the window of 64 tokens and are read in pieces",)
    assert len(task.lengths) > 80
    assert task.name_samples([0, 1]) == ["t0-0"]


def write_table(path: Path, examples: Sequence[Example]) -> Path:
    path.write_text("text\tlabel\n" + "".join(f"{one.text}\t{one.label}\n" for one in examples))
    return path


def test_a_recipe_trains_from_a_table_into_a_folder(recipe: Recipe, splits: Examples, tmp_path: Path) -> None:
    table = write_table(tmp_path / "notes.tsv", (*splits.train, *splits.validation))
    recipe = replace(recipe, data=(Source(str(table)),), split=SplitSettings(ratio="6:2:2"))
    run = train_checkpoint(recipe, tmp_path / "model")
    assert run.ratio("test", "accuracy") > 0.8
    assert run.ratio("test", "auc") > 0.9
    assert set(run.scores["test"]) == {"accuracy", "auc", "class heart", "class skin"}
    assert "| test | accuracy |" in (tmp_path / "model" / "README.md").read_text()
    assert train_checkpoint(recipe, tmp_path / "model", resume=True).cost == run.cost
    assert load_classifier(tmp_path / "model").classes == ("heart", "skin")


class Stop(Exception):
    pass


def stop_in_last_epoch(progress: Progress) -> None:
    if progress.step > 0.8 * progress.total:
        raise Stop


def test_a_stopped_training_resumes_to_the_same_weights(recipe: Recipe, splits: Examples, tmp_path: Path) -> None:
    recipe = replace(recipe, epochs=3, ema=0.9, r_drop=0.5, adversarial=0.5, token_masking=0.1, layer_decay=0.8)
    calm, first, second = (prepare_classes(recipe, splits) for _ in range(3))
    train(calm, recipe)
    with pytest.raises(Stop):
        train(first, recipe, folder=tmp_path, watch=stop_in_last_epoch)
    outcome = train(second, recipe, folder=tmp_path, resume=True)
    assert [row["epoch"] for row in outcome.history] == [1.0, 2.0, 3.0]
    assert all(torch.equal(a, b) for a, b in zip(calm.model.parameters(), second.model.parameters(), strict=True))


def test_masking_hides_words_and_never_special_tokens(recipe: Recipe, splits: Examples) -> None:
    task = prepare_classes(recipe, splits)
    batch = task.collate(range(8))
    hidden = task.corrupt(batch, 1.0)["input_ids"]
    special = torch.isin(batch["input_ids"], torch.tensor([task.frame.pad, *task.frame.specials[0], *task.frame.specials[1]]))
    assert torch.equal(hidden[special], batch["input_ids"][special])
    assert (hidden[~special] == task.head.tokenizer.backend.token_to_id("[MASK]")).all()


def test_every_fault_of_the_examples_is_in_one_error(recipe: Recipe, splits: Examples) -> None:
    odd = (Example("a", " ", label="heart"), Example("b", "x y", label=""), Example("c", "secret", label="rare"))
    with pytest.raises(ConfigError) as error:
        prepare_classes(recipe, Examples((*splits.train, *odd), (*splits.validation, Example("d", "x", label="new"))))
    assert error.value.faults == (
        "empty text: a",
        "no label: b",
        "label rare: only one training example; give it more, or leave it out",
        "label new: in 1 examples to score and in none to learn from",
    )
    assert "secret" not in str(error.value)


def test_one_class_is_not_a_task(recipe: Recipe, splits: Examples) -> None:
    hearts = tuple(one for one in splits.train if one.label == "heart")
    with pytest.raises(ConfigError, match="needs two or more"):
        prepare_classes(recipe, Examples(hearts, hearts))


def test_a_folder_for_another_task_is_not_opened(recipe: Recipe, splits: Examples, encoder: Path) -> None:
    with pytest.raises(CheckpointError, match="not for classes or pairs"):
        load_classifier(encoder)
