"""Models written out whole: Hugging Face says of them what our runtimes say of the small ones."""

from pathlib import Path

import pytest
import torch

from incognote.errors import OutputError
from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.tensors import Tensors, is_quantized
from incognote.find.model.weights import load_model
from incognote.lab.shrink.expand import expand
from incognote.lab.shrink.quantize import quantize_dynamic
from tests.fakes import tiny_checkpoint


def test_codes_are_written_out_as_what_they_stand_for(tmp_path: Path) -> None:
    from transformers import AutoModelForTokenClassification

    small = quantize_dynamic(tiny_checkpoint(tmp_path / "whole"), tmp_path / "small")
    plain = expand(load_checkpoint(small), tmp_path / "plain")
    assert not is_quantized(plain)
    assert set(Tensors(plain)) == set(Tensors(small))
    ours = load_model(load_checkpoint(small)).state_dict()
    theirs = AutoModelForTokenClassification.from_pretrained(plain).state_dict()
    assert all(torch.equal(value, ours[name]) for name, value in theirs.items())


def test_cards_say_who_can_read_the_weights(tmp_path: Path) -> None:
    whole = tiny_checkpoint(tmp_path / "whole")
    small = quantize_dynamic(whole, tmp_path / "small")
    plain = expand(load_checkpoint(small), tmp_path / "plain")
    cards = [(folder / "README.md").read_text() for folder in (whole, small, plain)]
    assert ["pipeline(" in card for card in cards] == [True, False, True]
    assert "incognote shrink expand small" in cards[1]
    assert "Made from whole" in cards[1]


def test_output_that_is_there_is_left_alone(tmp_path: Path) -> None:
    whole = tiny_checkpoint(tmp_path / "whole")
    with pytest.raises(OutputError, match="exists already"):
        expand(load_checkpoint(whole), tmp_path)
