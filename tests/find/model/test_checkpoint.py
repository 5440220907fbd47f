import json
import pickle
import shutil
import signal
import socket
import subprocess
import sys

import pytest

from incognote.errors import CheckpointError
from incognote.find.model.checkpoint import find_folder, load_checkpoint, replace_whole, save_checkpoint
from incognote.find.model.tokens import load_tokenizer
from incognote.find.model.weights import load_model, start_model
from tests.fakes import FAMILIES, tiny_encoder


@pytest.fixture
def copied(tiny, tmp_path):
    return shutil.copytree(tiny("bert"), tmp_path / "copied")


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*args, **options):
        raise OSError("no network in tests")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_saved_checkpoint_loads_in_the_hugging_face_pipeline(tiny, family, no_network):
    from transformers import pipeline

    folder = tiny(family)
    assert {"model.safetensors", "config.json", "tokenizer.json", "recipe.toml", "README.md"} <= {file.name for file in folder.iterdir()}
    found = pipeline("token-classification", model=str(folder), device="cpu")("Ann Lee was seen on 3 May")
    assert {entity["entity"] for entity in found} <= set(load_checkpoint(folder).tags) - {"O"}


@pytest.mark.parametrize(("family", "limit"), [("bert", 64), ("roberta", 64), ("mpnet", 64), ("xlnet", 512), ("deberta-v2", 64)])
def test_the_limit_is_what_the_model_really_takes(tiny, family, limit):
    import torch

    checkpoint = load_checkpoint(tiny(family))
    assert checkpoint.limit == limit
    ids = torch.full((1, limit), 7)
    assert load_model(checkpoint)(input_ids=ids).logits.shape == (1, limit, len(checkpoint.tags))


def test_a_missing_folder_or_a_file_is_said_to_be_so(tmp_path):
    with pytest.raises(CheckpointError, match="no such model folder"):
        load_checkpoint(tmp_path / "none")
    with pytest.raises(CheckpointError, match="no such model folder"):
        load_checkpoint("./none/at/all")
    (tmp_path / "weights.bin").write_bytes(b"x")
    with pytest.raises(CheckpointError, match="this is a file"):
        load_checkpoint(tmp_path / "weights.bin")


def test_a_hub_name_without_a_network_says_how_to_pass_a_folder(no_network, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(CheckpointError, match=r"(?s)some/model.*pass the folder"):
        find_folder("some/model")


def test_damaged_weights_are_refused(copied):
    file = copied / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match=r"model\.safetensors: damaged weights"):
        load_checkpoint(copied)
    file.write_bytes(b"not weights at all")
    with pytest.raises(CheckpointError, match="damaged weights"):
        load_checkpoint(copied)


class _Trap:
    def __reduce__(self):
        return (exec, ("raise AssertionError('the pickle was opened')",))


def test_a_pickle_is_never_opened_unless_asked_for(copied):
    (copied / "model.safetensors").unlink()
    (copied / "pytorch_model.bin").write_bytes(pickle.dumps(_Trap()))
    with pytest.raises(CheckpointError, match=r"pickle.*set unsafe"):
        load_checkpoint(copied)


def test_a_pickle_is_read_when_unsafe(copied):
    import torch
    from safetensors.torch import load_file

    torch.save(load_file(copied / "model.safetensors"), copied / "pytorch_model.bin")
    (copied / "model.safetensors").unlink()
    checkpoint = load_checkpoint(copied, unsafe=True)
    assert load_model(checkpoint).num_labels == len(checkpoint.tags)


def test_a_folder_without_weights_or_config_is_named(copied):
    (copied / "model.safetensors").unlink()
    with pytest.raises(CheckpointError, match="no weights"):
        load_checkpoint(copied)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, "bare encoder"),
        ({"0": "LABEL_0", "1": "LABEL_1"}, "bare encoder"),
        ({"0": "O", "2": "B-AGE"}, "gaps"),
        ({"a": "O"}, "numbers"),
    ],
)
def test_missing_labels_are_refused(copied, labels, message):
    config = json.loads((copied / "config.json").read_text())
    config.pop("id2label")
    (copied / "config.json").write_text(json.dumps(config | ({"id2label": labels} if labels else {})))
    with pytest.raises(CheckpointError, match=message):
        load_checkpoint(copied)


def test_damaged_json_is_named(copied):
    (copied / "config.json").write_text("{")
    with pytest.raises(CheckpointError, match=r"config\.json: not valid JSON"):
        load_checkpoint(copied)


def test_a_damaged_tokenizer_is_named(copied):
    (copied / "tokenizer.json").write_text("{}")
    with pytest.raises(CheckpointError, match=r"tokenizer\.json: not a readable tokenizer"):
        load_tokenizer(copied)


