"""Dropping layers: which ones go, and that the model without them is the same model otherwise."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.errors import CheckpointError, ConfigError, OutputError
from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.packing import pack_checkpoint
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.tensors import Tensors, is_quantized
from incognote.find.model.weights import load_model
from incognote.lab.shrink.derived import check_new
from incognote.lab.shrink.layers import STRATEGIES, choose_layers, keep_layers, measure_likeness, spread_layers
from tests.fakes import FAMILIES, template_notes, tiny_checkpoint

# The figure of Sajjad et al. 2020 for a model of twelve layers, counted from 1.
PAPER = {
    ("top", 4): {9, 10, 11, 12},
    ("bottom", 4): {1, 2, 3, 4},
    ("even", 2): {10, 12},
    ("even", 4): {6, 8, 10, 12},
    ("odd", 2): {9, 11},
    ("odd", 6): {1, 3, 5, 7, 9, 11},
    ("middle", 2): {6, 7},
    ("middle", 4): {5, 6, 7, 8},
}


@pytest.mark.parametrize(("strategy", "drop"), PAPER)
def test_strategies_drop_what_the_paper_drops(strategy: str, drop: int) -> None:
    kept = choose_layers(12, drop, strategy)
    assert {at + 1 for at in range(12) if at not in kept} == PAPER[strategy, drop]


@given(st.integers(1, 30), st.data(), st.sampled_from(STRATEGIES))
def test_every_strategy_drops_any_number(count: int, data: st.DataObject, strategy: str) -> None:
    drop = data.draw(st.integers(0, count - 1))
    kept = choose_layers(count, drop, strategy, likeness=[0.5] * count)
    assert len(kept) == count - drop
    assert list(kept) == sorted(set(kept))
    assert set(kept) <= set(range(count))


@given(st.integers(1, 40), st.data())
def test_spread_layers_are_different_ones(count: int, data: st.DataObject) -> None:
    keep = data.draw(st.integers(1, count))
    kept = spread_layers(count, keep)
    assert len(set(kept)) == keep
    assert list(kept) == sorted(kept)


@pytest.mark.parametrize("drop", [2, 3, -1])
def test_more_layers_than_there_are_is_refused(drop: int) -> None:
    with pytest.raises(ConfigError, match="has 2"):
        choose_layers(2, drop, "top")


def test_an_unknown_strategy_and_one_without_its_notes_are_refused() -> None:
    with pytest.raises(ConfigError, match="sideways"):
        choose_layers(4, 1, "sideways")
    with pytest.raises(ConfigError, match="with data"):
        choose_layers(4, 1, "contribution")


@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "albert"])
def test_a_model_without_a_layer_judges_as_one_that_skips_it(family: str, tmp_path: Path) -> None:
    import torch

    torch.set_num_threads(1)
    source = tiny_checkpoint(tmp_path / "whole", family)
    target = keep_layers(source, tmp_path / "pruned", (0,))
    whole, pruned = (load_model(load_checkpoint(folder)) for folder in (source, target))
    stacks = [module for module in whole.modules() if isinstance(module, torch.nn.ModuleList) and len(module) == 2]
    del stacks[0][1]
    whole.config.num_hidden_layers = 1
    ids = torch.tensor([[5, 9, 7, 11, 6]])
    with torch.inference_mode():
        torch.testing.assert_close(pruned(input_ids=ids).logits, whole(input_ids=ids).logits)


def test_layers_are_numbered_anew_and_codes_stay_codes(tmp_path: Path) -> None:
    source = pack_checkpoint(
        tiny_checkpoint(tmp_path / "whole"),
        tmp_path / "packed",
        settings={"validated_runtimes": ["onnx"], "confidence_margin": 0.5, "temperature": 1.5},
    )
    target = keep_layers(source, tmp_path / "pruned", (1,))
    assert is_quantized(target)
    old, new = Tensors(source), Tensors(target)
    name = "bert.encoder.layer.{}.attention.self.query.weight"
    np.testing.assert_array_equal(new[name.format(0)], old[name.format(1)])
    assert name.format(1) not in new
    settings = json.loads((target / "config.json").read_text())["incognote"]
    assert settings == {"temperature": 1.5}
    assert EncoderTagger(str(target), device="cpu").tag(["Ann Lee"])


def test_families_without_layers_of_their_own_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="albert"):
        keep_layers(tiny_checkpoint(tmp_path / "whole", "albert"), tmp_path / "pruned", (0,))
    assert not (tmp_path / "pruned").exists()


def test_a_first_layer_unlike_the_others_must_stay(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="first layer"):
        keep_layers(tiny_checkpoint(tmp_path / "whole", "modernbert"), tmp_path / "pruned", (1,))


def test_a_layer_that_does_nothing_is_most_like_its_input(tmp_path: Path) -> None:
    import torch

    source = tiny_checkpoint(tmp_path / "whole")
    model = load_model(load_checkpoint(source))
    with torch.no_grad():
        for part in (model.bert.encoder.layer[0].attention.output.dense, model.bert.encoder.layer[0].output.dense):
            part.weight.zero_()
            part.bias.zero_()
        model.bert.encoder.layer[1].output.dense.weight.mul_(50)
    model.save_pretrained(source)
    likeness = measure_likeness(source, template_notes(4))
    assert likeness[0] == pytest.approx(1.0, abs=1e-4)
    assert likeness[1] < 0.99
    assert choose_layers(2, 1, "contribution", likeness=likeness) == (1,)


def test_an_output_that_is_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="overwrite"):
        check_new(tmp_path)
    check_new(tmp_path, overwrite=True)
    check_new(tmp_path / "new")
