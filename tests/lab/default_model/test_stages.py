"""One command makes the shipped model from data to package; here with encoders of two layers and a handful of notes."""

import gzip
import json
from pathlib import Path

import pytest

from incognote.document import Document, parse_markup
from incognote.errors import CorpusError, IncognoteError
from incognote.find.model import load_tagger
from incognote.find.model.tensors import PRUNING
from incognote.lab.default_model.build import TINY, Build
from incognote.lab.default_model.sources import SOURCES, is_held_out, read_injected_notes
from incognote.lab.default_model.stages import STAGES, run_stages
from incognote.lab.default_model.transfer import pack, unpack
from incognote.models import SUMS, check_sums
from tests.fakes import template_notes, tiny_encoder

TURN = "[doctor] how is your knee ?\n[patient] it hurts when i walk .\n"


def write_sources(data: Path) -> list[str]:
    """Real texts of two sources, and their ids."""
    rows = [
        {"id": f"{name}{number}", "text": "The abdomen was soft. She was told to rest at home.", "dialogue": TURN * 6}
        for name in "ab"
        for number in range(24)
    ]
    for source, letter in zip(SOURCES, "ab", strict=True):
        (data / source).parent.mkdir(parents=True)
        with gzip.open(data / source, "wt", encoding="utf-8") as stream:
            stream.writelines(json.dumps(row) + "\n" for row in rows if row["id"].startswith(letter))
    return [row["id"] for row in rows]


def write_note(document: Document, folder: Path) -> None:
    text = document.text
    for span in reversed(document.spans):
        text = f"{text[: span.start]}<{span.label}>{document.value(span)}</{span.label}>{text[span.end :]}"
    assert parse_markup(text, id=document.id).text == document.text
    (folder / f"{document.patient}.{document.id}.note").write_text(text, encoding="utf-8")


@pytest.fixture
def build(tmp_path: Path) -> Build:
    write_sources(tmp_path / "data")
    tiny_encoder(tmp_path / "encoders" / TINY.student, "roberta")
    for seed, name in enumerate(TINY.teachers):
        tiny_encoder(tmp_path / "encoders" / name, ("distilbert", "mpnet")[seed], seed=seed + 1)
    tuning = tmp_path / "repository" / "tests" / "golden" / "tuning"
    tuning.mkdir(parents=True)
    for document in template_notes(6):
        write_note(document, tuning)
    return Build(tmp_path / "data", tmp_path / "encoders", tmp_path / "repository", tmp_path / "out", TINY)


def test_every_stage_runs_and_the_package_opens(build: Build) -> None:
    run_stages(build)
    assert [stage.name for stage in STAGES if not (build.out / stage.name).exists()] == []
    package = build.stage("package")
    folder = check_sums(package / "default")
    assert (folder / PRUNING).is_file()
    assert {"README.md", "NOTICE", "recipe.toml", SUMS} <= {file.name for file in folder.iterdir()}
    assert set(json.loads((package / "rescorer.json").read_text())) == {"named", "numbered"}
    assert len(load_tagger([str(folder)], runtime="onnx").tag(["Ann Lee, 47, was seen by Dr. Diaz."])) == 1
    before = (folder / SUMS).stat().st_mtime_ns
    run_stages(build)
    assert (folder / SUMS).stat().st_mtime_ns == before, "a stage whose output is there runs again"
    run_stages(build, only="package")
    assert (build.stage("package") / "default" / SUMS).stat().st_mtime_ns != before


def test_a_stage_names_the_one_it_needs(build: Build) -> None:
    with pytest.raises(IncognoteError, match="run the stage confidence-margin first"):
        run_stages(build, only="package")


def test_synthetic_phi_is_put_into_held_out_notes_alone(tmp_path: Path) -> None:
    ids = write_sources(tmp_path)
    notes = read_injected_notes(tmp_path, 99)
    assert [note.meta["source"] for note in notes] == 2 * [name for name in ids if is_held_out(name)]
    assert len({note.text for note in notes}) == len(notes)
    assert all(note.spans for note in notes)
    assert read_injected_notes(tmp_path, 2) == notes[:2]


def test_a_transfer_bundle_brings_back_the_folder_or_says_that_a_piece_is_missing(tmp_path: Path) -> None:
    (tmp_path / "model" / "part").mkdir(parents=True)
    (tmp_path / "model" / "part" / "weights").write_bytes(bytes(range(256)) * 20)
    pack(tmp_path / "model", tmp_path / "bundle", size=100)
    unpack(tmp_path / "bundle", tmp_path / "back")
    assert (tmp_path / "back" / "part" / "weights").read_bytes() == bytes(range(256)) * 20
    max((tmp_path / "bundle").iterdir()).unlink()
    with pytest.raises(CorpusError, match="fetch them again"):
        unpack(tmp_path / "bundle", tmp_path / "again")
