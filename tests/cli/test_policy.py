"""incognote policy: the list, the table and its JSON."""

import json
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from incognote.cli.main import main
from incognote.document import scheme


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with patch.object(sys, "argv", ["incognote", "policy", *arguments]), pytest.raises(SystemExit) as caught:
        main()
    out, err = capsys.readouterr()
    return int(caught.value.code or 0), out, err


def test_the_list_has_every_policy(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["i2b2", "limited-data-set", "safe-harbor"]


def test_the_table_has_every_label_and_mode(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "show", "safe-harbor")
    assert code == 0
    rows = {line.split()[0]: line for line in out.splitlines() if line}
    assert set(scheme("i2b2-2014").labels) <= set(rows)
    assert rows["label"].split() == ["label", "action", "redact", "tag", "surrogate"]
    assert "[PATIENT-1]" in rows["PATIENT"]
    assert "021**" in rows["ZIP"]


def test_json_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "show", "safe-harbor", "--json", "-")
    assert code == 0
    table = json.loads(out)
    assert table["labels"]["DATE"] == {"action": "year", "redact": "2061", "tag": "2061", "surrogate": "2061"}
    assert table["clinicians"] == "remove"


def test_a_bad_policy_is_one_clear_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[actions]\nDATES = 'blur'\n")
    code, _, err = run(capsys, "show", str(tmp_path / "bad.toml"))
    assert code == 2
    assert "did you mean DATE?" in err
    assert "'blur'" in err
    assert run(capsys, "show", "safe-habor")[0] == 2
