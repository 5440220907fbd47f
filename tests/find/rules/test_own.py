"""A user's own rules: what a file of them finds, and what is said of a faulty one."""

import pickle
from pathlib import Path

import pytest

from incognote.document import Document
from incognote.errors import ConfigError
from incognote.find.finder import Batch, Finder
from incognote.find.rules.own import read_rules
from incognote.merge import Role
from incognote.shipped import build_pipeline

OURS = r"""
[[rules]]
name = "ward"
label = "DEPARTMENT"
words = ["Kestrel", "Blake 7"]
context = ["ward", "moved to"]

[[rules]]
name = "hx"
label = "MEDICALRECORD"
expression = 'HX-(?P<phi>\d{6})'

[[rules]]
label = "ACCOUNT"
expression = '\b\d{4}-\d{4}\b'
check = "luhn"
"""


def _write(folder: Path, text: str) -> Path:
    file = folder / "ours.toml"
    file.write_text(text, encoding="utf-8")
    return file


def _find(folder: Path, text: str) -> list[tuple[str, str, str]]:
    (spans,) = read_rules(_write(folder, OURS))(Batch((Document("1", text),)))
    return [(text[span.start : span.end], span.label, span.source) for span in spans]


def test_words_count_in_any_case_beside_their_context_alone(tmp_path: Path) -> None:
    assert _find(tmp_path, "Moved to KESTREL; then blake  7 ward") == [
        ("KESTREL", "DEPARTMENT", "rules.own.ward"),
        ("blake  7", "DEPARTMENT", "rules.own.ward"),
    ]
    assert not _find(tmp_path, "a kestrel flew by\nward round")


def test_an_expression_gives_its_group_and_a_check_decides(tmp_path: Path) -> None:
    assert _find(tmp_path, "HX-123456 and HX-12") == [("123456", "MEDICALRECORD", "rules.own.hx")]
    assert _find(tmp_path, "0000-0018 or 0000-0019") == [("0000-0018", "ACCOUNT", "rules.own.3")]


def test_they_are_one_more_row_of_a_pipeline_that_can_be_sent_to_a_worker(tmp_path: Path) -> None:
    rules = pickle.loads(pickle.dumps(read_rules(_write(tmp_path, OURS))))
    pipeline = build_pipeline(()).with_finder(Finder("ours", rules, Role.EXACT))
    assert [span.label for span in pipeline.tag(["Kestrel ward"])[0]] == ["DEPARTMENT"]
    assert not build_pipeline(()).tag(["Kestrel ward"])[0]
    other = read_rules(_write(tmp_path, OURS.replace("Kestrel", "Heron")))
    assert "ours.toml" in str(pipeline)
    assert pipeline.fingerprint != build_pipeline(()).with_finder(Finder("ours", other, Role.EXACT)).fingerprint


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        ('label = "NAME"\nwords = ["a"]', "rule 1: label: NAME; the labels are "),
        ('words = ["a"]', "rule 1: label: missing"),
        ("label = 'ROOM'\nexpression = '('", "rule 1: expression: missing ), unterminated subpattern at position 0"),
        ("label = 'ROOM'\nexpression = ''", "rule 1: expression: matches no character, so the rule can never fire"),
        ("label = 'ROOM'\nexpression = '\\b(?=x)'", "rule 1: expression: matches no character, so the rule can never fire"),
        ('label = "ROOM"\nwords = []', "rule 1: words: empty, so the rule can never fire"),
        ('label = "ROOM"\nwords = ["a"]\ncontext = [" "]', "rule 1: context: empty, so the rule can never fire"),
        ('label = "ROOM"', "rule 1: needs either words or an expression"),
        ('label = "ROOM"\nwords = ["a"]\nexpression = "a"', "rule 1: needs either words or an expression"),
        ('label = "ROOM"\nwords = ["a"]\ncheck = "iban"', "rule 1: check: iban; the checks are dea, luhn, ssn, vin"),
        ('label = "ROOM"\nwords = "a"', "rule 1: words: of the wrong type"),
        ('label = "ROOM"\nwords = [7]', "rule 1: words: of the wrong type"),
        ('label = "ROOM"\nword = ["a"]', "rule 1: word: not a setting; they are name, "),
    ],
)
def test_a_fault_names_the_file_the_rule_and_what_is_wrong(tmp_path: Path, rule: str, fault: str) -> None:
    file = _write(tmp_path, f"[[rules]]\n{rule}\n")
    with pytest.raises(ConfigError) as raised:
        read_rules(file)
    assert str(file) in str(raised.value)
    assert fault in str(raised.value)


@pytest.mark.parametrize(("text", "fault"), [("", "holds no rule"), ("rules = 1", "holds no rule"), ("[[rules", "cannot be read: ")])
def test_a_file_without_rules_is_refused(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(ConfigError, match=fault):
        read_rules(_write(tmp_path, text))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: cannot be read: No such file"):
        read_rules(tmp_path / "none.toml")
