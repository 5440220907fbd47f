from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from incognote.errors import CheckpointError
from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.runtimes.openvino import OpenVinoRuntime
from incognote.find.model.runtimes.openvino_graph import pick_group, scale_queries
from incognote.find.model.runtimes.stack import read_stack
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.tensors import Tensors
from tests.fakes import random_texts


@pytest.mark.parametrize("family", ["bert", "roberta", "albert", "distilbert", "mpnet"])
def test_scores_are_near_those_of_pytorch_and_in_order(tiny, family):
    texts = random_texts(1, [5, 120, 0, 30, 5])
    exact, quick = (EncoderTagger(str(tiny(family)), device="cpu", runtime=name) for name in ("torch", "openvino"))
    notes = exact.tokenizer.tokenize(texts)
    for one, two in zip(exact.logits(notes), quick.logits(notes), strict=True):
        if one.size:
            assert np.abs(one - two).mean() < 0.02 * one.std()


@pytest.mark.parametrize("family", ["roberta", "mpnet"])
def test_scores_do_not_depend_on_padding_or_neighbours(tiny, family):
    texts = random_texts(2, [1, 15, 16, 17, 16, 14, 17, 90, 89])
    tagger = EncoderTagger(str(tiny(family)), device="cpu", runtime="openvino")
    for text, scores in zip(texts, tagger.scores(texts), strict=True):
        assert (tagger.scores([text])[0].probabilities == scores.probabilities).all()


def test_channels_share_a_scale_in_groups_that_fit_the_widths(tiny):
    checkpoint = load_checkpoint(tiny("bert"))
    stack = read_stack(checkpoint.config, Tensors(checkpoint.folder))
    groups = {(384, 1536): 192, (576, 1536): 192, (768, 3072): 192, (1024, 4096): 128, (320, 1280): 64, (312, 1200): 128}
    assert {widths: pick_group(resize(stack, *widths)) for widths in groups} == groups


def test_queries_are_scaled_before_attention_would_do_it(tiny):
    checkpoint = load_checkpoint(tiny("bert"))
    stack = read_stack(checkpoint.config, Tensors(checkpoint.folder))
    qkv, width = stack.layers[0].qkv, stack.width
    scaled = scale_queries(qkv, stack.heads)
    root = (width // stack.heads) ** -0.5
    assert scaled.codes().floats() == pytest.approx(qkv.codes().floats() * np.repeat([root, 1, 1], width)[:, None], rel=1e-6)
    assert scaled.bias == pytest.approx(qkv.bias * np.repeat([root, 1, 1], width), rel=1e-6)


def resize(stack, width, wide):
    """The stack with biases of these sizes, from which its widths are read."""
    layer = stack.layers[0]
    out, up = (replace(linear, bias=np.zeros(size, dtype=np.float32)) for linear, size in ((layer.out, width), (layer.up, wide)))
    return replace(stack, layers=(replace(layer, out=out, up=up),))


def test_a_processor_that_lacks_what_openvino_needs_is_told_plainly(tiny):
    class Request:
        def start_async(self, *_, **__): ...

        def wait(self):
            raise RuntimeError("could not create a primitive descriptor")

    config = load_checkpoint(tiny("bert")).config
    runtime = OpenVinoRuntime((SimpleNamespace(create_infer_request=Request),), config, tags=3, reach=0, limit=64, streams=1)
    with pytest.raises(CheckpointError, match="--runtime auto"):
        EncoderTagger(str(tiny("bert")), runtime=runtime).tag(["Ann Lee"])
