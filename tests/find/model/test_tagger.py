import itertools
import json
import pickle
import shutil

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from incognote.errors import CheckpointError, ConfigError
from incognote.find.finder import Tagger
from incognote.find.model import load_tagger
from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.decoding import decode
from incognote.find.model.ensemble import EnsembleTagger
from incognote.find.model.inference import softmax
from incognote.find.model.runtimes.loading import load_runtime
from incognote.find.model.runtimes.onnx import load_onnx_runtime
from incognote.find.model.tagger import EncoderTagger, part_texts
from tests.fakes import FAMILIES, random_texts


@pytest.mark.parametrize("family", FAMILIES)
def test_spans_are_sorted_apart_visible_and_named_after_the_model(tiny, family):
    texts = random_texts(1, [5, 120, 0, 30])
    tagger = EncoderTagger(str(tiny(family)), device="cpu")
    assert isinstance(tagger, Tagger)
    found = tagger.tag(texts)
    assert [bool(spans) for spans in found] == [True, True, False, True]
    for text, spans in zip(texts, found, strict=True):
        assert list(spans) == sorted(spans)
        for one, two in itertools.pairwise(spans):
            assert one.end <= two.start
        for span in spans:
            assert text[span.start : span.end] == text[span.start : span.end].strip() != ""
            assert span.source == f"model.{family}-0"
            assert 0 < span.score <= 1


@pytest.mark.parametrize("family", FAMILIES)
def test_results_do_not_depend_on_the_batch_or_the_order(tiny, family):
    texts = random_texts(2, [40, 3, 150, 1, 0, 77])
    whole = EncoderTagger(str(tiny(family)), device="cpu").tag(texts)
    alone = EncoderTagger(str(tiny(family)), device="cpu", budget=1)
    assert [alone.tag([text])[0] for text in texts] == whole
    assert EncoderTagger(str(tiny(family)), device="cpu", budget=300).tag(texts[::-1]) == whole[::-1]


@pytest.mark.parametrize("family", FAMILIES)
def test_token_scores_equal_those_of_the_hugging_face_pipeline(tiny, family):
    from transformers import pipeline

    text = "Ann Lee was seen by Dr. Omar Diaz"
    theirs = pipeline("token-classification", model=str(tiny(family)), device="cpu", ignore_labels=[])(text)
    tagger = EncoderTagger(str(tiny(family)), device="cpu")
    tokens = tagger.tokenizer.tokenize([text])[0]
    ours = softmax(tagger.logits([tokens])[0])
    assert [tagger.tags[at] for at in ours.argmax(axis=1)] == [token["entity"] for token in theirs]
    assert ours.max(axis=1) == pytest.approx([float(token["score"]) for token in theirs], abs=1e-5)
    assert tokens.starts.tolist() == [token["start"] for token in theirs]


def test_a_long_note_is_judged_where_each_token_has_most_context(tiny):
    text = random_texts(3, [200])[0]
    tagger = EncoderTagger(str(tiny("bert")), device="cpu", window=34, overlap=16)
    tokens = tagger.tokenizer.tokenize([text])[0]
    ours = softmax(tagger.logits([tokens])[0])
    assert len(ours) == len(tokens) > 200
    # One window by hand, its middle token against ours.
    import torch

    from incognote.find.model.weights import load_model
    from incognote.find.model.windows import cut_windows

    window = cut_windows([len(tokens)], room=32, overlap=16)[3]
    ids = [*tagger.tokenizer.before, *tokens.ids[window.start : window.end].tolist(), *tagger.tokenizer.after]
    with torch.no_grad():
        logits = load_model(tagger.checkpoint)(input_ids=torch.tensor([ids])).logits[0].numpy()
    middle = (window.first + window.last) // 2
    assert ours[middle] == pytest.approx(softmax(logits)[1 + middle - window.start], abs=1e-5)


