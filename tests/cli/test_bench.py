import json

import pytest

from incognote.errors import ConfigError, CorpusError
from incognote.lab.speed.throughput import STAGES
from tests.fakes import call_command, tiny_checkpoint


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return str(tiny_checkpoint(tmp_path_factory.mktemp("bench") / "model"))


def run(*arguments: str) -> str:
    return call_command("bench", *arguments)


def test_bench_measures_every_stage_on_synthetic_notes(model, tmp_path):
    output = run("--notes", "6", "--model", model, "--runtime", "onnx", "--html", str(tmp_path / "page.html"))
    for word in (*STAGES, "notes/s", "peak", "MiB", "hours"):
        assert word in output
    assert "<svg" in (tmp_path / "page.html").read_text()


def test_bench_beside_the_pipeline_gives_the_ratio(model, tmp_path):
    for number in range(3):
        (tmp_path / f"p{number}.1.txt").write_text("Ann Lee was seen by Dr. Omar Diaz on 3 May 2021 in Boston. " * (number + 1))
    found = json.loads(run(str(tmp_path), "--model", model, "--runtime", "onnx-fp32", "--against", "hf-pipeline", "--json", "-"))
    assert found["notes"] == 3
    assert found["ratio"] > 0
    assert found["against"]["batch_size"] in (1, 8, 32)
    assert found["documents_alike"] == 1
    assert set(found["seconds"]) == set(STAGES)


def test_bench_of_the_rules_alone_tells_of_no_model(tmp_path):
    page, figures = tmp_path / "page.html", tmp_path / "figures.json"
    output = run("--model", "none", "--notes", "4", "--json", str(figures), "--html", str(page))
    found = json.loads(figures.read_text())
    assert found["runtime"] == "rules only"
    assert "arithmetic" not in found
    assert list(found["share"]) == list(found["seconds"]) == ["read", "rules", "merge", "replace", "write"]
    for text in (output, page.read_text(), figures.read_text()):
        assert not any(word in text for word in ("token", "infer", "decode"))


def test_bench_refuses_what_it_cannot_measure(tmp_path):
    with pytest.raises(ConfigError, match="hf-pipeline"):
        run("--against", "spacy")
    with pytest.raises(CorpusError):
        run(str(tmp_path / "nowhere"))


def test_bench_compares_the_shipped_model_unless_another_is_named():
    found = json.loads(run("--notes", "2", "--runtime", "onnx", "--against", "hf-pipeline", "--json", "-"))
    assert found["notes"] == 2
    assert found["ratio"] > 0


def test_the_rules_alone_have_nothing_to_compare():
    with pytest.raises(ConfigError, match="has no model"):
        run("--model", "none", "--against", "hf-pipeline")


def test_a_runtime_that_there_is_not_is_named_even_without_a_model():
    with pytest.raises(ConfigError, match="quicker: is one of auto, onnx"):
        run("--model", "none", "--runtime", "quicker")


def test_bench_reads_a_table_with_columns_of_other_names(tmp_path):
    (tmp_path / "notes.csv").write_text("nr,note_text\n1,Mr. Kowalczyk left.\n")
    columns = ("--note-column", "note_text", "--id-column", "nr")
    assert json.loads(run(str(tmp_path / "notes.csv"), "--model", "none", "--json", "-", *columns))["notes"] == 1


def test_what_a_gpu_does_is_not_measured_by_the_peak_of_the_processor(model, monkeypatch):
    monkeypatch.setattr("incognote.lab.speed.throughput.uses_gpu", lambda: True)
    found = json.loads(call_command("bench", "--notes", "3", "--model", model, "--runtime", "torch", "--json", "-"))
    assert found["tokens"]
    assert "arithmetic" not in found
