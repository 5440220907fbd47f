"""incognote policy: the list, the table and its JSON."""

import json
from pathlib import Path

from incognote.document import scheme
from tests.fakes import Ended, run_command


def run(*arguments: object) -> Ended:
    return run_command("policy", *arguments)


def test_the_list_has_every_policy() -> None:
    code, out, _ = run("list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["i2b2", "limited-data-set", "safe-harbor"]


def test_the_table_has_every_label_and_mode() -> None:
    code, out, _ = run("show", "safe-harbor")
    assert code == 0
    rows = {line.split()[0]: line for line in out.splitlines() if line}
    assert set(scheme("i2b2-2014").labels) <= set(rows)
    assert rows["label"].split() == ["label", "action", "redact", "placeholder", "surrogate"]
    assert "[PATIENT-1]" in rows["PATIENT"]
    assert "021**" in rows["ZIP"]


def test_json_says_the_same() -> None:
    code, out, _ = run("show", "safe-harbor", "--json", "-")
    assert code == 0
    table = json.loads(out)
    assert table["labels"]["DATE"] == {"action": "year", "redact": "2061", "placeholder": "2061", "surrogate": "2061"}
    assert table["clinicians"] == "remove"


def test_a_bad_policy_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[actions]\nDATES = 'blur'\n")
    code, _, err = run("show", str(tmp_path / "bad.toml"))
    assert code == 2
    assert "did you mean DATE?" in err
    assert "'blur'" in err
    assert run("show", "safe-habor")[0] == 2
