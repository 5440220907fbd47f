"""What ``auto`` takes follows from the machine and the model: no clock, no cache and no number of notes has a say."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from incognote.errors import CheckpointError, ConfigError, MissingExtraError
from incognote.find.model import choice as choices
from incognote.find.model import list_choices, load_tagger
from incognote.find.model.checkpoint import Checkpoint, load_checkpoint
from incognote.find.model.choice import Choice, check_runtimes, choose_runtime, run_probe
from incognote.find.model.choice_cache import CACHE_VARIABLE, cache_file
from incognote.find.model.runtimes.loading import check_runtime, load_runtime

Answers = dict[str, tuple[int, str]]
TAGS = [0] * 199


def answer(odd: int = 0) -> tuple[int, str]:
    return 0, json.dumps([1] * odd + TAGS[odd:])


@pytest.fixture
def checkpoint(tiny: Callable[..., Path]) -> Checkpoint:
    return load_checkpoint(tiny("bert"))


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a GPU, whose processor claims no tiles."""
    monkeypatch.setattr(choices, "has_gpu", lambda: False)
    monkeypatch.setattr(choices, "cpu_flags", lambda: frozenset({"avx2"}))
    choices._check_once.cache_clear()


def validated(checkpoint: Checkpoint) -> Checkpoint:
    return replace(checkpoint, config={**checkpoint.config, "incognote": {"validated_runtimes": ["onnx"]}})


def run_with(answers: Answers) -> tuple[choices.Run, list[str]]:
    tried: list[str] = []

    def run(folder: str, name: str) -> tuple[int, str]:
        tried.append(name)
        return answers.get(name, (1, ""))

    return run, tried


def test_int8_is_taken_where_it_agrees_with_full_precision(checkpoint: Checkpoint) -> None:
    run, _ = run_with({"onnx-fp32": answer(), "onnx": answer()})
    assert check_runtimes(checkpoint, run).runtime == "onnx"
    run, _ = run_with({"onnx-fp32": answer(), "onnx": answer(odd=2)})
    found = check_runtimes(checkpoint, run)
    assert found.runtime == "onnx-fp32"
    assert {check.runtime: check.agreement for check in found.checks} == {"onnx": 0.9899, "onnx-fp32": None}


@pytest.mark.parametrize("is_validated", [True, False])
def test_full_precision_is_taken_where_int8_dies(checkpoint: Checkpoint, is_validated: bool) -> None:
    run, _ = run_with({"onnx-fp32": answer(), "onnx": (-signal.SIGILL, "")})
    found = check_runtimes(validated(checkpoint) if is_validated else checkpoint, run)
    assert found.runtime == "onnx-fp32"
    assert found.faults == ("onnx died of SIGILL: the processor names an instruction that it cannot run",)


def test_int8_that_cannot_be_compared_is_not_used(checkpoint: Checkpoint) -> None:
    run, _ = run_with({"onnx": answer()})
    assert check_runtimes(checkpoint, run).runtime == "torch"


def test_without_pytorch_and_with_nothing_that_works_the_faults_are_named(checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "missing_package", lambda name: name)
    run, _ = run_with({"onnx": (-signal.SIGILL, "")})
    with pytest.raises(CheckpointError, match=r"no runtime works here \(onnx died of SIGILL.*; onnx-fp32 could not run"):
        check_runtimes(checkpoint, run)


def test_a_validated_runtime_is_compared_with_nothing(checkpoint: Checkpoint) -> None:
    run, tried = run_with({"onnx": answer(odd=50)})
    assert check_runtimes(validated(checkpoint), run).runtime == "onnx"
    assert tried == ["onnx"]


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_a_check_that_was_cut_short_is_an_error_and_not_another_runtime(checkpoint: Checkpoint, ending: signal.Signals) -> None:
    run, _ = run_with({"onnx-fp32": answer(), "onnx": (-ending, "")})
    with pytest.raises(CheckpointError, match="onnx was cut short"):
        check_runtimes(checkpoint, run)


def test_a_real_probe_runs_in_a_process_of_its_own(tiny: Callable[..., Path]) -> None:
    status, output = run_probe(str(tiny("bert")), "onnx-fp32")
    assert status == 0
    assert json.loads(output)
    status, output = run_probe("/no/such/folder", "onnx")
    assert status > 0
    assert "there is no such model folder" in output


