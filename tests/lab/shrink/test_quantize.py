"""int8 out of full precision: what the fake rounds is what the runtime rounds, and what cannot be quantized is said at once."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from incognote.errors import CheckpointError, ConfigError, CorpusError, LabelError, OutputError
from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.config import SETTINGS
from incognote.find.model.packing import ACTIVATIONS, KEPT
from incognote.find.model.runtimes.stack import FAMILIES
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.tensors import Tensors, is_quantized, weight_bits
from incognote.find.model.weights import load_model
from incognote.lab.shrink.fake import Fake, fake_model, round_rows
from incognote.lab.shrink.layers import keep_layers
from incognote.lab.shrink.quantize import load_fake_runtime, quantize_dynamic, quantize_static
from incognote.lab.shrink.ranges import as_tensors, find_ranges
from incognote.lab.shrink.table import count_parameters
from tests.fakes import random_texts, template_notes, tiny_checkpoint

NOTES = template_notes(30)
TEXTS = random_texts(1, [50, 3, 90])
TINY = tuple(sorted(FAMILIES & {"bert", "roberta", "distilbert", "mpnet", "albert"}))

Make = Callable[[Path, Path], Path]


def quantize(how: str, source: Path, target: Path) -> Path:
    return quantize_dynamic(source, target) if how == "dynamic" else quantize_static(source, target, NOTES)


def logits(folder: Path, runtime: object) -> np.ndarray:
    tagger = EncoderTagger(str(folder), device="cpu", runtime=runtime)
    return np.concatenate(tagger.logits(tagger.tokenizer.tokenize(TEXTS)))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    return tiny_checkpoint(tmp_path_factory.mktemp("quantize") / "whole", "roberta")


@pytest.mark.parametrize("family", TINY)
@pytest.mark.parametrize("how", ["dynamic", "static"])
def test_the_fake_rounds_as_the_int8_runtime_does(how: str, family: str, tmp_path: Path) -> None:
    source = tiny_checkpoint(tmp_path / "whole", family)
    small = quantize(how, source, tmp_path / "small")
    assert is_quantized(small)
    exact, runtime, fake = logits(source, "onnx-fp32"), logits(small, "onnx"), logits(small, load_fake_runtime(small))
    off = np.abs(runtime - exact).mean()
    assert 0 < off < 0.03 * exact.std()
    # Rounding the other way now and then aside, the two are nearer to each other than to full precision.
    assert np.abs(runtime - fake).mean() < 0.5 * off


def test_static_ranges_are_kept_in_the_checkpoint_and_used(whole: Path, tmp_path: Path) -> None:
    dynamic, static = (quantize(how, whole, tmp_path / how) for how in ("dynamic", "static"))
    ranges = load_checkpoint(static).settings[ACTIVATIONS]
    assert ACTIVATIONS not in load_checkpoint(dynamic).settings
    assert len(ranges) == 2 * 6
    assert all(low <= 0 <= high for low, high in ranges.values())
    assert (logits(dynamic, "onnx") != logits(static, "onnx")).any()
    assert (logits(dynamic, "onnx-fp32") == logits(static, "onnx-fp32")).all()


def test_what_was_measured_with_other_weights_is_dropped(tmp_path: Path) -> None:
    whole = tiny_checkpoint(tmp_path / "whole")
    config = json.loads((whole / "config.json").read_text())
    (whole / "config.json").write_text(
        json.dumps({**config, SETTINGS: {"validated_runtimes": ["onnx"], "confidence_margin": 0.5, "window": 64}})
    )
    assert load_checkpoint(quantize_dynamic(whole, tmp_path / "small")).settings == {"window": 64}


@pytest.mark.parametrize("family", TINY)
def test_four_bits_halve_the_weights_and_every_runtime_reads_them(family: str, tmp_path: Path) -> None:
    source = tiny_checkpoint(tmp_path / "whole", family)
    eight, four = (quantize_dynamic(source, tmp_path / f"int{bits}", bits=bits) for bits in (8, 4))
    assert (weight_bits(eight), weight_bits(four)) == (8, 4)
    assert count_parameters(eight) == count_parameters(four) == count_parameters(source)
    matrices = [name for name in Tensors(four) if Tensors(four).quantized(name)]
    assert all(2 * Tensors(four).raw(name).nbytes == Tensors(eight).raw(name).nbytes for name in matrices)
    assert max(np.abs(Tensors(four).quantized(name).values).max() for name in matrices) == 7
    exact, runtime, fake, torch_says = (
        logits(source, "onnx-fp32"),
        logits(four, "onnx"),
        logits(four, load_fake_runtime(four)),
        logits(four, "torch"),
    )
    off = np.abs(torch_says - exact).mean()
    assert np.abs(logits(eight, "torch") - exact).mean() < off < 0.3 * exact.std()
    assert max(np.abs(runtime - fake).mean(), np.abs(runtime - torch_says).mean()) < 0.2 * off


def test_training_rounds_to_four_bits_as_packing_does(whole: Path, tmp_path: Path) -> None:
    packed = Tensors(quantize_dynamic(whole, tmp_path / "four", bits=4))
    for name in packed:
        if packed.quantized(name):
            assert round_rows(torch.from_numpy(Tensors(whole)[name]), bits=4).numpy() == pytest.approx(packed[name], abs=1e-6)
            assert round_rows(torch.from_numpy(packed[name]), bits=4).numpy() == pytest.approx(packed[name], abs=1e-6)


def test_other_bits_are_refused_and_nothing_is_written(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="8 bits or 4"):
        quantize_dynamic(whole, tmp_path / "small", bits=3)
    assert not (tmp_path / "small").exists()


def test_ranges_go_when_layers_do(whole: Path, tmp_path: Path) -> None:
    shallow = keep_layers(quantize("static", whole, tmp_path / "static"), tmp_path / "shallow", [1])
    assert ACTIVATIONS not in load_checkpoint(shallow).settings


def test_static_ranges_serve_processors_without_vnni_as_well(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    static = quantize("static", whole, tmp_path / "static")
    signed = logits(static, "onnx")
    monkeypatch.setattr("incognote.find.model.runtimes.onnx.multiplies_bytes", lambda: False)
    assert logits(static, "onnx") == pytest.approx(signed, abs=1e-4)


def test_a_quantized_model_is_a_checkpoint_that_tags(whole: Path, tmp_path: Path) -> None:
    small = quantize_dynamic(whole, tmp_path / "small")
    texts = [note.text for note in NOTES[:4]]
    for runtime in ("onnx", "torch"):
        assert len(EncoderTagger(str(small), device="cpu", runtime=runtime).tag(texts)) == 4


def test_ranges_leave_out_the_first_and_last_token(whole: Path) -> None:
    checkpoint = load_checkpoint(whole)
    model = load_model(checkpoint)
    before = find_ranges(model, checkpoint, TEXTS)
    with torch.no_grad():
        weight = model.get_input_embeddings().weight
        tokenizer = EncoderTagger(str(whole)).tokenizer
        for token in (*tokenizer.before, *tokenizer.after):
            weight[token] *= -1  # the norm hides how large they are, but not their direction
    first = next(name for name in before if "query" in name)
    assert find_ranges(model, checkpoint, TEXTS)[first] == before[first]


def test_gradients_pass_through_rounding(whole: Path) -> None:
    model = load_model(load_checkpoint(whole))
    ranges = as_tensors(find_ranges(model, load_checkpoint(whole), TEXTS), torch.device("cpu"))
    undo = fake_model(model, Fake(ranges), kept=("relative_attention_bias",))
    before = {name: held.clone() for name, held in ranges.items()}
    model.train()
    model(input_ids=torch.randint(5, 60, (2, 12))).logits.sum().backward()
    lacking = [name for name, each in model.named_parameters() if each.grad is None or not each.grad.abs().sum()]
    assert not [name for name in lacking if "key.bias" not in name]  # which attention never feels
    assert any((held != before[name]).any() for name, held in ranges.items())
    model.eval()
    ids = torch.randint(5, 60, (2, 12))
    rounded = model(input_ids=ids).logits
    undo()
    assert (model(input_ids=ids).logits != rounded).any()
    assert not any("forward" in vars(module) for module in model.modules())


def test_rounded_rows_are_the_codes_of_a_packed_checkpoint(whole: Path, tmp_path: Path) -> None:
    weights, codes = Tensors(whole), Tensors(quantize_dynamic(whole, tmp_path / "small"))
    for name in weights:
        if codes.quantized(name):
            assert round_rows(torch.from_numpy(weights[name])).numpy() == pytest.approx(codes[name], abs=1e-6)
        else:
            assert weights[name].ndim == 1 or any(part in name for part in KEPT)


def test_what_is_int8_already_is_refused(whole: Path, tmp_path: Path) -> None:
    small = quantize_dynamic(whole, tmp_path / "small")
    for how in ("dynamic", "static"):
        with pytest.raises(CheckpointError, match="quantized already"):
            quantize(how, small, tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_calibration_without_notes_or_with_unknown_labels_is_refused(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no note to calibrate on"):
        quantize_static(whole, tmp_path / "small", [])
    narrow = tiny_checkpoint(tmp_path / "narrow", labels=("PATIENT",))
    with pytest.raises(LabelError, match="DOCTOR"):
        quantize_static(narrow, tmp_path / "small", NOTES)
    assert not (tmp_path / "small").exists()


def test_output_that_is_there_is_left_alone(whole: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for how in ("dynamic", "static"):
        with pytest.raises(OutputError, match="exists already"):
            quantize(how, whole, tmp_path / "there")
    assert not list((tmp_path / "there").iterdir())


def test_families_without_a_graph_have_no_ranges(tmp_path: Path) -> None:
    modern = tiny_checkpoint(tmp_path / "modern", "modernbert")
    with pytest.raises(CheckpointError, match="no int8 graph"):
        quantize_static(modern, tmp_path / "static", NOTES)
    small = quantize_dynamic(modern, tmp_path / "small")
    assert len(EncoderTagger(str(small), device="cpu").tag(TEXTS)) == 3
