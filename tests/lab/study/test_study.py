import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from incognote.errors import ConfigError
from incognote.lab.study.folder import StudyFolder, group_best
from incognote.lab.study.pool import run_study
from incognote.lab.study.study import STUDIES, Study, group_units, parse_study, plan_runs, read_study
from incognote.lab.training.data import load_splits
from incognote.lab.training.recipe import Source
from incognote.lab.training.run import Run, plain_recipe


def test_the_papers_study_has_its_255_runs() -> None:
    runs = plan_runs(read_study("meaney2022"))
    assert len(runs) == len({run.name for run in runs}) == 255
    counts = Counter((run.model, run.recipe.batch) for run in runs)
    assert counts == {
        ("Bert-Base", 35): 30,
        ("Roberta-Base", 35): 30,
        ("Albert-Base", 35): 30,
        ("Bert-Large", 12): 30,
        ("Roberta-Large", 12): 105,
        ("Albert-XXLarge", 6): 30,
    }
    for model, epochs, rates, decays in (
        ("Bert-Base", {10, 20, 30, 40, 50}, {1e-4, 1e-5}, {0.0, 0.01, 0.025}),
        ("Roberta-Large", {10, 20, 30, 40, 50, 75, 100}, {1e-4, 1e-5, 1e-6}, {0.0, 0.01, 0.025, 0.05, 0.1}),
        ("Albert-XXLarge", {10, 20, 30, 40, 50}, {1e-4, 1e-5}, {0.0, 0.01, 0.025}),
    ):
        recipes = [run.recipe for run in runs if run.model == model]
        assert {r.epochs for r in recipes} == epochs
        assert {r.learning_rate for r in recipes} == rates
        assert {r.weight_decay for r in recipes} == decays
    split = runs[0].recipe.split
    assert split is not None
    assert (split.ratio, split.by) == ("50:10:40", "note")
    assert {run.recipe.select for run in runs} == {"token"}


def test_sharing_trunks_takes_under_two_fifths_of_the_papers_compute() -> None:
    runs = plan_runs(read_study("meaney2022"))
    shared, exact = (sum(unit.epochs for unit in group_units(runs, exact=way)) for way in (False, True))
    assert exact == sum(run.recipe.epochs for run in runs)
    assert shared / exact < 0.4


@pytest.mark.parametrize("path", sorted(STUDIES.glob("*.toml")), ids=lambda path: path.name)
def test_every_shipped_study_loads(path: Path) -> None:
    assert plan_runs(read_study(path))


def test_a_study_of_another_task_is_refused_and_not_trained_as_taggers() -> None:
    with pytest.raises(ConfigError, match="task = 'classes': a study compares taggers only"):
        parse_study({"name": "x", "recipe": {"task": "classes"}, "models": [{"name": "a", "model": "b"}]})


def test_faults_of_the_study_and_of_all_its_recipes_come_at_once() -> None:
    table = {
        "nam": "x",
        "seeds": [1, 1],
        "scheme": "i2b2-2104",
        "models": [{"model": "a", "bach": 3, "grid": {"epochs": [0, 1]}}, {"model": "b", "grid": {"epochs": 3}}],
        "split": {"by": "word"},
        "published": "meany2022",
    }
    with pytest.raises(ConfigError) as error:
        parse_study(table)
    text = str(error.value)
    for part in (
        "nam: not a setting; nearest: name",
        "name: missing",
        "seeds",
        "scheme =",
        "a: bach",
        "a: epochs = 0",
        "models[1].grid",
        "split.by",
        "published = 'meany2022': wants none, or one of meaney2022",
    ):
        assert part in text


def test_a_study_is_run_once_and_resumed(done: StudyFolder, miniature: Study) -> None:
    runs = done.read_runs()
    assert len(runs) == 18
    assert all(run.digest == runs[0].digest and run.cost["samples"] > 0 for run in runs)
    before = {run.name: done.run_file(run.name).stat().st_mtime_ns for run in runs}
    lost = runs[4].name
    done.run_file(lost).unlink()
    said: list[str] = []
    run_study(miniature, done.path, say=said.append)
    again = {run.name: done.run_file(run.name).stat().st_mtime_ns for run in done.read_runs()}
    assert {name for name in again if again[name] != before[name]} == {lost}
    assert sum(line.startswith(lost) for line in said) == 1
    redone = next(run for run in done.read_runs() if run.name == lost)
    assert (redone.f1, redone.scores["validation"]) == (runs[4].f1, runs[4].scores["validation"])


