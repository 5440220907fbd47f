import json
import signal
import time
from dataclasses import replace

import pytest

from incognote.errors import CheckpointError, ConfigError, MissingExtraError
from incognote.find.model import list_choices, load_tagger
from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.runtimes import choice as choices
from incognote.find.model.runtimes.choice import choose_runtime, pick, run_probe
from incognote.find.model.runtimes.choice_cache import CACHE_VARIABLE
from incognote.find.model.runtimes.loading import begin_runtime, check_runtime, load_runtime
from incognote.find.model.runtimes.probe import try_runtime

TAGS = [0] * 199


def answer(speed: float, odd: int = 0) -> tuple[int, str]:
    return 0, json.dumps({"speed": speed, "tags": [1] * odd + TAGS[odd:]})


@pytest.fixture
def checkpoint(tiny):
    return load_checkpoint(tiny("bert"))


def run_with(answers):
    tried = []

    def run(folder, name):
        tried.append(name)
        return answers.get(name, (1, ""))

    return run, tried


@pytest.fixture
def both(monkeypatch):
    """Every runtime counts as installed."""
    monkeypatch.setattr(choices, "missing_package", lambda name: "")


def test_the_fastest_that_agrees_is_taken(checkpoint, both):
    run, _ = run_with({"onnx-fp32": answer(100), "onnx": answer(200), "openvino": answer(300)})
    assert pick(checkpoint, run).runtime == "openvino"
    run, _ = run_with({"onnx-fp32": answer(100), "onnx": answer(200), "openvino": answer(300, odd=2)})
    chosen = pick(checkpoint, run)
    assert chosen.runtime == "onnx"
    assert {trial.runtime: trial.agreement for trial in chosen.trials}["openvino"] < 0.995


def test_full_precision_where_int8_disagrees_or_dies(checkpoint, both):
    run, _ = run_with({"onnx-fp32": answer(100), "onnx": answer(200, odd=50), "openvino": (-signal.SIGSEGV, "")})
    assert pick(checkpoint, run).runtime == "onnx-fp32"


def test_instructions_the_processor_cannot_run_are_left_out(checkpoint, both):
    answers = {"onnx-fp32": answer(100), "onnx": answer(200), "openvino": (-signal.SIGILL, ""), "openvino/AVX512_CORE_FP16": answer(300)}
    run, tried = run_with(answers)
    chosen = pick(checkpoint, run)
    assert chosen.runtime == "openvino/AVX512_CORE_FP16"
    assert "SIGILL" in next(trial.fault for trial in chosen.trials if trial.runtime == "openvino")
    assert tried == ["onnx-fp32", "onnx", "openvino", "openvino/AVX512_CORE_FP16"]


def test_a_checkpoint_may_vouch_for_its_runtimes(checkpoint, both):
    vouched = replace(checkpoint, config={**checkpoint.config, "incognote": {"vouched": ["onnx", "openvino"]}})
    run, tried = run_with({"onnx": answer(200), "openvino": answer(300)})
    assert pick(vouched, run).runtime == "openvino"
    assert tried == ["onnx", "openvino"]


def test_nothing_works_without_pytorch(checkpoint, both):
    run, _ = run_with({})
    assert pick(checkpoint, run).runtime == "torch"


def test_a_real_trial_runs_in_a_process_of_its_own(tiny):
    status, output = run_probe(str(tiny("bert")), "onnx-fp32")
    assert status == 0
    assert json.loads(output)["speed"] > 0
    status, output = run_probe("/no/such/folder", "onnx")
    assert status > 0
    assert "there is no such model folder" in output


def test_a_trial_counts_the_time_of_the_processor_and_not_that_of_the_clock(tiny, monkeypatch):
    clock = iter(range(0, 10**6, 1000))
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    assert try_runtime(str(tiny("bert")), "onnx-fp32")["speed"] > 10


def test_the_answer_is_remembered_and_a_damaged_one_is_found_anew(checkpoint, monkeypatch, tmp_path):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    asked = []
    monkeypatch.setattr(choices, "pick", lambda *_: asked.append(1) or choices.Choice("onnx", "tried"))
    choices._remember.cache_clear()
    assert not choose_runtime(checkpoint).cached
    choices._remember.cache_clear()
    assert choose_runtime(checkpoint).cached
    file = next((tmp_path / "runtimes").iterdir())
    for damage in ("{", "[]", '{"runtime": "nonsense"}'):
        file.write_text(damage)
        choices._remember.cache_clear()
        assert choose_runtime(checkpoint) == choices.Choice("onnx", "tried")
    assert len(asked) == 4
    choices._remember.cache_clear()


