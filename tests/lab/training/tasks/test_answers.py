from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from incognote.errors import ConfigError
from incognote.lab.training.answerer import load_answerer, train_answerer
from incognote.lab.training.checkpointing import train_checkpoint
from incognote.lab.training.loop import Progress, train
from incognote.lab.training.recipe import Recipe, Source
from incognote.lab.training.tasks.extractive_qa import locate_answers, prepare_extractive_qa
from incognote.lab.training.tasks.questions import ask, best_span, context_of
from incognote.lab.training.texts import Example, Examples
from tests.fakes import FAMILIES, tiny_encoder

FILLER = "the patient denies chest pain nausea and fever plan follow up weeks clinic".split()
PEOPLE = ("Ann Lee", "Omar Diaz", "Smith", "Lee Diaz")
PLACES = ("Boston", "New York")


def make_questions(count: int, *, seed: int = 0, nulls: float = 0.2) -> tuple[Example, ...]:
    """Short notes that say who was seen and where, each with a question about one of them; some texts lack the answer."""
    random = Random(seed)
    examples = []
    for at in range(count):
        about = random.choice(("who", "where"))
        facts = {"who": f"seen by Dr. {random.choice(PEOPLE)}", "where": f"in {random.choice(PLACES)}"}
        missing = random.random() < nulls
        kept = [facts[name] for name in random.sample(sorted(facts), 2) if not (missing and name == about)]
        text = " ".join([*random.sample(FILLER, 3), *" . ".join(kept).split(), *random.sample(FILLER, 2)])
        answer = "" if missing else facts[about].removeprefix("seen by Dr. ").removeprefix("in ")
        question = "seen by Dr." if about == "who" else "clinic in"
        examples.append(Example(f"q{at}", text, question=question, answer=answer))
    return tuple(examples)


@pytest.fixture(scope="module")
def splits() -> Examples:
    return Examples(make_questions(200), make_questions(50, seed=1), make_questions(50, seed=2))


@pytest.fixture
def recipe(encoder: Path) -> Recipe:
    return Recipe(model=str(encoder), task="answers", batch=8, epochs=8, learning_rate=4e-3, warmup=1, dropout=0.0, window=64, overlap=16)


def test_a_tiny_encoder_learns_to_answer(recipe: Recipe, splits: Examples) -> None:
    answerer, outcome = train_answerer(recipe, splits)
    assert outcome.scores["f1"] > 0.6
    found = answerer.answer([(one.question, one.text) for one in splits.test])
    assert np.mean([each.text == one.answer for each, one in zip(found, splits.test, strict=True)]) > 0.5
    assert any(each.text for each in found)
    assert all(one.text[each.start : each.end] == each.text for each, one in zip(found, splits.test, strict=True))


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_every_family_trains_saves_and_answers_alike(family: str, recipe: Recipe, splits: Examples, tmp_path: Path) -> None:
    recipe = replace(recipe, model=str(tiny_encoder(tmp_path / family, family)), epochs=1)
    task = prepare_extractive_qa(recipe, Examples(splits.train[:16], splits.validation[:8]))
    train(task, recipe)
    task.save(task.model, tmp_path / "model", card={})
    long = [replace(one, text=f"{one.text} {one.text} " * 6) for one in splits.validation[:8]]
    ours = load_answerer(tmp_path / "model").answer([(one.question, one.text) for one in long])
    expected = task.answer(task.model, long)
    assert [(each.start, each.end) for each in ours] == [(each.start, each.end) for each in expected]
    assert [each.score for each in ours] == pytest.approx([each.score for each in expected], abs=1e-4)


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_the_folder_gives_the_same_logits_in_hugging_face(family: str, recipe: Recipe, splits: Examples, tmp_path: Path) -> None:
    from transformers import AutoModelForQuestionAnswering, AutoTokenizer

    recipe = replace(recipe, model=str(tiny_encoder(tmp_path / family, family)), epochs=1)
    task = prepare_extractive_qa(recipe, Examples(splits.train[:16], splits.validation[:8]))
    train(task, recipe)
    task.save(task.model, tmp_path / "model", card={})
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "model")
    model = AutoModelForQuestionAnswering.from_pretrained(tmp_path / "model").eval()
    asked = ask(splits.test[:6], task.head.tokenizer, task.frame, window=64, overlap=16)
    for one, sample in zip(splits.test[:6], asked.samples, strict=True):
        rows = tokenizer(one.question, one.text, return_tensors="pt")
        assert rows["input_ids"][0].tolist() == sample.ids.tolist()
        with torch.inference_mode():
            output = model(**rows)
        place = context_of(sample, task.frame)
        starts, ends = (logits[0, place].numpy() for logits in (output.start_logits, output.end_logits))
        score, _, last = best_span(starts, ends, longest=task.longest)
        null = float(output.start_logits[0, 0] + output.end_logits[0, 0])
        (found,) = task.answer(task.model, [one])
        assert found.score == pytest.approx(score - null, abs=1e-4)
        if found.text:
            assert found.end == asked.notes[sample.example].ends[last]


