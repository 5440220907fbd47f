from dataclasses import replace
from pathlib import Path

import pytest

from incognote.errors import ConfigError
from incognote.lab.training.recipe import RECIPES, Recipe, Source, SplitSettings, format_recipe, parse_recipe, read_recipe


def test_every_fault_is_listed_at_once_with_the_nearest_name() -> None:
    table = {
        "model": "x",
        "epoch": 3,
        "batch": 0,
        "schedule": "lineer",
        "scheme": "i2b2-2104",
        "overlap": 300,
        "data": [{"pth": "a", "scheme": "medocan"}],
        "split": {"ratio": "1:2", "bye": "note"},
    }
    with pytest.raises(ConfigError) as error:
        parse_recipe(table)
    text = str(error.value)
    assert len(error.value.faults) == 10
    for part in ("epoch: not a setting; nearest: epochs", "batch = 0", "'lineer'", "overlap = 300", "data[0].pth", "data[0].path: missing"):
        assert part in text
    assert "split.ratio" in text
    assert "scheme = 'i2b2-2104': wants one of coarse, " in text
    assert "data[0].scheme = 'medocan'" in text
    assert "split.bye: not a setting; nearest: by" in text


def test_a_recipe_survives_toml() -> None:
    recipe = Recipe(
        model='a "b"\\c\r\x1b',
        data=(Source("x", scheme="meddocan", part="train", map={"A-B": "AGE"}), Source("y")),
        split=SplitSettings(by="note"),
        learning_rates={"head": 0.001, "0": 1e-6},
        freeze=2,
        newline_token=True,
    )
    import tomllib

    assert parse_recipe(tomllib.loads(format_recipe(recipe))) == recipe


@pytest.mark.parametrize(
    "setting", ["warmup = inf", "r_drop = nan", "learning_rates.head = inf", f"weight_decay = {10**400}", f"seed = {2**63}"]
)
def test_a_number_that_nothing_can_be_computed_with_is_a_fault(setting: str) -> None:
    import tomllib

    with pytest.raises(ConfigError, match=setting.partition(".")[0].partition(" ")[0]):
        parse_recipe(tomllib.loads(f'model = "x"\n{setting}'))


def test_whole_numbers_may_stand_for_rates() -> None:
    recipe = parse_recipe({"model": "x", "weight_decay": 0, "warmup": 1})
    assert isinstance(recipe.weight_decay, float)
    assert recipe.warmup == 1.0


def test_paths_are_relative_to_the_recipe(tmp_path: Path) -> None:
    (tmp_path / "r.toml").write_text('model = "./enc"\ndata = "notes"\n[split]\nrecord = "s.json"\n')
    recipe = read_recipe(tmp_path / "r.toml")
    assert recipe.model == str(tmp_path / "enc")
    assert recipe.data[0].path == str(tmp_path / "notes")
    assert recipe.split == replace(SplitSettings(), record=str(tmp_path / "s.json"))


@pytest.mark.parametrize("content", ["model = ", "\udcff"])
def test_a_file_that_is_not_toml_says_so(tmp_path: Path, content: str) -> None:
    (tmp_path / "r.toml").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConfigError, match="not TOML"):
        read_recipe(tmp_path / "r.toml")


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        read_recipe(tmp_path / "r.toml")


@pytest.mark.parametrize("path", sorted(RECIPES.glob("*.toml")), ids=lambda path: path.name)
def test_every_shipped_recipe_loads_by_its_name(path: Path) -> None:
    assert read_recipe(path.stem).model


def test_a_file_of_ones_own_goes_before_a_recipe_that_ships(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pairs").write_text('model = "mine"\n')
    assert read_recipe("pairs").model == "mine"
    assert read_recipe("classes").task == "classes"


def test_a_name_that_does_not_ship_gets_a_list_of_those_that_do() -> None:
    with pytest.raises(ConfigError, match=r"nothing ships under that name; name a TOML file, or one of answers, classes, .*small-fast"):
        read_recipe("roberta")
