import numpy as np
import pytest

from incognote.errors import CheckpointError
from incognote.find.model import find_source
from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.packing import pack_checkpoint
from incognote.find.model.runtimes.fused import write_int8_graph
from incognote.find.model.runtimes.onnx import load_onnx_runtime
from incognote.find.model.runtimes.stack import FAMILIES, read_stack
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.tensors import Tensors
from incognote.models import DEFAULT
from tests.fakes import random_texts

FUSED = ("bert", "roberta", "albert", "distilbert")
TEXTS = [*random_texts(1, [5, 120, 0, 30]), "then <pad> and <s> said [PAD] [SEP] Ann Lee"]


def _logits(folder, runtime: str, texts=TEXTS):
    tagger = EncoderTagger(str(folder), device="cpu", runtime=runtime)
    return np.concatenate(tagger.logits(tagger.tokenizer.tokenize(texts)))


@pytest.mark.parametrize("family", FUSED)
def test_full_precision_gives_the_numbers_of_pytorch(tiny, family):
    assert family in FAMILIES
    assert _logits(tiny(family), "onnx-fp32") == pytest.approx(_logits(tiny(family), "torch"), abs=2e-5)


@pytest.mark.parametrize("family", FUSED)
def test_int8_is_near_full_precision(tiny, family):
    exact = _logits(tiny(family), "torch")
    quick = _logits(tiny(family), "onnx")
    assert np.abs(quick - exact).mean() < 0.01 * exact.std()


def test_the_last_product_of_the_last_two_layers_is_fine():
    checkpoint = load_checkpoint(find_source(DEFAULT))
    stack = read_stack(checkpoint.config, Tensors(checkpoint.folder))
    graph = write_int8_graph(stack)
    tokens_and_specials = [graph.count(f"{layer.down.name}.values".encode()) - 1 for layer in stack.layers]
    # A W8A16 product is two. Special tokens are always W8A16, and end before the last layer.
    assert tokens_and_specials == [1 + 2, 1 + 2, 1 + 2, 1 + 2, 2 + 2, 2]


@pytest.mark.parametrize("family", FUSED)
def test_two_bytes_for_each_activation_give_the_numbers_of_full_precision_with_coded_weights(tiny, family, tmp_path):
    folder = pack_checkpoint(tiny(family), tmp_path / family)
    exact = _logits(folder, "torch")
    assert _logits(folder, "onnx-exact") == pytest.approx(exact, abs=float(3e-4 * exact.std()))


@pytest.mark.parametrize("runtime", ["onnx", "onnx-exact", "onnx-fp32"])
def test_scores_of_a_note_do_not_depend_on_its_neighbours(tiny, runtime):
    texts = random_texts(2, [40, 3, 150, 1, 0, 77, 40])
    whole = EncoderTagger(str(tiny("roberta")), runtime=runtime).scores(texts)
    for text, scores in zip(texts, whole, strict=True):
        alone = EncoderTagger(str(tiny("roberta")), runtime=runtime, budget=1).scores([text])[0]
        assert alone.probabilities == pytest.approx(scores.probabilities, abs=0 if runtime != "onnx-fp32" else 1e-6)


def test_threads_give_results_in_order(tiny):
    checkpoint = load_checkpoint(tiny("bert"))
    texts = random_texts(3, [10, 200, 3, 90, 41])
    found = [
        EncoderTagger(str(tiny("bert")), runtime=load_onnx_runtime(checkpoint, precision="int8", threads=n)).tag(texts) for n in (1, 3)
    ]
    assert found[0] == found[1]


def test_threads_do_not_share_a_pool_of_memory(tiny):
    checkpoint = load_checkpoint(tiny("bert"))
    sessions = [load_onnx_runtime(checkpoint, threads=threads).sessions[0] for threads in (1, 2)]
    assert [session.get_session_options().enable_cpu_mem_arena for session in sessions] == [True, False]


def test_unsigned_codes_for_older_processors_mean_the_same(tiny):
    import onnxruntime

    checkpoint = load_checkpoint(tiny("bert"))
    stack = read_stack(checkpoint.config, Tensors(checkpoint.folder))
    ids = np.arange(5, 45)[None]
    feeds = {"ids": ids[:, 1:-1], "positions": ids[:, 1:-1] - 5, "special_ids": ids[:, [0, -1]], "special_positions": ids[:, [0, -1]] - 5}
    signed, unsigned = (
        onnxruntime.InferenceSession(write_int8_graph(stack, signed=signed), providers=["CPUExecutionProvider"]).run(None, feeds)[0]
        for signed in (True, False)
    )
    assert unsigned == pytest.approx(signed, abs=1e-4)


def test_large_activations_of_the_special_tokens_do_not_blur_the_words(tiny, tmp_path):
    """The first token of real encoders has activations a hundred times larger than words; they must not set the scale of words."""
    import shutil

    from safetensors.numpy import load_file, save_file

    folder = tmp_path / "massive"
    shutil.copytree(tiny("bert"), folder)
    weights = load_file(folder / "model.safetensors")
    for table in ("word", "position", "token_type"):  # channel 3 says nothing about words: it is the mean, which the norm takes out
        values = weights[f"bert.embeddings.{table}_embeddings.weight"]
        values[:, 3] = 0
        values -= values.sum(axis=1, keepdims=True) / (values.shape[1] - 1)
        values[:, 3] = 0
    (first,) = EncoderTagger(str(folder)).tokenizer.before
    weights["bert.embeddings.word_embeddings.weight"][first, 3] = 40.0
    weights["bert.embeddings.LayerNorm.weight"][3] = 200.0
    save_file(weights, folder / "model.safetensors")
    exact, quick = _logits(folder, "torch"), _logits(folder, "onnx")
    assert np.abs(quick - exact).mean() < 0.02 * exact.std()


def test_other_families_are_sent_to_pytorch(tiny):
    with pytest.raises(CheckpointError, match="set runtime to torch"):
        load_onnx_runtime(load_checkpoint(tiny("xlnet")), precision="int8")


def test_a_missing_weight_is_named(tiny, tmp_path):
    import shutil

    from safetensors.numpy import load_file, save_file

    folder = tmp_path / "lacking"
    shutil.copytree(tiny("bert"), folder)
    weights = load_file(folder / "model.safetensors")
    del weights["classifier.bias"]
    save_file(weights, folder / "model.safetensors")
    with pytest.raises(CheckpointError, match=r"classifier\.bias"):
        load_onnx_runtime(load_checkpoint(folder))