def test_the_targets_of_the_samples_are_the_answers(recipe: Recipe, splits: Examples) -> None:
    long = tuple(replace(one, text=" ".join(FILLER * 9) + " " + one.text) for one in splits.train)
    task = prepare_extractive_qa(recipe, Examples(long, splits.validation))
    asked = ask(long, task.head.tokenizer, task.frame, window=64, overlap=16)
    found: dict[int, set[str]] = {}
    for sample, (first, last) in zip(task.samples, task.targets, strict=True):
        if first:
            note, back = asked.notes[sample.example], sample.offset - sample.first
            text = long[sample.example].text[note.starts[first + back] : note.ends[last + back]]
            found.setdefault(sample.example, set()).add(text)
    assert found == {at: {one.answer} for at, one in enumerate(long) if one.answer}
    assert len(task.samples) > 2 * len(long)


def test_start_picks_one_of_several_places(recipe: Recipe, splits: Examples) -> None:
    text = "Ann Lee was seen by Dr. Lee"
    task = prepare_extractive_qa(recipe, splits)
    for start, expected in ((-1, 4), (4, 4), (24, 24)):
        example = Example("q", text, question="who", answer="Lee", start=start)
        asked = ask([example], task.head.tokenizer, task.frame, window=64, overlap=16)
        ((first, _),) = locate_answers([example], asked)
        assert asked.notes[0].starts[first] == expected


def test_an_answer_at_an_unsure_place_is_told_in_the_run(recipe: Recipe, splits: Examples) -> None:
    twice = Example("q", "Ann Lee was seen by Dr. Lee", question="who", answer="Lee")
    task = prepare_extractive_qa(recipe, Examples((*splits.train, twice), splits.validation))
    assert "1 answers without a start are more than once" in task.remarks[0]


@given(
    arrays(np.float32, 7, elements=st.floats(-9, 9, width=32)),
    arrays(np.float32, 7, elements=st.floats(-9, 9, width=32)),
    st.integers(1, 7),
)
def test_the_best_span_is_the_best_of_all(starts: np.ndarray, ends: np.ndarray, longest: int) -> None:
    every = [(float(starts[i] + ends[j]), i, j) for i in range(7) for j in range(i, min(7, i + longest))]
    score, first, last = best_span(starts, ends, longest=longest)
    assert score == max(every)[0]
    assert (score, first, last) in every


def test_no_answer_is_found_only_where_training_had_such(recipe: Recipe, splits: Examples) -> None:
    full = tuple(one for one in splits.train if one.answer)
    answerer, _ = train_answerer(replace(recipe, epochs=1), Examples(full, splits.validation))
    assert not answerer.nulls
    assert all(each.text for each in answerer.answer([(one.question, one.text) for one in splits.test]))


