import json
import subprocess
import sys
import time

import pytest

from incognote.errors import CheckpointError
from tests.fakes import call_command


def _run(*arguments: str) -> str:
    return call_command("models", *arguments)


def test_show_writes_json_with_the_total_and_the_rows():
    value = json.loads(_run("show", "roberta-base", "--head", "tags", "--labels", "41", "--json", "-"))
    assert value["parameters"] == 124_086_569
    assert value["rows"][2] == {
        "name": "roberta.embeddings.token_type_embeddings.weight",
        "shape": [1, 768],
        "squeezed_shape": [768],
        "parameters": 768,
        "form": "Vector",
    }


@pytest.mark.parametrize(
    ("options", "total"),
    [
        ([], "109,483,778"),
        (["--labels", "41"], "108,923,177"),
        (["--head", "tags"], "108,923,177"),
        (["--head", "classes", "--labels", "3"], "109,484,547"),
    ],
)
def test_show_chooses_the_likeliest_head(options, total):
    assert f"**Total: [ {total} ]**" in _run("show", "bert-base", *options)


def test_show_writes_the_appendix_table_and_html(tmp_path):
    assert "| bert.embeddings.word_embeddings.weight | 23440896 |" in _run("show", "bert-base", "--head", "tags", "--modules")
    _run("show", "bert-base", "--html", str(tmp_path / "page.html"))
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")


def test_show_of_a_folder_uses_its_own_labels(tmp_path):
    config = {"model_type": "bert", "hidden_size": 8, "id2label": {"0": "O", "1": "B-AGE", "2": "I-AGE"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert "**Head: [ tags, 3 labels ]**" in _run("show", str(tmp_path))


def test_list_and_rank_name_every_encoder():
    listed = json.loads(_run("list", "--json", "-"))
    ranked = json.loads(_run("rank", "--json", "-"))
    assert {row["name"] for row in listed} == {row["name"] for row in ranked}
    assert ranked[0]["parameters"] >= ranked[-1]["parameters"]
    assert "| roberta-large |" in _run("list")
    assert "| roberta-large |" in _run("rank", "--head", "classes")


def test_an_unknown_name_names_the_nearest():
    with pytest.raises(CheckpointError, match="nearest: roberta-base"):
        _run("show", "robert-base")


def test_show_needs_neither_pytorch_nor_a_network_and_is_done_at_once():
    script = (
        "import sys, socket; socket.socket = None;"
        "sys.argv = 'incognote models show roberta-base --head tags --labels 41 --json -'.split();"
        "from incognote.cli.main import main; main()"
    )
    watch = (
        "import atexit, sys; atexit.register(lambda: print(sorted({'torch','transformers','numpy'} & set(sys.modules)), file=sys.stderr));"
    )
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", watch + script], capture_output=True, text=True, check=True)
    assert time.perf_counter() - begin < 3
    assert json.loads(done.stdout)["parameters"] == 124_086_569
    assert done.stderr.strip() == "[]"


def test_show_knows_the_shipped_model_by_its_name():
    value = json.loads(_run("show", "default", "--json", "-"))
    assert (value["name"], value["head"], value["labels"]) == ("default", "tags", 63)


def test_show_names_a_damaged_config(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "bert", "hidden_size": "x"}')
    with pytest.raises(CheckpointError, match="hidden_size must be a whole number"):
        call_command("models", "show", tmp_path)
    with pytest.raises(CheckpointError, match="~nobody-here/x: no encoder of that name"):
        call_command("models", "show", "~nobody-here/x")