def test_a_head_that_is_not_in_the_weights_is_never_made_up(copied):
    from safetensors.torch import load_file, save_file

    weights = load_file(copied / "model.safetensors")
    del weights["classifier.weight"]
    save_file(weights, copied / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(CheckpointError, match=r"classifier\.weight"):
        load_model(load_checkpoint(copied))


def test_a_head_of_another_size_than_the_labels_is_refused(copied):
    config = json.loads((copied / "config.json").read_text())
    (copied / "config.json").write_text(json.dumps(config | {"id2label": {"0": "O", "1": "B-AGE"}, "label2id": {"O": 0, "B-AGE": 1}}))
    with pytest.raises(CheckpointError, match="names 2 tags and the weights score 13"):
        load_checkpoint(copied)


def test_a_bare_encoder_is_given_a_new_head_but_never_new_layers(tmp_path):
    from safetensors.torch import load_file, save_file

    folder = tiny_encoder(tmp_path / "bare", "roberta")
    model, found = start_model(folder, ("O", "B-AGE", "I-AGE"))
    assert (model.num_labels, found) == (3, folder)
    weights = load_file(folder / "model.safetensors")
    del weights["encoder.layer.1.output.dense.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(CheckpointError, match=r"layer\.1\.output\.dense"):
        start_model(folder, ("O", "B-AGE", "I-AGE"))


def test_saving_again_replaces_the_folder_whole(tiny, tmp_path):
    model = load_model(load_checkpoint(tiny("bert")))
    folder = tmp_path / "deep" / "model"
    save_checkpoint(folder, model, tags=load_checkpoint(tiny("bert")).tags, tokenizer_from=tiny("bert"))
    (folder / "stray").write_text("old")
    save_checkpoint(
        folder,
        model,
        tags=load_checkpoint(tiny("bert")).tags,
        tokenizer_from=folder,
        recipe="seed = 1\n",
        card="# card\n",
        settings={"temperature": 2},
    )
    assert not (folder / "stray").exists()
    assert [entry.name for entry in folder.parent.iterdir()] == ["model"]
    assert (folder / "recipe.toml").read_text() == "seed = 1\n"
    assert (folder / "README.md").read_text() == "# card\n"
    assert load_checkpoint(folder).settings == {"temperature": 2}


def test_a_save_that_fails_leaves_nothing_and_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    for name, place in (("link", "real"), ("dangling", "gone")):
        (tmp_path / name).symlink_to(place)
        with replace_whole(tmp_path / name) as draft:
            (draft / "config.json").write_text("{}")
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / place / "config.json").exists()
    with pytest.raises(ValueError, match="no"), replace_whole(tmp_path / "real"):
        raise ValueError("no")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["dangling", "gone", "link", "real"]
    assert (tmp_path / "real" / "config.json").exists()


KILLED = """
import os, signal, sys
from pathlib import Path
from incognote.find.model.checkpoint import replace_whole

with replace_whole(Path(sys.argv[1])) as draft:
    (draft / "config.json").write_text("new")
    rename = Path.rename
    Path.rename = lambda path, target: os.kill(os.getpid(), signal.SIGKILL) if path == draft else rename(path, target)
"""


def test_what_a_kill_between_the_renames_left_is_told_and_comes_back(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("old")
    ended = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "model")])
    assert ended.returncode == -signal.SIGKILL
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [".model.new", ".model.old"]
    with pytest.raises(CheckpointError, match=r"killed as it put this model in place; it is whole in .*/\.model\.new: rename"):
        load_checkpoint(tmp_path / "model")
    with pytest.raises(ValueError, match="no"), replace_whole(tmp_path / "model"):
        raise ValueError("no")
    assert [entry.name for entry in tmp_path.iterdir()] == ["model"]
    assert (tmp_path / "model" / "config.json").read_text() == "new"


def test_a_tokenizer_without_its_json_is_made_from_the_vocabulary(tmp_path):
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "ann", "lee", "##s"]
    (tmp_path / "vocab.txt").write_text("\n".join(words) + "\n")
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer", "do_lower_case": True}))
    tokenizer = load_tokenizer(tmp_path)
    assert (tokenizer.before, tokenizer.after, tokenizer.pad) == ((2,), (3,), 0)
    assert tokenizer.tokenize(["Ann Lees"])[0].ids.tolist() == [5, 6, 7]


@pytest.mark.parametrize(
    ("key", "value"),
    [("num_hidden_layers", None), ("hidden_size", "x"), ("num_attention_heads", 0), ("model_type", []), ("layer_norm_eps", "x")],
)
def test_a_config_without_the_numbers_it_needs_is_named(copied, key, value):
    config = json.loads((copied / "config.json").read_text())
    (copied / "config.json").write_text(json.dumps({**config, key: value, "incognote": {"temperature": 0, "overlap": "x"}}))
    with pytest.raises(CheckpointError, match=rf"config.json: .*{key} must be .*temperature must be a number above 0"):
        load_checkpoint(copied)


def test_a_home_that_is_not_there_is_no_model_folder():
    with pytest.raises(CheckpointError, match="~nobody-here/model: there is no such model folder"):
        find_folder("~nobody-here/model")


def test_a_tokenizer_without_a_vocabulary_is_named(copied):
    tokenizer = json.loads((copied / "tokenizer.json").read_text())
    tokenizer["model"] = {"type": "BPE", "vocab": {}, "merges": []}
    tokenizer["added_tokens"], tokenizer["post_processor"] = [], {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}
    (copied / "tokenizer.json").write_text(json.dumps(tokenizer))
    with pytest.raises(CheckpointError, match=f"{copied}: its tokenizer makes no tokens"):
        load_tokenizer(copied)


def test_settings_of_earlier_versions_have_their_present_names(tiny, tmp_path):
    folder = shutil.copytree(tiny("bert"), tmp_path / "model")
    config = json.loads((folder / "config.json").read_text())
    config["incognote"] = {"lean": 6.0, "calm": True, "vouched": ["onnx"], "close": 0.7, "window": 64}
    (folder / "config.json").write_text(json.dumps(config))
    names = {"recall_bias": 6.0, "lowercase_all_caps": True, "validated_runtimes": ["onnx"], "confidence_margin": 0.7, "window": 64}
    assert load_checkpoint(folder).settings == names