def test_the_choice_is_the_same_whether_or_not_a_cache_can_be_written(tiny: Callable[..., Path], tmp_path: Path) -> None:
    program = "import sys; from incognote.find.model import *; print(list_choices(load_tagger([sys.argv[1]]))[0])"
    (tmp_path / "file").write_text("")

    def choose(cache: Path) -> str:
        settings = {**os.environ, CACHE_VARIABLE: str(cache)}
        command = [sys.executable, "-c", program, str(tiny("bert"))]
        return subprocess.run(command, capture_output=True, text=True, env=settings, check=True).stdout

    first, remembered, unwritable = choose(tmp_path / "cache"), choose(tmp_path / "cache"), choose(tmp_path / "file")
    assert list((tmp_path / "cache").rglob("*.json"))
    assert first == remembered == unwritable
    assert "onnx" in first


def test_a_damaged_cache_is_checked_again(checkpoint: Checkpoint, plain: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    checked: list[int] = []
    monkeypatch.setattr(choices, "check_runtimes", lambda *_: checked.append(1) or Choice("onnx", "checked"))
    file = cache_file(checkpoint)
    assert file is not None
    for damage in (None, "{", "[]", '{"runtime": "nonsense"}', '{"runtime": "onnx-fine", "reason": "", "checks": []}'):
        if damage is not None:
            file.write_text(damage)
        choices._check_once.cache_clear()
        assert choose_runtime(checkpoint) == Choice("onnx", "checked")
    choices._check_once.cache_clear()
    assert choose_runtime(checkpoint) == Choice("onnx", "checked")
    assert len(checked) == 5


def test_a_user_without_a_home_gets_a_runtime(checkpoint: Checkpoint, plain: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (CACHE_VARIABLE, "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("pathlib.Path.home", homeless)
    monkeypatch.setattr(choices, "check_runtimes", lambda *_: Choice("onnx", "checked"))
    assert choose_runtime(checkpoint).runtime == "onnx"


def test_other_families_and_graphics_cards_get_pytorch(tiny: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose_runtime(load_checkpoint(tiny("xlnet"))).runtime == "torch"
    monkeypatch.setattr(choices, "uses_gpu", lambda: True)
    assert choose_runtime(load_checkpoint(tiny("bert"))).reason == "there is a GPU"
    assert choose_runtime(validated(load_checkpoint(tiny("bert")))).runtime == "torch"


def test_a_driver_without_a_card_for_pytorch_is_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "has_gpu", lambda: True)
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert not choices.uses_gpu()
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    assert choices.uses_gpu()
    monkeypatch.setattr(choices, "missing_package", lambda name: "torch")
    assert not choices.uses_gpu()


def test_a_validated_runtime_is_taken_unchecked(checkpoint: Checkpoint, plain: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "check_runtimes", lambda *_: pytest.fail("nothing is to be checked"))
    assert choose_runtime(validated(checkpoint)).runtime == "onnx"


def test_a_processor_that_claims_to_multiply_tiles_is_checked(
    checkpoint: Checkpoint, plain: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(choices, "cpu_flags", lambda: frozenset({"avx2", "amx_tile"}))
    monkeypatch.setattr(choices, "check_runtimes", lambda *_: Choice("onnx-fp32", "checked"))
    assert choose_runtime(validated(checkpoint)).reason == "checked"


@pytest.mark.parametrize("name", ["tensorflow", "onnx-fine", "openvino", "openvino-fine", "quick", "onnx/AVX2"])
def test_names_of_no_runtime_are_refused_with_those_that_are(name: str) -> None:
    with pytest.raises(ConfigError, match="auto, onnx, onnx-exact, onnx-fp32, torch"):
        check_runtime(name)


def test_missing_packages_are_named(checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("incognote.find.model.runtimes.loading.find_spec", lambda package: None if package == "torch" else package)
    with pytest.raises(MissingExtraError, match=r"incognote\[train\]"):
        load_runtime(checkpoint, "torch")
    assert check_runtime("onnx-exact")


def test_a_loaded_tagger_names_its_runtime(tiny: Callable[..., Path]) -> None:
    tagger = load_tagger([str(tiny("bert"))], runtime="onnx-fp32")
    assert [choice.runtime for choice in list_choices(tagger)] == ["onnx-fp32"]
    ensemble = load_tagger([str(tiny("bert")), str(tiny("roberta"))], runtime="onnx")
    assert [choice.runtime for choice in list_choices(ensemble)] == ["onnx", "onnx"]