def test_a_cache_that_cannot_be_written_does_no_harm(checkpoint, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
    monkeypatch.setattr(choices, "pick", lambda *_: choices.Choice("onnx", "tried"))
    choices._remember.cache_clear()
    assert choose_runtime(checkpoint).runtime == "onnx"
    choices._remember.cache_clear()


def test_other_families_and_graphics_cards_get_pytorch(tiny, monkeypatch):
    assert choose_runtime(load_checkpoint(tiny("xlnet"))).runtime == "torch"
    monkeypatch.setattr(choices, "uses_gpu", lambda: True)
    assert choose_runtime(load_checkpoint(tiny("bert"))).reason == "there is a GPU"


def test_a_driver_without_a_card_for_pytorch_is_no_gpu(monkeypatch):
    monkeypatch.setattr(choices, "has_gpu", lambda: True)
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert not choices.uses_gpu()
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    assert choices.uses_gpu()
    monkeypatch.setattr(choices, "missing_package", lambda name: "torch")
    assert not choices.uses_gpu()


def test_a_few_notes_do_not_wait_for_a_gpu(checkpoint, both, monkeypatch):
    monkeypatch.setattr(choices, "cpu_flags", lambda: frozenset({"avx2"}))
    monkeypatch.setattr(choices, "uses_gpu", lambda: True)
    assert choose_runtime(vouched(checkpoint), wanted="quick").runtime == "onnx"
    assert choose_runtime(vouched(checkpoint), wanted="quick", device="cuda").runtime == "torch"
    assert choose_runtime(vouched(checkpoint)).runtime == "torch"


def test_openvino_asked_for_is_kept_to_instructions_that_work(checkpoint, both, monkeypatch):
    monkeypatch.setattr(choices, "cpu_flags", lambda: frozenset({"amx_tile"}))
    trials = [choices.Trial("openvino", fault="died of SIGILL"), choices.Trial("openvino/AVX512_CORE_FP16", 9.0)]
    monkeypatch.setattr(choices, "_remember", lambda *_: choices.Choice("onnx", "tried", (choices.Trial("onnx", 10.0), *trials)))
    assert choose_runtime(checkpoint, wanted="openvino").runtime == "openvino/AVX512_CORE_FP16"
    assert choose_runtime(checkpoint, wanted="openvino-fine").runtime == "openvino-fine/AVX512_CORE_FP16"
    monkeypatch.setattr(choices, "_remember", lambda *_: choices.Choice("onnx", "tried", tuple(trials[:1])))
    with pytest.raises(CheckpointError, match=r"died of SIGILL.*--runtime auto"):
        choose_runtime(checkpoint, wanted="openvino")
    monkeypatch.setattr(choices, "cpu_flags", lambda: frozenset({"avx2"}))
    assert choose_runtime(checkpoint, wanted="openvino").reason == "asked for"


def test_what_a_passing_fault_led_to_is_not_remembered(checkpoint, both, monkeypatch, tmp_path):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(choices, "has_gpu", lambda: False)
    run, _ = run_with({"onnx-fp32": answer(100), "onnx": (-signal.SIGKILL, ""), "openvino": answer(300)})
    monkeypatch.setattr(choices, "run_probe", run)
    choices._remember.cache_clear()
    assert choose_runtime(checkpoint).runtime == "openvino"
    assert not list(tmp_path.rglob("*.json"))
    run, _ = run_with({"onnx-fp32": answer(100), "onnx": (-signal.SIGILL, ""), "openvino": answer(300)})
    monkeypatch.setattr(choices, "run_probe", run)
    choices._remember.cache_clear()
    choose_runtime(checkpoint)
    assert list(tmp_path.rglob("*.json"))
    choices._remember.cache_clear()


def test_a_user_without_a_home_gets_an_answer(checkpoint, monkeypatch):
    for name in (CACHE_VARIABLE, "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)

    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("pathlib.Path.home", homeless)
    monkeypatch.setattr(choices, "has_gpu", lambda: False)
    monkeypatch.setattr(choices, "pick", lambda *_: choices.Choice("onnx", "tried"))
    choices._remember.cache_clear()
    assert choose_runtime(checkpoint).runtime == "onnx"
    choices._remember.cache_clear()


def test_names_are_checked_and_missing_packages_named(checkpoint, monkeypatch):
    for name in ("tensorflow", "auto/AVX2", "onnx/AVX2", "openvino/MMX", "openvino/"):
        with pytest.raises(ConfigError, match="auto, onnx"):
            check_runtime(name)
    for name in ("openvino/AVX2", "openvino-fine/AVX2"):
        assert check_runtime(name) == name
    monkeypatch.setattr("incognote.find.model.runtimes.loading.find_spec", lambda package: None if package == "openvino" else package)
    for name in ("openvino", "openvino-fine", "openvino-fine/AVX2"):
        with pytest.raises(MissingExtraError, match=r"incognote\[fast\]"):
            load_runtime(checkpoint, name)
    assert check_runtime("onnx-fine")


def test_a_loaded_tagger_names_what_carries_it(tiny):
    tagger = load_tagger([str(tiny("bert"))], runtime="onnx-fp32")
    assert [choice.runtime for choice in list_choices(tagger)] == ["onnx-fp32"]
    ensemble = load_tagger([str(tiny("bert")), str(tiny("roberta"))], runtime="onnx")
    assert [choice.runtime for choice in list_choices(ensemble)] == ["onnx", "onnx"]


def vouched(checkpoint, *names):
    return replace(checkpoint, config={**checkpoint.config, "incognote": {"vouched": list(names or ("onnx",))}})


def test_others_are_measured_by_what_the_makers_vouch_for(checkpoint, both):
    run, tried = run_with({"onnx-fine": answer(100), "onnx": answer(200, odd=50), "openvino": answer(300)})
    assert pick(vouched(checkpoint, "onnx-fine"), run).runtime == "openvino"
    assert tried == ["onnx-fine", "onnx", "openvino"]
    run, _ = run_with({"onnx-fine": answer(100), "onnx": answer(200, odd=50)})
    assert pick(vouched(checkpoint, "onnx-fine"), run).runtime == "onnx-fine"


def test_others_are_measured_by_full_precision_where_what_is_vouched_for_does_not_run(checkpoint, both):
    run, tried = run_with({"onnx-fp32": answer(100), "openvino": answer(300, odd=50)})
    chosen = pick(vouched(checkpoint), run)
    assert chosen.runtime == "onnx-fp32"
    assert chosen.reason == "the fastest that works here, and it agrees with full precision"
    assert tried == ["onnx", "onnx-fp32", "openvino"]
    run, _ = run_with({"onnx": answer(200), "openvino": answer(300)})
    assert pick(vouched(checkpoint), run).reason == "the fastest that works here, and it agrees with onnx"
    assert pick(vouched(checkpoint, "onnx", "openvino"), run).reason == "the fastest that works here, and its makers vouch for it"


def test_what_the_makers_vouch_for_is_taken_untried_for_a_few_notes(checkpoint, both, monkeypatch):
    monkeypatch.setattr(choices, "has_gpu", lambda: False)
    monkeypatch.setattr(choices, "cpu_flags", lambda: frozenset({"avx2"}))
    monkeypatch.setattr(choices, "_remember", lambda *_: pytest.fail("nothing is to be tried"))
    assert choose_runtime(vouched(checkpoint), wanted="quick").runtime == "onnx"


def test_the_only_runtime_installed_is_not_tried_when_it_is_vouched_for(checkpoint, monkeypatch):
    monkeypatch.setattr(choices, "has_gpu", lambda: False)
    monkeypatch.setattr(choices, "cpu_flags", lambda: frozenset({"avx2"}))
    monkeypatch.setattr(choices, "missing_package", lambda name: "openvino" if name == "openvino" else "")
    monkeypatch.setattr(choices, "_remember", lambda *_: pytest.fail("nothing is to be tried"))
    assert choose_runtime(vouched(checkpoint)).runtime == "onnx"


def test_a_processor_that_claims_to_multiply_tiles_is_tried_first(checkpoint, both, monkeypatch):
    monkeypatch.setattr(choices, "has_gpu", lambda: False)
    monkeypatch.setattr(choices, "cpu_flags", lambda: frozenset({"avx2", "amx_tile"}))
    monkeypatch.setattr(choices, "_remember", lambda *_: choices.Choice("onnx-fp32", "tried"))
    assert choose_runtime(vouched(checkpoint), wanted="quick").reason == "tried"


def test_a_runtime_begun_ahead_is_handed_over_once(checkpoint):
    begin_runtime(checkpoint, "onnx")
    first, second = (load_runtime(checkpoint, "onnx") for _ in range(2))
    assert first is not second
    assert load_runtime(checkpoint, "onnx", threads=1).threads == 1
