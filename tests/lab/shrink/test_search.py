"""The search: what is tried and in which order, what stays, and that it goes on where it stopped."""

import json
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from incognote.errors import ConfigError, OutputError
from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.packing import pack_checkpoint
from incognote.find.model.tagger import EncoderTagger
from incognote.lab.shrink.frontier import Found, choose, find_frontier, format_found, meets, parse_size, read_found
from incognote.lab.shrink.search import Wish, search
from incognote.lab.shrink.shapes import Shape, count_usage, shape_model
from incognote.lab.shrink.table import measure
from incognote.lab.shrink.trials import Trial, list_shapes, measure_parts, plan_trials
from incognote.lab.shrink.tuning import inherit_recipe, retrain
from incognote.lab.study.tradeoff import write_tradeoff
from incognote.lab.training.data import Splits
from tests.fakes import template_notes, tiny_checkpoint

SETTINGS: dict[str, object] = {"learning_rate": 5e-3, "batch": 8, "window": 64, "overlap": 16}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("search")


@pytest.fixture(scope="module")
def splits() -> Splits:
    return Splits(tuple(template_notes(40)), tuple(template_notes(10, seed=3)))


@pytest.fixture(scope="module")
def model(place: Path, splits: Splits) -> Path:
    torch.set_num_threads(1)
    start = load_checkpoint(tiny_checkpoint(place / "start", "roberta"))
    retrain(start.folder, place / "model", inherit_recipe(start, epochs=12, **SETTINGS), splits, origin="start")
    return place / "model"


def made(name: str, size: int, f1: float, speed: float = 1.0) -> Found:
    return Found(name, "cut", False, size, 1, f1, f1, speed, change=f1 - 0.9)


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(0, 20)), min_size=1, max_size=30))
def test_nothing_beats_what_is_on_the_frontier(values: list[tuple[int, int]]) -> None:
    found = [made(str(at), size, f1 / 20) for at, (size, f1) in enumerate(values)]
    frontier = find_frontier(found)
    for one in found:
        beaten = any((other.size <= one.size and other.f1 > one.f1) or (other.size < one.size and other.f1 >= one.f1) for other in found)
        alike = any((one.size, one.f1) == (other.size, other.f1) for other in frontier)
        assert alike == (not beaten)


def test_the_best_of_those_that_are_small_and_good_enough_is_chosen() -> None:
    found = [made("big", 9, 0.9), made("good", 5, 0.899), made("tiny", 2, 0.896), made("bad", 1, 0.5)]
    chosen = choose(found, target=5, max_loss=0.005)
    assert chosen is not None
    assert chosen.name == "good"
    assert meets(found[2], target=5, max_loss=0.005)
    assert choose(found, target=1, max_loss=0.005) is None
    assert "**good**" in format_found(found, chosen)


@pytest.mark.parametrize("text", ["20", "MB", "-1MB", "0MB", "ten MB", "nanMB", "infGB"])
def test_sizes_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="20MB"):
        parse_size(text)


def test_what_a_shape_weighs_is_known_before_it_is_made(model: Path, splits: Splits, tmp_path: Path) -> None:
    source = load_checkpoint(shape_model(load_checkpoint(model), tmp_path / "source", Shape()))
    sizes = measure_parts(source)
    usage = count_usage(source, splits.train)
    for shape in (Shape(), Shape(drop=1, strategy="top"), Shape(tokens=300), Shape(rank=8), Shape(drop=1, tokens=300)):
        folder = shape_model(source, tmp_path / shape.name, shape, counts=usage)
        made = {32: folder} | {bits: pack_checkpoint(folder, tmp_path / f"{shape.name}-int{bits}", bits=bits) for bits in (8, 4)}
        for bits, place in made.items():
            assert sizes.weigh(shape, bits=bits) == pytest.approx(measure(place, []).size, rel=0.2)


