import shutil

import numpy as np
import pytest

from incognote.errors import CheckpointError
from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.packing import pack_checkpoint
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.tensors import Tensors, is_quantized, quantize
from tests.fakes import random_texts


@pytest.fixture
def packed(tiny, tmp_path):
    return pack_checkpoint(tiny("roberta"), tmp_path / "packed", settings={"validated_runtimes": ["onnx"]})


def test_a_packed_checkpoint_is_smaller_and_nearly_the_same(tiny, packed):
    assert (packed / "model.safetensors").stat().st_size < 0.5 * (tiny("roberta") / "model.safetensors").stat().st_size
    assert load_checkpoint(packed).settings["validated_runtimes"] == ["onnx"]
    before, after = Tensors(tiny("roberta")), Tensors(packed)
    assert set(before) == set(after)
    for name in before:
        assert after[name] == pytest.approx(before[name], abs=0.01)


def test_every_runtime_reads_the_same_numbers_from_the_codes(packed):
    assert is_quantized(packed)
    texts = random_texts(1, [50, 3])
    taggers = [EncoderTagger(str(packed), device="cpu", runtime=name) for name in ("torch", "onnx-fp32", "onnx")]
    notes = taggers[0].tokenizer.tokenize(texts)
    torch, exact, int8 = (np.concatenate(tagger.logits(notes)) for tagger in taggers)
    assert exact == pytest.approx(torch, abs=2e-5)
    assert np.abs(int8 - torch).mean() < 0.01 * torch.std()


def test_packing_twice_changes_nothing(packed, tmp_path):
    again = pack_checkpoint(packed, tmp_path / "again")
    assert (again / "model.safetensors").read_bytes() == (packed / "model.safetensors").read_bytes()


def test_codes_survive_being_made_numbers_and_codes_again():
    matrix = np.random.default_rng(0).standard_normal((50, 30)).astype(np.float32)
    codes = quantize(matrix)
    assert np.array_equal(quantize(codes.floats()).values, codes.values)


@pytest.mark.parametrize("damage", [b"", b"short", b"\xff" * 64, None])
def test_damaged_weights_are_said_to_be(tiny, tmp_path, damage):
    folder = tmp_path / "damaged"
    shutil.copytree(tiny("bert"), folder)
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-100] if damage is None else damage)
    with pytest.raises(CheckpointError, match="damaged weights"):
        load_checkpoint(folder)