def test_smoothing_and_divergence_stay_finite_and_masked(recipe: Recipe, splits: Examples) -> None:
    task = prepare_extractive_qa(recipe, splits)
    task.model.eval()
    batch = task.collate(range(6))
    logits = task.forward(task.model, batch)
    shifted = torch.where(batch["allowed"][:, :, None], logits, logits + 50)
    assert torch.isfinite(task.loss(logits, batch, smoothing=0.1))
    torch.testing.assert_close(task.loss(logits, batch, smoothing=0.1), task.loss(shifted, batch, smoothing=0.1))
    torch.testing.assert_close(task.divergence(logits, shifted, batch), torch.zeros(()))
    assert task.divergence(logits, logits * 2, batch) > 0


class Stop(Exception):
    pass


def test_a_stopped_training_resumes_to_the_same_weights(recipe: Recipe, splits: Examples, tmp_path: Path) -> None:
    recipe = replace(recipe, epochs=2, ema=0.9, r_drop=0.5, token_masking=0.1, label_smoothing=0.1, dropout=0.1)
    few = Examples(splits.train[:40], splits.validation[:8])

    def stop(progress: Progress) -> None:
        if progress.step > 0.8 * progress.total:
            raise Stop

    calm, first, second = (prepare_extractive_qa(recipe, few) for _ in range(3))
    train(calm, recipe)
    with pytest.raises(Stop):
        train(first, recipe, folder=tmp_path, watch=stop)
    train(second, recipe, folder=tmp_path, resume=True)
    assert all(torch.equal(a, b) for a, b in zip(calm.model.parameters(), second.model.parameters(), strict=True))


def write_table(path: Path, examples: tuple[Example, ...]) -> str:
    import pyarrow
    import pyarrow.parquet

    rows = [{"text": one.text, "question": one.question, "answer": one.answer or None} for one in examples]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return str(path)


def test_a_recipe_trains_from_parquet_into_a_folder(recipe: Recipe, splits: Examples, tmp_path: Path) -> None:
    sources = tuple(
        Source(write_table(tmp_path / f"{part}.parquet", splits.of(part)[:60]), part=part) for part in ("train", "validation", "test")
    )
    run = train_checkpoint(replace(recipe, data=sources, epochs=2), tmp_path / "model")
    assert run.f1 == pytest.approx(run.ratio("validation", "token_f1"), abs=1e-5)
    assert set(run.scores["test"]) == {"exact", "token_f1"}
    assert load_answerer(tmp_path / "model").nulls


def test_every_fault_names_its_row_and_no_text(recipe: Recipe, splits: Examples, tmp_path: Path) -> None:
    odd = (
        Example("a", "a secret", question="who", answer="hidden"),
        Example("b", "a secret", question="who", answer="secret", start=0),
        Example("c", "", question="who"),
        Example("d", "a secret", question=" "),
        Example("e", "a secret", question="who", answer="nowhere"),
    )
    train_path = write_table(tmp_path / "train.parquet", (*splits.train[:3], *odd))
    sources = (Source(train_path, part="train"), Source(write_table(tmp_path / "dev.parquet", splits.validation), part="validation"))
    with pytest.raises(ConfigError) as error:
        train_checkpoint(replace(recipe, data=sources), tmp_path / "model")
    assert "the answer is not in the text: train.parquet row 4, train.parquet row 8" in error.value.faults
    assert "empty text: train.parquet row 6" in error.value.faults
    assert "empty question: train.parquet row 7" in error.value.faults
    assert not any(word in str(error.value) for word in ("secret", "hidden", "nowhere"))
    assert sorted(tmp_path.iterdir()) == [tmp_path / "dev.parquet", tmp_path / "train.parquet"]
    with pytest.raises(ConfigError, match="the answer is not where start says: b"):
        prepare_extractive_qa(recipe, Examples((*splits.train, odd[1]), splits.validation))


def test_a_question_that_leaves_no_room_is_a_fault(recipe: Recipe, splits: Examples) -> None:
    with pytest.raises(ConfigError, match="over half of a window of 64 tokens: q0"):
        prepare_extractive_qa(recipe, Examples((replace(splits.train[0], question="who " * 40), *splits.train[1:]), splits.validation))
