"""Distillation: what teachers say reaches the right tokens, the loss is the one written down, and students learn."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from incognote.document import Document
from incognote.errors import ConfigError, LabelError
from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.ensemble import EnsembleTagger
from incognote.find.model.inference import softmax
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.tokens import load_tokenizer
from incognote.find.model.weights import load_model
from incognote.lab.shrink.distillation import DistillationSettings, DistillationTask, prepare_distillation, show_hidden
from incognote.lab.shrink.distillation_targets import check_teachers, collect_targets
from incognote.lab.shrink.students import begin_from_folder, begin_from_layers, check_smaller, distill
from incognote.lab.shrink.tuning import inherit_recipe, load_data, retrain
from incognote.lab.training.data import Splits
from incognote.lab.training.recipe import Recipe
from incognote.lab.training.tasks.tagging import prepare_tagging
from tests.fakes import LABELS, random_texts, template_notes, tiny_checkpoint, tiny_encoder

TEXTS = ["Ann Lee was seen\n\nby Dr. Omar Diaz on 3 May 2021.", "", "José Núñez 😀 aged 47", *random_texts(5, [90])]


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_checkpoint(tmp_path_factory.mktemp("teacher") / "teacher")


def parts_of(count: int = 12) -> Splits:
    notes = template_notes(count)
    return Splits(tuple(notes[: count - 4]), tuple(notes[count - 4 :]))


def tagger(folder: Path) -> EncoderTagger:
    return EncoderTagger(str(folder), device="cpu")


def prepare(
    folder: Path, teachers: Sequence[Path], settings: DistillationSettings, unlabelled: Sequence[Document] = ()
) -> DistillationTask:
    recipe = Recipe(model=str(folder), window=64, overlap=16, batch=4)
    return prepare_distillation(prepare_tagging(recipe, parts_of()), [tagger(each) for each in teachers], settings, unlabelled=unlabelled)


def test_lessons_are_what_a_teacher_with_the_same_tokens_says(teacher: Path) -> None:
    one = tagger(teacher)
    notes = one.tokenizer.tokenize(TEXTS)
    targets = collect_targets([one], TEXTS, notes, temperature=2.0, hidden=True)
    assert targets.covered.all()
    for number, logits in enumerate(one.logits(notes)):
        rows = targets.rows(number, 0, len(logits))
        np.testing.assert_allclose(targets.probabilities[rows], softmax(logits, temperature=2.0), atol=1e-3)
    model = load_model(one.checkpoint)
    ids = [*one.tokenizer.before, *notes[0].ids.tolist(), *one.tokenizer.after]
    with torch.inference_mode():
        hidden = model.bert(input_ids=torch.tensor([ids]))[0][0, 1:-1].numpy()
    assert targets.hidden is not None
    np.testing.assert_allclose(targets.hidden[targets.rows(0, 0, len(notes[0]))], hidden, atol=5e-3)


def test_lessons_lie_in_files_without_a_name(teacher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    one = tagger(teacher)
    targets = collect_targets([one], TEXTS, one.tokenizer.tokenize(TEXTS), temperature=2.0, hidden=True)
    assert isinstance(targets.hidden, np.memmap)
    assert isinstance(targets.probabilities, np.memmap)
    assert not list(tmp_path.iterdir())


def test_lessons_of_teachers_with_other_tokens_are_their_average_on_characters(teacher: Path, tmp_path: Path) -> None:
    other = tiny_checkpoint(tmp_path / "other", "roberta", seed=4)
    student = load_tokenizer(tiny_encoder(tmp_path / "student", "modernbert"))
    members = (tagger(teacher), tagger(other))
    notes = student.tokenize(TEXTS)
    targets = collect_targets(members, TEXTS, notes, temperature=1.0, hidden=True)
    said = EnsembleTagger(members).scores(TEXTS)
    checked = 0
    for number, (text, tokens, scores) in enumerate(zip(TEXTS, notes, said, strict=True)):
        covered = 0
        for at, (start, end) in enumerate(zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)):
            first = next((c for c in range(max(start, covered), end) if not text[c].isspace()), None)
            covered = max(covered, end)
            row = targets.rows(number, at, at + 1)
            if first is None:
                assert not targets.covered[row].any()
                continue
            piece = next((k for k in range(len(scores)) if scores.starts[k] == first), None)
            if piece is not None:  # where both teachers begin a piece here, nothing has to be moved from beginning to inside
                assert targets.covered[row].all()
                np.testing.assert_allclose(targets.probabilities[row][0], scores.probabilities[piece], atol=1e-3)
                checked += 1
    assert checked > 60


def test_a_student_equal_to_its_teacher_has_nothing_to_learn(teacher: Path) -> None:
    task = prepare(teacher, [teacher], DistillationSettings(temperature=3.0, soft=1.0, hard=0.0, hidden=1.0))
    batch = task.collate([0, 1, 2])
    task.model.eval()
    loss = task.loss(task.forward(task.model, batch), batch, smoothing=0.0)
    assert abs(loss.item()) < 2e-3 * int(batch["covered"].sum())


def test_the_loss_is_the_sum_that_is_written_down(teacher: Path, tmp_path: Path) -> None:
    student = begin_from_layers(load_checkpoint(teacher), tmp_path / "student")
    settings = DistillationSettings(temperature=2.0, soft=0.7, hard=0.3, hidden=0.5)
    task = prepare(student, [teacher], settings)
    batch = task.collate([0, 3])
    task.model.eval()
    output = task.forward(task.model, batch).detach()
    tags = len(task.tagging.tags)
    expected = 0.0
    for row, place in zip(*np.nonzero(batch["covered"].numpy()), strict=True):
        logits = output[row, place, :tags].double().numpy()
        q, p = (np.exp(logits / 2) / np.exp(logits / 2).sum()), batch["said"][row, place].double().numpy()
        gold = logits[batch["labels"][row, place]] - np.log(np.exp(logits).sum())
        one, two = output[row, place, tags:].double().numpy(), batch["hidden"][row, place].double().numpy()
        cosine = one @ two / (np.linalg.norm(one) * np.linalg.norm(two))
        expected += 0.7 * 4 * float((p * np.log(np.maximum(p, 1e-8) / q)).sum()) - 0.3 * gold + 0.5 * (1 - cosine)
    assert task.loss(output, batch, smoothing=0.0).item() == pytest.approx(expected, rel=1e-4)


def test_unlabelled_notes_teach_without_gold(teacher: Path) -> None:
    notes = [Document(f"u{at}", text) for at, text in enumerate(random_texts(1, [30, 80]))]
    task = prepare(teacher, [teacher], DistillationSettings(hidden=0.0), notes)
    last = len(task.lengths) - 1
    assert task.name_samples([last]) == ["u1"]
    batch = task.collate([last])
    assert batch["covered"].any()
    assert (batch["labels"] == -100).all()
    hidden = task.corrupt(batch, 0.5)
    assert (hidden["input_ids"] != batch["input_ids"]).any()
    assert torch.equal(hidden["labels"], batch["labels"])
    one = task.forward(task.model.eval(), batch)
    assert task.divergence(one, one + torch.randn_like(one), batch) > 0


def test_widths_that_differ_are_bridged_by_a_projection_that_is_not_saved(tmp_path: Path, teacher: Path) -> None:
    from transformers import AutoModel

    from incognote.find.model.quiet import quiet
    from tests.fakes import tiny_config

    narrow = tiny_encoder(tmp_path / "narrow")
    config: Any = tiny_config("bert", 250, 0)
    config.update({"hidden_size": 16, "vocab_size": load_tokenizer(narrow).backend.get_vocab_size()})
    with quiet():
        AutoModel.from_config(config).save_pretrained(narrow)
    student = begin_from_folder(narrow, load_checkpoint(teacher).tags, tmp_path / "student")
    task = prepare(student, [teacher], DistillationSettings())
    bridge: Any = task.model.projection
    assert bridge.weight.shape == (32, 16)
    batch = task.collate([0])
    task.loss(task.forward(task.model, batch), batch, smoothing=0.0).backward()
    assert bridge.weight.grad.abs().sum() > 0
    task.save(task.model, tmp_path / "saved", card={})
    assert not hasattr(task.model, "projection")
    assert tagger(tmp_path / "saved").tag(TEXTS)


def test_showing_hidden_states_leaves_the_model_as_it_was_when_undone(teacher: Path) -> None:
    model = load_model(load_checkpoint(teacher))
    ids = torch.tensor([[2, 5, 6, 3]])
    show_hidden(model, 32)
    assert model(input_ids=ids).hidden_states[-1].shape == (1, 4, 32)
    show_hidden(model, 0)
    assert model(input_ids=ids).hidden_states is None


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Splits]:
    """A teacher that knows its templates, and the notes it learned them from."""
    torch.set_num_threads(1)
    place = tmp_path_factory.mktemp("learned")
    splits = Splits(tuple(template_notes(60)), tuple(template_notes(12, seed=3)))
    start = load_checkpoint(tiny_checkpoint(place / "start"))
    recipe = inherit_recipe(start, epochs=12, learning_rate=5e-3, batch=8, window=64, overlap=16)
    retrain(start.folder, place / "teacher", recipe, splits, origin="start")
    return place / "teacher", splits


def test_a_student_of_half_the_layers_keeps_what_its_teacher_knows(learned: tuple[Path, Splits], tmp_path: Path) -> None:
    teacher, splits = load_checkpoint(learned[0]), learned[1]
    recipe = inherit_recipe(teacher, epochs=6)
    assert (recipe.learning_rate, recipe.window) == (5e-3, 64)
    run = distill([teacher], tmp_path / "student", recipe, splits, begin=lambda place: begin_from_layers(teacher, place))
    student = load_checkpoint(tmp_path / "student")
    assert student.config["num_hidden_layers"] == 1
    assert student.tags == teacher.tags
    assert run.model == "teacher"
    assert run.f1 > 0.8
    assert "/student" not in (student.folder / "recipe.toml").read_text()
    assert load_model(student)  # no weight is missing


def test_a_student_that_knows_nothing_learns_from_what_its_teacher_says_alone(learned: tuple[Path, Splits], tmp_path: Path) -> None:
    teacher, splits = load_checkpoint(learned[0]), learned[1]
    bare = tiny_encoder(tmp_path / "bare", seed=9)
    one = Splits(splits.train[:1], splits.validation)
    run = distill(
        [teacher],
        tmp_path / "student",
        inherit_recipe(teacher, epochs=20, batch=8),
        one,
        begin=lambda place: begin_from_folder(bare, teacher.tags, place),
        settings=DistillationSettings(hard=0.0),
        unlabelled=[Document(note.id, note.text) for note in splits.train[1:]],
    )
    assert run.history[0]["f1"] < 0.5
    assert run.f1 > 0.9


def test_faults_are_named_and_nothing_is_written(teacher: Path, tmp_path: Path) -> None:
    opened = load_checkpoint(teacher)
    other = tiny_checkpoint(tmp_path / "other", labels=LABELS[:3])
    with pytest.raises(ConfigError, match="different tags"):
        check_teachers([tagger(teacher), tagger(other)])
    with pytest.raises(ConfigError, match="one teacher"):
        check_teachers([])
    with pytest.raises(ConfigError, match="has 2"):
        begin_from_layers(opened, tmp_path / "student", layers=3)
    with pytest.raises(ConfigError, match="other tags"):
        begin_from_folder(other, opened.tags, tmp_path / "student")
    with pytest.raises(ConfigError, match="must not be larger"):
        check_smaller(teacher, [load_checkpoint(begin_from_layers(opened, tmp_path / "small"))])
    with pytest.raises(ConfigError, match="with data"):
        load_data((), opened)
    assert not (tmp_path / "student").exists()


def test_labels_that_the_teacher_has_not_are_named(teacher: Path, tmp_path: Path) -> None:
    from incognote.corpora import write_corpus
    from incognote.document import Span
    from incognote.lab.training.recipe import Source

    notes = {"train": Document("odd", "Ann Lee", spans=(Span(0, 3, "SHOE"),)), "validation": Document("even", "Ann Lee")}
    for part, note in notes.items():
        write_corpus([note], tmp_path / f"{part}.jsonl", format="jsonl")
    sources = tuple(Source(path=str(tmp_path / f"{part}.jsonl"), part=part) for part in notes)
    with pytest.raises(LabelError, match="SHOE"):
        load_data(sources, load_checkpoint(teacher))


def test_tags_in_another_order_are_put_in_order(teacher: Path, tmp_path: Path) -> None:
    """The same weights under shuffled columns say the same."""
    import json

    from incognote.find.model.checkpoint import save_checkpoint

    opened = load_checkpoint(teacher)
    model = load_model(opened)
    order = np.random.default_rng(0).permutation(len(opened.tags))
    with torch.no_grad():
        model.classifier.weight.copy_(model.classifier.weight[order].clone())
        model.classifier.bias.copy_(model.classifier.bias[order].clone())
    turned = save_checkpoint(tmp_path / "turned", model, tags=[opened.tags[at] for at in order], tokenizer_from=teacher)
    assert json.loads((turned / "config.json").read_text())["id2label"]["0"] == opened.tags[order[0]]
    notes = tagger(teacher).tokenizer.tokenize(TEXTS)
    one, both = (
        collect_targets([tagger(each) for each in folders], TEXTS, notes, temperature=1.0, hidden=False)
        for folders in ([teacher], [teacher, turned])
    )
    np.testing.assert_allclose(one.probabilities, both.probabilities, atol=2e-3)