def test_cheap_ways_and_gentle_shapes_come_first_and_only_what_fits_is_trained(model: Path, splits: Splits) -> None:
    source = load_checkpoint(model)
    sizes, usage = measure_parts(source), count_usage(source, splits.train)
    target = 0.8 * sizes.weigh(Shape(), bits=8)
    trials = plan_trials(sizes, usage, target=target)
    ways = [trial.way for trial in trials]
    assert ways == sorted(ways, key=["cut", "tuned", "rounded", "distilled"].index)
    trained = [trial for trial in trials if trial.way != "cut"]
    assert trained
    weights = [sizes.weigh(trial.shape, bits=8) for trial in trained if trial.way == "tuned"]
    assert weights == sorted(weights, reverse=True)
    assert max(weights) <= target
    rounded = [trial.shape for trial in trained if trial.way == "rounded"]
    assert Shape(strategy="top") in rounded
    assert all(sizes.weigh(shape, bits=4) <= target and not shape.rank for shape in rounded)
    assert len({trial.name for trial in trials}) == len(trials)
    assert Trial(Shape(), "cut") in [Trial(Shape(), trial.way) for trial in trials if trial.shape.name == "whole"]


def test_codes_are_not_factorized(model: Path, splits: Splits, tmp_path: Path) -> None:
    packed = load_checkpoint(pack_checkpoint(model, tmp_path / "packed"))
    assert all(not shape.rank for shape in list_shapes(measure_parts(packed), count_usage(packed, splits.train)))


def test_a_search_keeps_its_frontier_and_goes_on_where_it_stopped(model: Path, splits: Splits, tmp_path: Path) -> None:
    torch.set_num_threads(1)
    folder, source = tmp_path / "found", load_checkpoint(model)
    size = measure(model, []).size
    wish = Wish(target=0.6 * size, max_loss=0.0, minutes=1e-9)
    said: list[str] = []
    first = search(source, splits, folder, wish, epochs=2, changes=SETTINGS, say=said.append)
    assert [one.name for one in first] == ["whole"]
    assert "the time is up" in said[-1]
    with pytest.raises(OutputError, match="resume"):
        search(source, splits, folder, wish, epochs=2, changes=SETTINGS)
    with pytest.raises(OutputError, match="another model"):
        search(source, splits, folder, wish, epochs=3, changes=SETTINGS, resume=True)
    record = (folder / "search.json").read_bytes()
    (folder / "search.json").write_bytes(record[:5])
    with pytest.raises(ConfigError, match="not the record of a search"):
        search(source, splits, folder, wish, epochs=2, changes=SETTINGS, resume=True)
    (folder / "search.json").write_bytes(record)
    wish = Wish(target=0.6 * size, max_loss=1.0)
    found = search(source, splits, folder, wish, epochs=2, changes=SETTINGS, resume=True, say=said.append)
    assert {one.way for one in found} == {"whole", "cut"}
    assert "left out" in said[-1]
    names = {one.name for one in find_frontier(found)} - {"whole"}
    assert {path.name for path in (folder / "models").iterdir()} == names
    assert all(EncoderTagger(str(folder / "models" / name), device="cpu").tag(["Ann Lee"]) is not None for name in names)
    assert read_found(folder / "trials" / "cut-whole.json")[1].int8
    again = search(source, splits, folder, wish, epochs=2, changes=SETTINGS, resume=True)
    assert [(one.name, one.f1) for one in again] == [(one.name, one.f1) for one in found]
    html, markdown = write_tradeoff(folder, found, target=wish.target, max_loss=wish.max_loss)
    assert "<svg" in html.read_text()
    assert "Best that is both" in markdown.read_text()
    assert "http" not in html.read_text().replace("http://www.w3.org/2000/svg", "")


def test_every_way_makes_a_model(model: Path, splits: Splits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One trial of each way, because all of them would take a minute."""
    torch.set_num_threads(1)
    import incognote.lab.shrink.search as module

    wanted = [Trial(Shape(drop=1, strategy="top"), "tuned"), Trial(Shape(rank=8), "tuned"), Trial(Shape(drop=1, tokens=300), "distilled")]
    wanted += [Trial(Shape(tokens=300), "rounded")]
    monkeypatch.setattr(module, "plan_trials", lambda sizes, usage, target: [*wanted, Trial(Shape(tokens=5), "tuned")])
    said: list[str] = []
    wish = Wish(target=1.0, every_way=True)
    found = search(load_checkpoint(model), splits, tmp_path / "found", wish, epochs=2, changes=SETTINGS, say=said.append)
    assert {one.name.removesuffix("-int8").removesuffix("-int4") for one in found} == {"whole", *(trial.name for trial in wanted)}
    assert any("cannot be made" in line for line in said)
    assert json.loads((tmp_path / "found" / "trials" / "tuned-tokens-5.json").read_text()) == []