def test_the_last_words_of_a_note_longer_than_the_window_are_found(tiny):
    text = random_texts(4, [400])[0]
    scores = EncoderTagger(str(tiny("roberta")), device="cpu").scores([text])[0]
    assert scores.ends[-1] == len(text.rstrip())
    assert np.allclose(scores.probabilities.sum(axis=1), 1, atol=1e-5)


def test_notes_without_tokens_have_no_spans(tiny):
    tagger = EncoderTagger(str(tiny("bert")), device="cpu")
    assert tagger.tag([]) == []
    assert tagger.tag(["", " \n\t", "\u200d"]) == [(), (), ()]


def test_a_pickled_tagger_carries_no_weights_and_finds_the_same(tiny):
    texts = random_texts(5, [60])
    tagger = EncoderTagger(str(tiny("bert")), device="cpu")
    found = tagger.tag(texts)
    packed = pickle.dumps(tagger)
    assert len(packed) < 2000
    assert pickle.loads(packed).tag(texts) == found


def test_labels_are_renamed_by_the_mapping(tiny):
    texts = random_texts(6, [60])
    plain = EncoderTagger(str(tiny("bert")), device="cpu").tag(texts)[0]
    renamed = EncoderTagger(str(tiny("bert")), device="cpu", mapping={"CITY": "LOCATION"}).tag(texts)[0]
    assert [span.label.replace("CITY", "LOCATION") for span in plain] == [span.label for span in renamed]


def test_a_temperature_in_the_checkpoint_softens_the_scores(tiny, tmp_path):
    import json
    import shutil

    folder = tmp_path / "soft"
    shutil.copytree(tiny("bert"), folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "incognote": {"temperature": 3.0}}))
    text = random_texts(7, [50])
    hard, soft = (EncoderTagger(str(place), device="cpu").scores(text)[0].probabilities.max(axis=1) for place in (tiny("bert"), folder))
    assert (soft < hard).all()


def test_texts_are_judged_in_parts_that_fit_in_memory():
    texts = ["a" * 900_000, "b" * 900_000, "c" * 5_000_000, "d", "e" * 1_999_999, "f"]
    parts = list(part_texts(texts))
    assert [len(part) for part in parts] == [2, 1, 2, 1]
    assert [text for part in parts for text in part] == texts


def test_decoding_the_scores_gives_the_spans(tiny):
    texts = random_texts(8, [80, 10])
    tagger = EncoderTagger(str(tiny("albert")), device="cpu")
    decoded = [decode(text, scores, tagger.tags) for text, scores in zip(texts, tagger.scores(texts), strict=True)]
    assert decoded == tagger.tag(texts)


def test_an_unusable_device_or_overlap_is_said_plainly(tiny):
    with pytest.raises(CheckpointError, match="device nonsense"):
        EncoderTagger(str(tiny("bert")), device="nonsense").tag(["Ann"])
    with pytest.raises(ConfigError, match="overlap"):
        EncoderTagger(str(tiny("bert")), device="cpu", overlap=500).tag(["Ann"])


def test_load_tagger_checks_every_folder_at_once(tiny, tmp_path):
    assert isinstance(load_tagger([str(tiny("bert"))], device="cpu"), EncoderTagger)
    with pytest.raises(CheckpointError, match="config"):
        load_tagger([str(tiny("bert")), str(tmp_path)])


def test_notes_judged_ahead_of_those_being_decoded_come_out_in_order(tiny, monkeypatch):
    texts = random_texts(5, [30, 2, 0, 60, 11, 45, 7])
    whole = EncoderTagger(str(tiny("bert")), device="cpu", runtime="onnx-fp32").tag(texts)
    monkeypatch.setattr("incognote.find.model.tagger._FEWEST_IN_TURN", 100)
    monkeypatch.setattr("incognote.find.model.tagger.own_cores", lambda: 2)
    assert EncoderTagger(str(tiny("bert")), device="cpu", runtime="onnx-fp32").tag(texts) == whole