def test_only_the_best_checkpoint_of_each_model_stays(done: StudyFolder) -> None:
    best = {group[0].name for group in group_best(done.read_runs())}
    assert {folder.name for folder in done.checkpoints.iterdir()} == best
    for name in best:
        run = next(run for run in done.read_runs() if run.name == name)
        assert {"train", "validation", "test"} <= run.scores.keys()
        assert done.read_evaluation(name, "test") is not None


def test_two_processes_do_the_same_as_one(miniature: Study, tmp_path: Path) -> None:
    small = replace(miniature, models=miniature.models[:2])
    one = run_study(small, tmp_path / "one")
    two = run_study(small, tmp_path / "two", workers=2)
    assert [(run.name, run.f1) for run in one.read_runs()] == [(run.name, run.f1) for run in two.read_runs()]


def test_a_rate_at_which_nothing_is_learned_does_not_stop_the_study(miniature: Study, tmp_path: Path) -> None:
    model = replace(miniature.models[0], grid={"epochs": [1, 2], "learning_rates": [{"head": 1e30}, {"head": 0.003}]})
    wild, said = replace(miniature, models=(model,)), []
    folder = run_study(wild, tmp_path / "study", say=said.append)
    lost, learned = ([run for run in folder.read_runs() if bool(run.notes) is noted] for noted in (True, False))
    assert (len(lost), len(learned)) == (2, 2)
    assert all("the loss is not a number at epoch 1, batch" in run.notes[0] and not run.f1 for run in lost)
    assert sum("is not a number" in line for line in said) == 2
    from incognote.lab.study.report import write_report

    report = write_report(folder.path, resamples=50)[1].read_text(encoding="utf-8")
    assert "## What happened" in report
    (said_lost,) = (line for line in report.splitlines() if "did not learn: " in line)
    assert all(run.name in said_lost for run in lost)


