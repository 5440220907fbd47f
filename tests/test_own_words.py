"""A user's own rules and words, in the pipeline and on the command line."""

from pathlib import Path

import pytest

from incognote import Deidentifier
from incognote.errors import ConfigError
from tests.fakes import run_command

RULES = r"""
[[rules]]
label = "MEDICALRECORD"
expression = 'HX-\d{6}'
"""


def write(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def scrub(text: str, **options: object) -> str:
    return Deidentifier.default(mode="placeholder", runtime="onnx", **options).scrub(text).text


def test_rules_of_a_file_are_one_more_finder(tmp_path: Path) -> None:
    ours = write(tmp_path, "ours.toml", RULES)
    assert "See [MEDICALRECORD-1] for" in scrub("See HX-204417 for details.", rules=ours)


def test_without_the_shipped_rules_the_model_and_own_rules_are_left(tmp_path: Path) -> None:
    ours = write(tmp_path, "ours.toml", RULES)
    finders = [row.name for row in Deidentifier.default(mode="redact", runtime="onnx", rules=("none", ours)).pipeline.finders]
    assert finders == ["model", "own"]
    with pytest.raises(ConfigError, match="nothing is left"):
        Deidentifier.default(mode="redact", models=(), rules="none")


def test_words_to_hide_go_wherever_they_stand(tmp_path: Path) -> None:
    words = write(tmp_path, "words.txt", "# wards\ngravity\nBlue Lagoon\tDEPARTMENT\n李秀英\tPATIENT\n")
    assert (
        scrub("Foley to GRAVITY, at the blue  lagoon. 李秀英 left.", always=words)
        == "Foley to [OTHER-1], at the [DEPARTMENT-1]. [PATIENT-1] left."
    )


def test_words_to_keep_stay_unless_memory_knows_them_as_a_name(tmp_path: Path) -> None:
    words = write(tmp_path, "words.txt", "Kestrel\n")
    assert "Kestrel" not in scrub("Mr. Jon Kestrel was seen. Kestrel slept well.", keep_words=words)
    text = "Moved to Mercy General Hospital."
    assert scrub(text) != text
    assert scrub(text, keep_words=write(tmp_path, "more.txt", "mercy general hospital\n")) == text


def test_a_word_to_hide_wins_over_the_same_word_to_keep(tmp_path: Path) -> None:
    words = write(tmp_path, "words.txt", "gravity\n")
    assert "gravity" not in scrub("Foley to gravity.", always=words, keep_words=words)


@pytest.mark.parametrize(("text", "fault"), [("", "holds no word"), ("Ann\tNOBODY\n", "labels")])
def test_a_faulty_file_of_words_is_refused_without_its_words(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(ConfigError, match=fault) as caught:
        scrub("x", always=write(tmp_path, "words.txt", text))
    assert "Ann" not in str(caught.value)


def test_other_words_are_another_pipeline(tmp_path: Path) -> None:
    files = [write(tmp_path, name, name) for name in ("a.txt", "b.txt")]
    one, two = (Deidentifier.default(mode="redact", runtime="onnx", always=file).pipeline.fingerprint for file in files)
    assert one != two


def test_scrub_and_pipeline_take_them_as_options(tmp_path: Path) -> None:
    note = write(tmp_path, "note.txt", "Foley to gravity, HX-204417.\n")
    options = ("--rules", write(tmp_path, "ours.toml", RULES), "--always", write(tmp_path, "words.txt", "gravity\n"), "--runtime", "onnx")
    code, shown, _ = run_command("pipeline", *options)
    assert code == 0
    assert "words.txt" in shown
    assert "ours.toml" in shown
    code, _, said = run_command("scrub", note, "-o", str(tmp_path / "clean"), "--mode", "redact", *options)
    assert code == 0, said
    clean = (tmp_path / "clean" / "note.txt").read_text(encoding="utf-8")
    assert "gravity" not in clean
    assert "204417" not in clean