@pytest.mark.parametrize("runtime", ["onnx", "onnx-exact", "onnx-fp32", "torch"])
def test_a_model_that_gives_no_numbers_does_not_find_nothing(tiny, tmp_path, runtime):
    folder = shutil.copytree(tiny("bert"), tmp_path / "model")
    weights = load_file(folder / "model.safetensors")
    weights["bert.embeddings.LayerNorm.weight"][:] = np.nan
    save_file(weights, folder / "model.safetensors")
    tagger = EncoderTagger(str(folder), device="cpu", runtime=runtime)
    with pytest.raises(CheckpointError, match=f"{folder}.*no numbers"):
        tagger.tag(["Ann Lee was seen"])
    with pytest.raises(CheckpointError, match="no numbers"):
        EnsembleTagger((tagger, tagger)).tag(["Ann Lee was seen"])


@pytest.mark.parametrize("runtime", ["onnx", "torch"])
def test_a_tokenizer_of_another_model_is_found_out(tiny, tmp_path, runtime):
    folder = shutil.copytree(tiny("bert"), tmp_path / "model")
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["model"]["vocab"] = {word: number if number < 10 else number + 9000 for word, number in tokenizer["model"]["vocab"].items()}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    with pytest.raises(CheckpointError, match="not of one model"):
        EncoderTagger(str(folder), device="cpu", runtime=runtime).tag(["Ann Lee was seen"])


def test_text_that_is_copied_forward_is_judged_once(tiny):
    judged = []

    class Counting:
        def __init__(self, runtime):
            self.runtime, self.budget = runtime, runtime.budget

        def run(self, batches):
            for ids, mask in batches:
                judged.append(len(ids))
                yield from self.runtime.run([(ids, mask)])

    one, two = random_texts(6, [20, 30])
    plain = load_onnx_runtime(load_checkpoint(tiny("bert")))
    found = EncoderTagger(str(tiny("bert")), runtime=Counting(plain)).tag([one, two, one, one])
    assert sum(judged) == 2
    assert found == EncoderTagger(str(tiny("bert")), runtime=plain).tag([one, two]) + [found[0]] * 2


def test_a_runtime_takes_as_many_threads_as_this_process_may(tiny, monkeypatch):
    monkeypatch.setattr("incognote.find.model.runtimes.onnx.own_cores", lambda: 3)
    assert load_runtime(load_checkpoint(tiny("bert")), "onnx").threads == 3


def test_pytorch_takes_no_more_threads_than_this_process_may(tiny, monkeypatch):
    monkeypatch.setattr("incognote.find.model.weights.own_cores", lambda: 1)
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        EncoderTagger(str(tiny("bert")), device="cpu", runtime="torch").tag(["Ann"])
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)


def test_a_model_that_says_so_reads_capitals_in_small_letters(tiny, tmp_path):
    folder = shutil.copytree(tiny("roberta"), tmp_path / "model")
    shouted, quiet = "PT SEEN BY DR. LEE THIS MORNING, NO CHANGE OVERNIGHT.", "pt seen by dr. lee this morning, no change overnight."
    plain = EncoderTagger(str(folder), device="cpu")
    assert plain.tokenize([shouted])[0].ids.tolist() != plain.tokenize([quiet])[0].ids.tolist()
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "incognote": {**config.get("incognote", {}), "lowercase_all_caps": True}}))
    calmed = EncoderTagger(str(folder), device="cpu")
    assert calmed.tokenize([shouted])[0].ids.tolist() == calmed.tokenize([quiet])[0].ids.tolist()
    assert calmed.tag([shouted]) == calmed.tag([quiet])


def test_lowercase_all_caps_must_be_true_or_false(tiny, tmp_path):
    folder = shutil.copytree(tiny("roberta"), tmp_path / "model")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "incognote": {"lowercase_all_caps": "yes"}}))
    with pytest.raises(CheckpointError, match=r"config\.json: lowercase_all_caps must be a bool"):
        load_checkpoint(str(folder))