def test_a_training_that_broke_off_says_so_in_its_run(miniature: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from incognote.lab.training import loop

    take = loop.take_step
    monkeypatch.setattr(loop, "take_step", lambda t, i, f: take(t, i, f) * (float("nan") if t.step > t.epoch_steps else 1.0))
    model = replace(miniature.models[0], grid={"epochs": [3]})
    once = replace(miniature, models=(model,), recipe={**miniature.recipe, "validate_every": 1})
    (run,) = run_study(once, tmp_path / "study", exact=True).read_runs()
    assert run.epoch == 1
    assert "epoch 2, batch" in run.notes[0]


def test_another_way_in_the_same_folder_is_refused(done: StudyFolder, miniature: Study) -> None:
    with pytest.raises(ConfigError, match="holds the shared study"):
        run_study(miniature, done.path, exact=True)


def test_runs_of_other_settings_or_another_corpus_are_not_mixed(done: StudyFolder, miniature: Study, tmp_path: Path) -> None:
    other = replace(miniature, recipe={**miniature.recipe, "window": 48})
    with pytest.raises(ConfigError, match=r"trained with other settings \(window\)(.|\n)*and 15 more runs"):
        run_study(other, done.path)
    with pytest.raises(ConfigError, match="trained on another corpus or split"):
        run_study(replace(miniature, split=replace(miniature.split, seed=7)), done.path)
    wider = replace(miniature, models=(*miniature.models, replace(miniature.models[0], name="Extra", grid={"epochs": [1]})))
    shutil.copytree(done.path, tmp_path / "copy")
    assert len(run_study(wider, tmp_path / "copy").read_runs()) == len(done.read_runs()) + 1


def test_a_folder_of_something_else_is_left_alone(miniature: Study, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("x")
    with pytest.raises(ConfigError, match="something else than a study"):
        run_study(miniature, tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["note.txt"]


@pytest.mark.parametrize(
    ("models", "name"),
    [
        ([{"name": "A b", "model": "x"}, {"name": "a-B", "model": "y"}], "a-b-s0"),
        ([{"name": "A", "model": "x", "grid": {"epochs": [3, 3]}}], "a-e3-s0"),
    ],
)
def test_two_runs_of_one_name_are_a_fault(models: list[dict[str, object]], name: str) -> None:
    with pytest.raises(ConfigError, match=f"two runs are named {name}"):
        parse_study({"name": "mini", "models": models})


@pytest.mark.parametrize("place", ["recipe", "model", "grid"])
def test_what_a_study_says_once_is_not_left_unread_in_its_recipes(place: str) -> None:
    settings = {"seed": 5, "scheme": "coarse", "data": "notes", "split": {"by": "note"}}
    row: dict[str, object] = {"name": "a", "model": "b"} | (settings if place == "model" else {})
    grid = {key: [value] for key, value in settings.items()} if place == "grid" else {}
    with pytest.raises(ConfigError) as error:
        parse_study({"name": "x", "recipe": settings if place == "recipe" else {}, "models": [row | {"grid": grid}]})
    assert [fault.split(";")[0] for fault in error.value.faults] == [f"a: {key}: is one for all runs" for key in settings]


def test_an_encoder_for_all_models_stands_in_the_recipe_and_none_in_a_grid(tmp_path: Path) -> None:
    models: list[dict[str, object]] = [{"name": "small", "batch": 4}, {"name": "large", "batch": 8}]
    study = parse_study({"name": "x", "recipe": {"model": "./bert"}, "models": models}, folder=tmp_path)
    assert {run.recipe.model for run in plan_runs(study)} == {str(tmp_path / "bert")}
    with pytest.raises(ConfigError, match=r"models\[0\].grid.model: give every encoder a \[\[models\]\] table of its own"):
        parse_study({"name": "x", "models": [{"name": "a", "model": "b", "grid": {"model": ["c", "d"]}}]})


@pytest.mark.parametrize("name", ["***", "..", "", 3, ["x"]])
def test_a_model_whose_name_no_file_can_bear_is_a_fault(name: object) -> None:
    with pytest.raises(ConfigError, match=r"models\[0\].name = .*: wants a text with a letter or a digit"):
        parse_study({"name": "x", "models": [{"name": name, "model": "b"}]})


def test_the_runs_of_an_unnamed_model_in_a_folder_are_not_hidden(tmp_path: Path) -> None:
    folder = StudyFolder(tmp_path)
    (run,) = plan_runs(parse_study({"name": "x", "models": [{"model": "../encoders/bert"}]}, folder=tmp_path))
    folder.write_run(Run(run.name, run.model, plain_recipe(run.recipe), 0, "", 0.0, 0.0, {}, [], {}))
    assert [found.name for found in folder.read_runs()] == [run.name] == ["encoders-bert-s0"]


def test_a_study_without_data_says_how_to_give_it(miniature: Study, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="with data"):
        run_study(replace(miniature, data=()), tmp_path / "study")


def test_every_missing_encoder_is_named_before_any_is_trained(miniature: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    lost = [replace(m, recipe={**m.recipe, "model": name}) for m, name in zip(miniature.models[1:3], ("./nowhere", "no/such"), strict=True)]
    with pytest.raises(ConfigError, match="2 fault") as error:
        run_study(replace(miniature, models=(miniature.models[0], *lost)), tmp_path / "study")
    assert "nowhere: there is no such model folder" in str(error.value)
    assert "pass the folder" in str(error.value)
    assert not StudyFolder(tmp_path / "study").read_runs()


def test_pickled_encoders_are_trained_only_when_asked_for(miniature: Study, tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file

    pickled = shutil.copytree(miniature.models[0].recipe["model"], tmp_path / "pickled")
    torch.save(load_file(pickled / "model.safetensors"), pickled / "pytorch_model.bin")
    (pickled / "model.safetensors").unlink()
    model = replace(miniature.models[0], recipe={**miniature.models[0].recipe, "model": str(pickled)}, grid={"epochs": [1]})
    study = replace(miniature, models=(model,))
    with pytest.raises(ConfigError, match="set unsafe"):
        run_study(study, tmp_path / "study")
    assert len(run_study(study, tmp_path / "study", unsafe=True).read_runs()) == 1


def test_each_corpus_is_left_out_in_turn(miniature: Study, tmp_path: Path) -> None:
    from incognote.corpora import write_corpus
    from tests.fakes import template_notes

    relabelled = [
        note.with_spans([replace(s, label="NAME") if s.label == "PATIENT" else s for s in note.spans])
        for note in template_notes(30, seed=1)
    ]
    write_corpus(relabelled, tmp_path / "other.jsonl", format="jsonl")
    sources = (replace(miniature.data[0], name="ours"), Source(str(tmp_path / "other.jsonl"), name="theirs", map={"NAME": "PATIENT"}))
    model = replace(miniature.models[0], grid={"epochs": [2], "learning_rate": [0.003]})
    study = replace(miniature, models=(model,), data=sources, leave_one_out=True)
    with pytest.raises(ConfigError, match="each with a name of its own"):
        run_study(replace(study, data=tuple(replace(source, name="") for source in sources)), tmp_path / "study")
    folder = run_study(study, tmp_path / "study")
    runs = {run.held_out: run for run in folder.read_runs()}
    assert set(runs) == {"ours", "theirs"}
    # The corpus left out is the test, whole; the other gives training and validation, and no test of its own.
    splits = {planned.held_out: load_splits(planned.recipe) for planned in plan_runs(study)}
    assert {name: len(found.test) for name, found in splits.items()} == {"ours": 60, "theirs": 30}
    assert runs["theirs"].counts("test", "token").support > 0
    assert runs["ours"].digest != runs["theirs"].digest
    from incognote.lab.study.report import write_report

    _, markdown = write_report(folder.path, resamples=50)
    report = markdown.read_text(encoding="utf-8")
    assert "## Corpora left out" in report
    assert f"| {model.name} |" not in report.partition("## Corpora left out")[0].partition("## Table 3")[2]
    assert report.count(f"| {model.name} without ours |") == report.count(f"| {model.name} without theirs |") > 3
    run_study(study, folder.path)  # again: nothing is left to do, and nothing has changed
    write_corpus(relabelled[:20], tmp_path / "other.jsonl", format="jsonl", overwrite=True)
    with pytest.raises(ConfigError, match=r"-without-ours: was trained on another corpus(.|\n)*-without-theirs: was trained on another"):
        run_study(study, folder.path)


def test_the_seeds_of_a_corpus_left_out_are_named_after_it(miniature: Study, done: StudyFolder) -> None:
    from incognote.lab.study.comparisons import make_comparisons
    from incognote.lab.study.results import gather_results

    results = gather_results(done)
    runs = [
        replace(results.best[0], name=f"bert-e2-s{seed}-without-st.-mary", held_out="St. Mary", seed=seed, recipe={"seed": seed})
        for seed in (0, 1)
    ]
    tables = {table.title: table for table in make_comparisons(replace(results, runs=runs), resamples=2)}
    assert [row[0] for row in tables["Seeds"].rows] == ["bert-e2-without-st.-mary"]


def test_a_run_that_breaks_off_still_says_which_corpus_it_left_out(miniature: Study, tmp_path: Path) -> None:
    from incognote.lab.study.work import record

    planned = replace(plan_runs(miniature)[0], held_out="ours")
    splits = load_splits(planned.recipe)
    run = record(planned, None, splits, "the loss is not a number", StudyFolder(tmp_path), keep=1, shared=False)
    assert (run.held_out, run.f1) == ("ours", 0.0)


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", ".."])
def test_a_name_that_leads_out_of_the_folder_of_studies_is_a_fault(name: str) -> None:
    with pytest.raises(ConfigError, match=r"name = .*: wants a text that names a folder in out/"):
        parse_study({"name": name, "models": [{"name": "a", "model": "b"}]})
