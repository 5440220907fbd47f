"""The model that ships: whole, small, light to load, of use beside the rules, and never left out without a word."""

import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from incognote import models
from incognote.deidentifier import Deidentifier
from incognote.document.bio import OUTSIDE
from incognote.errors import CheckpointError
from incognote.filters import Rescorer
from incognote.find.model import load_tagger
from incognote.find.model.runtimes.pruning import PRUNED
from incognote.find.model.tagger import EncoderTagger
from incognote.lab.synthetic import synthesize
from incognote.models import DEFAULT, STANDARD, SUMS, choose_models, find_model
from tests.fakes import tiny_checkpoint
from tests.judged import judge, rescore

MISSED = "Pls let Oyelaran know that Tsvetelina from Pasadena rang back.\nthx\n"
ONE_NOTE = [sys.executable, "-m", "incognote", "scrub", "-", "--mode", "tag"]


@pytest.fixture(scope="module")
def both() -> Deidentifier:
    return Deidentifier.default(mode="placeholder", key=b"k" * 32, runtime="onnx")


def test_it_is_the_standard_and_small_and_whole() -> None:
    assert choose_models(None) == STANDARD == (DEFAULT,)
    folder = find_model()
    listed = {line.split()[1] for line in (folder / SUMS).read_text().splitlines()}
    assert listed >= {"model.safetensors", "tokenizer.json", "config.json", "README.md", "NOTICE"}
    assert sum(file.stat().st_size for file in folder.iterdir()) < 25e6


def test_its_card_names_no_folder_of_the_machine_it_was_made_on() -> None:
    for name in ("config.json", "README.md", "recipe.toml"):
        assert not {"/work", "/tmp", "/root", "/home"} & set((find_model() / name).read_text().replace('"', "/ ").split("/ "))


def test_its_gates_hold_back_much_and_little_of_what_it_tags() -> None:
    texts = [note.text for note in synthesize(40, seed=8, part="test")]
    exact, quick = (EncoderTagger(DEFAULT, runtime=name) for name in ("onnx-fp32", "onnx"))
    notes = exact.tokenize(texts)
    tags, gated = (np.concatenate(tagger.logits(notes)) for tagger in (exact, quick))
    outside = exact.tags.index(OUTSIDE)
    held = gated[:, outside] == PRUNED
    above = np.delete(tags, outside, axis=1).max(axis=1) - tags[:, outside]
    assert held.mean() > 0.15  # of notes full of PHI
    assert (held & (above > 0)).sum() <= 0.001 * (above > 0).sum()
    assert not (held & (above > 4)).any()  # it is sure of these


def test_it_finds_names_that_the_rules_miss(both: Deidentifier) -> None:
    alone = Deidentifier.default(mode="placeholder", key=b"k" * 32, models=())
    left = [name for name in ("Oyelaran", "Tsvetelina", "Pasadena") if name in alone.scrub(MISSED).text]
    assert left, "the rules have learned these: write others"
    assert not [name for name in ("Oyelaran", "Tsvetelina") if name in both.scrub(MISSED).text]


def test_none_leaves_the_rules_alone(both: Deidentifier) -> None:
    assert not Deidentifier.default(models=choose_models(["none"])).taggers
    assert len(both.taggers) == 1


def test_clinical_words_stay(both: Deidentifier) -> None:
    note = "Foley to gravity. Crohn's disease, BP 128/84, pain 8/10, Lasix 40 mg bid, strength 5/5 throughout."
    assert both.scrub(note).text == note


def test_it_is_picklable(both: Deidentifier) -> None:
    assert pickle.loads(pickle.dumps(both)).scrub(MISSED) == both.scrub(MISSED)


@pytest.mark.parametrize("damage", ["changed", "gone"])
def test_a_damaged_model_is_refused_and_the_rules_do_not_step_in(damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(find_model(), tmp_path / DEFAULT)
    weights = tmp_path / DEFAULT / "model.safetensors"
    if damage == "gone":
        weights.unlink()
    else:
        data = bytearray(weights.read_bytes())
        data[-1] ^= 1
        weights.write_bytes(data)
    monkeypatch.setattr(models, "_FOLDER", tmp_path)
    monkeypatch.setattr(find_model, "__kwdefaults__", {"folder": tmp_path})
    with pytest.raises(CheckpointError, match=r"model\.safetensors (has|is missing).*sha256"):
        Deidentifier.default()


def test_it_loads_and_tags_where_pytorch_and_transformers_are_not() -> None:
    program = (
        "import sys\n"
        "for name in ('torch', 'transformers', 'safetensors', 'pyarrow'): sys.modules[name] = None\n"
        "from incognote.find.model import load_tagger\n"
        "print(load_tagger(['default'], runtime='onnx').tag(['Mr. Kowalczyk left.'])[0])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "PATIENT" in done.stdout


def test_a_folder_that_cannot_be_written_will_do(tmp_path: Path) -> None:
    copy = Path(shutil.copytree(find_model(), tmp_path / DEFAULT))
    for file in (*copy.iterdir(), copy):
        file.chmod(0o555 if file.is_dir() else 0o444)
    before = sorted(file.name for file in copy.iterdir())
    assert load_tagger([str(copy)], runtime="onnx").tag(["Mr. Kowalczyk left."])[0]
    assert sorted(file.name for file in copy.iterdir()) == before
    copy.chmod(0o755)


def test_two_processes_may_start_at_once_on_a_machine_that_knows_nothing_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INCOGNOTE_CACHE", str(tmp_path / "cache"))
    started = [
        subprocess.Popen(ONE_NOTE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)
    ]
    said = [process.communicate("Mr. Kowalczyk left.") for process in started]
    assert [out for out, _ in said] == ["Mr. [PATIENT-1] left."] * 2, said


def test_two_processes_may_check_the_runtimes_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INCOGNOTE_CACHE", str(tmp_path / "cache"))
    doctor = [sys.executable, "-m", "incognote", "doctor", "--model", str(tiny_checkpoint(tmp_path / "model"))]
    started = [subprocess.Popen(doctor, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate() for process in started]
    assert [process.returncode for process in started] == [0, 0], said
    assert len(list((tmp_path / "cache" / "runtimes").glob("*.json"))) == 1


def test_only_guesses_of_the_shipped_model_are_doubted() -> None:
    from incognote.document import Span

    text = "Never again; KUB done."
    found = [Span(0, 5, "PATIENT", score=0.3), Span(13, 16, "DOCTOR", score=0.3)]
    ours = [Span(span.start, span.end, span.label, score=span.score, source="model.default") for span in found]
    assert judge((Rescorer("another"),), found, text) == found
    assert rescore(ours, [], text) == []
    assert rescore(ours, [Span(14, 16, "DOCTOR")], text) == ours[1:]
