from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from incognote.errors import CheckpointError, ConfigError
from incognote.find.model.checkpoint import copy_tokenizer
from incognote.find.model.quiet import quiet
from incognote.lab.encoders.masked import MaskedModel, fill_masks, load_masked
from tests.fakes import tiny_encoder


@pytest.fixture(scope="module")
def filler(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A tiny masked language model of a family, with a head of its own."""
    made: dict[str, Path] = {}

    def make(family: str) -> Path:
        if family not in made:
            torch.manual_seed(3)
            folder = tmp_path_factory.mktemp("filler") / family
            masked = load_masked(tiny_encoder(folder.with_name("bare"), family))
            with torch.no_grad():
                for parameter in masked.model.parameters():
                    parameter.normal_(0, 0.3)
            with quiet():
                masked.model.save_pretrained(folder)
            copy_tokenizer(masked.folder, folder)
            made[family] = folder
        return made[family]

    return make


@pytest.mark.parametrize("family", ["bert", "roberta", "albert", "mpnet"])
def test_words_and_probabilities_are_those_of_transformers(family: str, filler: Callable[[str], Path]) -> None:
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    folder = filler(family)
    with quiet():
        model = AutoModelForMaskedLM.from_pretrained(folder, local_files_only=True).eval()
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    text = f"The patient was seen by {tokenizer.mask_token} in Boston"
    inputs = tokenizer(text, return_tensors="pt")
    place = int((inputs["input_ids"][0] == tokenizer.mask_token_id).nonzero())
    with torch.inference_mode():
        logits = model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"]).logits[0, place]
    shares = {tokenizer.convert_ids_to_tokens(number): float(share) for number, share in enumerate(logits.double().softmax(-1))}
    (guesses,) = fill_masks(load_masked(folder), "The patient was seen by [MASK] in Boston", top=8)
    special = set(tokenizer.all_special_tokens)
    best = sorted((token for token in shares if token not in special), key=lambda token: -shares[token])[:8]
    assert [guess.token for guess in guesses] == best
    assert [guess.probability for guess in guesses] == pytest.approx([shares[token] for token in best], rel=1e-5)
    assert all(guess.word.strip() for guess in guesses)


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_a_mask_may_be_spelled_either_way_and_stand_more_than_once(family: str, filler: Callable[[str], Path]) -> None:
    masked = load_masked(filler(family))
    both = [fill_masks(masked, f"seen by {one} on {two}") for one, two in (("[MASK]", "<mask>"), ("<mask>", "[MASK]"))]
    assert both[0] == both[1]
    assert len(both[0]) == 2
    assert len(both[0][0]) == 10


def test_a_text_without_a_mask_is_an_error_that_does_not_repeat_it(filler: Callable[[str], Path]) -> None:
    with pytest.raises(ConfigError, match=r"no \[MASK\]") as error:
        fill_masks(load_masked(filler("bert")), "Ann Lee was seen")
    assert "Ann" not in str(error.value)


def test_a_text_too_long_for_the_model_is_not_cut(filler: Callable[[str], Path]) -> None:
    with pytest.raises(ConfigError, match="the model reads 64"):
        fill_masks(load_masked(filler("bert")), "fever " * 80 + "[MASK]")


def test_a_model_without_a_head_for_words_does_not_fill(tmp_path: Path) -> None:
    masked = load_masked(tiny_encoder(tmp_path / "bare"))
    assert masked.fresh
    with pytest.raises(CheckpointError, match="no head for words"):
        fill_masks(masked, "a [MASK]")


def test_int8_weights_are_opened_for_their_encoder() -> None:
    from incognote.models import find_model

    masked: MaskedModel = load_masked(find_model())
    assert masked.fresh
    assert all(torch.isfinite(parameter).all() for parameter in masked.model.parameters())


def test_a_damaged_folder_is_named(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = tiny_encoder(tmp_path / "bare")
    weights = load_file(folder / "model.safetensors")
    weights.pop("encoder.layer.0.output.dense.weight")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(CheckpointError, match="weights of the encoder are missing"):
        load_masked(folder)
