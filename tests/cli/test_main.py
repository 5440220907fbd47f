"""The command as a whole: its help, its errors, what it loads, and that the reference is up to date."""

import errno
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from docs.make_cli import render, walk
from incognote.cli.main import app, main
from incognote.errors import MissingExtraError

ROOT = Path(__file__).parents[2]
HEAVY = ("torch", "transformers", "pyarrow", "fastapi", "rich", "numpy", "onnxruntime", "pydantic")


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "incognote", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, check=False)


def test_reference_is_what_the_commands_say() -> None:
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == render(), "run: make docs"


@pytest.mark.parametrize(("path", "command"), walk(typer.main.get_command(app), "incognote")[1:], ids=lambda value: str(value))
def test_every_command_has_help_and_an_example(path: str, command: typer.core.TyperCommand) -> None:
    assert command.help
    if not getattr(command, "commands", None):
        assert f"Example: {path.split()[0]}" in " ".join(command.help.split()), f"{path} shows no example"


@pytest.mark.parametrize(("path", "command"), walk(typer.main.get_command(app), "incognote"), ids=lambda value: str(value))
def test_every_argument_and_option_has_help(path: str, command: typer.core.TyperCommand) -> None:
    assert [option.name for option in command.params if not getattr(option, "help", None)] == []


def test_help_lists_every_command_once_in_three_groups() -> None:
    page = run("--help").stdout
    groups = dict(re.findall(r"^(Notes|Proof|Lab):\n((?:  .+\n?)+)", page, re.MULTILINE))
    names = [line.split()[0] for rows in groups.values() for line in rows.splitlines()]
    assert list(groups) == ["Notes", "Proof", "Lab"]
    assert sorted(names) == sorted(typer.main.get_command(app).commands)


def test_importing_the_package_loads_nothing_heavy() -> None:
    program = f"import sys, incognote; print([name for name in {HEAVY!r} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_the_rules_wait_until_the_model_is_being_opened() -> None:
    program = "import sys, incognote.replace, incognote.find.model; print('incognote.find.rules' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "False\n"


def test_help_is_fast_and_loads_nothing_heavy() -> None:
    program = (
        "import sys\nfrom typer.testing import CliRunner\nfrom incognote.cli.main import app\n"
        f"CliRunner().invoke(app, ['--help'])\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    fastest = min(_seconds("--help") for _ in range(3))
    assert fastest < 1.5  # 0.1 s on an idle machine; the bound only catches a heavy import


def _seconds(*arguments: str) -> float:
    begun = time.monotonic()
    assert run(*arguments).returncode == 0
    return time.monotonic() - begun


def test_bad_input_is_one_message_and_exit_code_2(tmp_path: Path) -> None:
    result = run("stats", str(tmp_path / "nowhere"))
    assert result.returncode == 2
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.stderr


def test_what_goes_to_standard_output_is_utf8_like_a_file_whatever_the_terminal_has(tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_text('{"id": "\u20ac", "text": "\\u0000"}\n', encoding="utf-8")
    options = ["-o", str(tmp_path / "clean.jsonl"), "--mode", "tag", "--model", "none", "--keep-going", "--json", "-"]
    command = [sys.executable, "-m", "incognote", "scrub", str(tmp_path / "notes.jsonl"), *options]
    done = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "latin-1"}, check=False)
    assert done.returncode == 3, done.stderr
    assert '"document": "\u20ac"' in done.stdout.decode("utf-8")


def test_unexpected_errors_never_print_their_message() -> None:
    program = (
        "from incognote.cli import main as entry\ndef broken(): raise ValueError('Mirela Kaczmarek')\nentry.app = broken\nentry.main()"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "ValueError" in result.stderr
    assert "Kaczmarek" not in result.stderr


def test_mistyped_command_suggests_the_right_one() -> None:
    result = run("scrubb", "notes")
    assert result.returncode == 2
    assert "scrub" in result.stderr


@pytest.mark.parametrize(
    "command",
    ["embed x -o y.npz", "study best x"]
    + [f"shrink {way} x -o y" for way in ("quantize", "factorize --rank 8", "expand", "prune", "distill", "search")],
)
def test_where_pytorch_is_not_installed_a_command_that_needs_it_says_how_to_get_it(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    found = CliRunner().invoke(app, command.split()).exception
    assert isinstance(found, MissingExtraError)
    assert "pip install 'incognote[train]'" in str(found)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("command", [["policy", "list"], ["--version"], ["scrub", "-", "--model", "none", "--mode", "tag"]])
def test_a_full_disk_under_standard_output_is_one_clear_error(command: list[str]) -> None:
    program = [sys.executable, "-m", "incognote", *command]
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(program, stdout=full, stderr=subprocess.PIPE, input="Mr. Kowalczyk", text=True, check=False)
    assert (ended.returncode, ended.stderr) == (2, "error: standard output: No space left on device\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", [["policy", "list"], ["--help"], ["stats", "{notes}"], ["stats", "{notes}", "--json", "-"]])
def test_a_reader_that_has_gone_ends_a_command_quietly_as_sigpipe_would(command: list[str], unbuffered: str, tmp_path: Path) -> None:
    notes = tmp_path / "notes.jsonl"
    notes.write_text('{"id": "1", "text": "Seen."}\n', encoding="utf-8")
    program = [sys.executable, "-m", "incognote", *(word.format(notes=notes) for word in command)]
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
        ended = subprocess.run(program, stdout=closed, stderr=subprocess.PIPE, text=True, env=environment, check=False)
    assert (ended.returncode, ended.stderr) == (141, "")


def test_a_run_whose_messages_nobody_reads_says_so_by_its_code_alone(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        command = [sys.executable, "-m", "incognote", "stats", str(tmp_path / "nowhere")]
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=closed, check=False)
    assert (ended.returncode, ended.stdout) == (141, b"")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_note_that_does_not_fit_is_never_cut_short_in_silence(unbuffered: str, tmp_path: Path) -> None:
    program = (
        "import resource, sys\nresource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))\nfrom incognote.cli.main import main\nmain()"
    )
    command = [sys.executable, "-c", program, "scrub", "-", "--model", "none", "--mode", "redact"]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with (tmp_path / "clean.txt").open("wb") as clean:
        ended = subprocess.run(command, input=b"seen today. " * 5000, stdout=clean, stderr=subprocess.PIPE, env=environment, check=False)
    assert (ended.returncode, ended.stderr) == (2, b"error: standard output: File too large\n")


def test_a_folder_that_may_not_be_entered_is_one_clear_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "closed/patients.csv")

    monkeypatch.setattr("incognote.cli.main.app", refuse)
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, capsys.readouterr().err) == (2, "error: closed/patients.csv: Permission denied\n")


def test_a_command_that_is_ended_from_outside_leaves_nothing_half_written(tmp_path: Path) -> None:
    program = (
        "import sys, time\nfrom pathlib import Path\nfrom incognote.cli import main as entry\nfrom incognote.corpora.files import draft\n"
        "def write():\n    with draft(Path(sys.argv[1])) as file:\n        print('begun', flush=True)\n        time.sleep(60)\n"
        "entry.app = write\nentry.main()"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "notes.jsonl")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.terminate()
        assert process.communicate(timeout=30)[1] == "stopped\n"
    assert process.returncode == 130
    assert not list(tmp_path.iterdir())
