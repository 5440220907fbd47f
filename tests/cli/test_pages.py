"""Reports and JSON never take the place of what a command reads, of its notes, or of each other."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from incognote.cli.main import app
from incognote.cli.output import check_pages
from incognote.errors import ConfigError, OutputError

LINE = '{"id": "n1", "text": "Mr. Kowalczyk left."}\n'


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.jsonl"
    path.write_text(LINE)
    return path


def scrub(notes: Path, *options: object) -> BaseException | None:
    arguments = ["scrub", notes, "-o", notes.with_name("clean.jsonl"), "--mode", "tag", "--model", "none", *options]
    return CliRunner().invoke(app, list(map(str, arguments))).exception


@pytest.mark.parametrize("option", ["--json", "--report", "--vault"])
def test_a_page_is_not_written_over_the_notes(notes: Path, option: str) -> None:
    assert "which this command reads" in str(scrub(notes, option, notes))
    assert "where the notes go" in str(scrub(notes, option, notes.with_name("clean.jsonl")))
    assert [(path.name, path.read_text()) for path in notes.parent.iterdir()] == [("notes.jsonl", LINE)]


@pytest.mark.parametrize("place", ["page", "-"])
def test_two_pages_do_not_share_a_place(notes: Path, place: str) -> None:
    target = place if place == "-" else notes.with_name(place)
    assert "--json" in str(found := scrub(notes, "--report", target, "--json", target))
    assert "where --report goes too" in str(found)


def test_a_page_stays_out_of_the_folder_of_clean_notes(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="where the notes go"):
        check_pages({"--report": tmp_path / "clean" / "report.html"}, notes=tmp_path / "clean")


@pytest.mark.parametrize(
    "command",
    [
        ["stats", "{}", "--json", "{}"],
        ["evaluate", "{}", "{}", "--html", "{}"],
        ["split", "{}", "-o", "{}", "--overwrite"],
        ["bench", "{}", "--model", "none", "--json", "{}"],
        ["convert", "{}", "{}.csv", "--to", "csv", "--keep-going", "--quarantine", "{}"],
        ["link", "{}", "{}", "--json", "{}"],
        ["utility", "{}", "{}", "--labels", "kind", "--json", "{}"],
    ],
    ids=lambda command: command[0],
)
def test_no_command_writes_a_page_over_its_input(notes: Path, command: list[str]) -> None:
    found = CliRunner().invoke(app, [part.format(notes) for part in command]).exception
    assert isinstance(found, OutputError)
    assert "which this command reads; name another file" in str(found)
    assert notes.read_text() == LINE


@pytest.mark.parametrize(
    "command",
    [
        ["stats", "{notes}", "--json", "{table}"],
        ["evaluate", "{notes}", "{notes}", "--json", "{table}"],
        ["evaluate", "{notes}", "{notes}", "--html", "{table}"],
        ["scrub", "{notes}", "-o", "{notes}.clean", "--report", "{table}"],
        ["scrub", "{notes}", "-o", "{notes}.clean", "--json", "{table}"],
        ["convert", "{notes}", "{notes}.csv", "--to", "csv", "--keep-going", "--quarantine", "{table}"],
        ["models", "list", "--json", "{table}"],
        ["models", "rank", "--json", "{table}"],
        ["models", "show", "bert-base", "--html", "{table}"],
        ["study", "plan", "meaney2022", "--json", "{table}"],
        ["fill", "[MASK]", "--model", "tiny", "--json", "{table}"],
    ],
    ids=lambda command: f"{command[0]} {command[-2]}",
)
def test_no_command_writes_a_page_over_another_kind_of_file(notes: Path, command: list[str]) -> None:
    table = notes.with_name("table.csv")
    table.write_text("id,text\n1,a\n")
    found = CliRunner().invoke(app, [part.format(notes=notes, table=table) for part in command]).exception
    assert isinstance(found, OutputError)
    assert f"{command[-2]} {table}: the file exists" in str(found)
    assert str(found).endswith("name another file")
    assert table.read_text() == "id,text\n1,a\n"


def test_a_page_replaces_an_older_one_or_an_empty_file(notes: Path) -> None:
    for name in ("counts.json", "COUNTS.JSON"):
        notes.with_name(name).write_text("old")
    notes.with_name("empty").touch()
    for name in ("counts.json", "COUNTS.JSON", "empty"):
        assert CliRunner().invoke(app, ["stats", str(notes), "--json", str(notes.with_name(name))]).exit_code == 0
        assert notes.with_name(name).read_text().startswith("{")
    notes.with_name("report.htm").write_text("old")
    assert scrub(notes, "--report", notes.with_name("report.htm")) is None


def test_devices_take_any_number_of_pages() -> None:
    check_pages({"--json": "/dev/null", "--report": "/dev/null"}, files=["/dev/null"])


def test_phi_is_not_shown_where_there_is_no_report(notes: Path) -> None:
    found = scrub(notes, "--show-phi")
    assert isinstance(found, ConfigError)
    assert "--show-phi is for the report" in str(found)
