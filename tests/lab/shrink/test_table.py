"""The table of models: sizes from the files, scores from the notes, speeds beside each other."""

import json
from pathlib import Path

import pytest

from incognote.errors import LabelError
from incognote.find.model.packing import pack_checkpoint
from incognote.lab.shrink.table import Line, count_parameters, format_lines, line_dict, measure, natural_runtime
from tests.fakes import template_notes, tiny_checkpoint

NOTES = template_notes(12)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    whole = tiny_checkpoint(tmp_path_factory.mktemp("table") / "whole", "roberta")
    return whole, pack_checkpoint(whole, whole.with_name("small"))


@pytest.fixture(scope="module")
def lines(folders: tuple[Path, Path]) -> tuple[Line, Line]:
    first = measure(folders[0], NOTES)
    return first, measure(folders[1], NOTES, name="int8", against=first)


def test_a_line_tells_size_score_and_speed_beside_another(folders: tuple[Path, Path], lines: tuple[Line, Line]) -> None:
    whole, small = lines
    assert (whole.name, small.name) == ("whole", "int8")
    assert whole.weights == (folders[0] / "model.safetensors").stat().st_size < whole.size
    assert small.share == small.weights / whole.weights < 0.6
    assert whole.parameters == small.parameters
    assert (whole.runtime, small.runtime) == ("onnx-fp32", "onnx")
    assert whole.ratio is whole.difference is None
    assert small.ratio is not None
    assert small.ratio > 0
    assert small.f1 is not None
    assert small.f1.interval is not None
    assert small.f1.interval.low <= small.f1.value <= small.f1.interval.high
    assert whole.f1 is not None
    assert small.difference is not None
    assert small.difference.value == pytest.approx(small.f1.value - whole.f1.value)


def test_parameters_are_those_of_pytorch(folders: tuple[Path, Path]) -> None:
    from incognote.find.model.checkpoint import load_checkpoint
    from incognote.find.model.weights import load_model

    assert count_parameters(folders[0]) == sum(each.numel() for each in load_model(load_checkpoint(folders[0])).parameters())


def test_lines_are_a_table_and_json(lines: tuple[Line, Line]) -> None:
    rows = format_lines(lines).splitlines()
    assert len(rows) == 4
    assert len({row.count("|") for row in rows}) == 1
    assert json.loads(json.dumps(line_dict(lines[1])))["share"] == lines[1].share


def test_without_notes_there_are_sizes_alone(folders: tuple[Path, Path]) -> None:
    line = measure(folders[0], [])
    assert line.weights
    assert line.parameters
    assert line.f1 is None
    assert line.speed == 0


def test_labels_that_the_model_lacks_are_an_error(tmp_path: Path) -> None:
    narrow = tiny_checkpoint(tmp_path / "narrow", labels=("PATIENT",))
    with pytest.raises(LabelError, match="DOCTOR"):
        measure(narrow, NOTES)


def test_families_without_a_graph_run_on_pytorch(tmp_path: Path) -> None:
    assert natural_runtime(tiny_checkpoint(tmp_path / "modern", "modernbert")) == "torch"
