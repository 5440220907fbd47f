"""Shipped models: found by name, checked by sum, refused when damaged; never replaced by rules without a word."""

from pathlib import Path

import pytest

from incognote.errors import CheckpointError, ConfigError
from incognote.models import SUMS, check_sums, choose_models, find_model, write_sums


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    model = tmp_path / "default"
    model.mkdir()
    (model / "model.safetensors").write_bytes(b"weights")
    (model / "config.json").write_text("{}")
    write_sums(model)
    return model


def test_a_whole_folder_is_found(folder: Path) -> None:
    assert find_model("default", folder=folder.parent) == folder


def test_the_list_is_one_that_sha256sum_can_check(folder: Path) -> None:
    assert [line.split("  ")[1] for line in (folder / SUMS).read_text().splitlines()] == ["config.json", "model.safetensors"]
    assert (folder / SUMS).read_text().startswith("44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a  ")


def test_a_damaged_file_is_refused_with_its_sums_and_a_way_out(folder: Path) -> None:
    wanted = (folder / SUMS).read_text().splitlines()[1].split()[0]
    (folder / "model.safetensors").write_bytes(b"weight$")
    with pytest.raises(CheckpointError, match=rf"model\.safetensors has sha256 \w{{64}} and should have {wanted}.*set models to"):
        check_sums(folder)


def test_every_missing_file_is_named(folder: Path) -> None:
    for name in ("model.safetensors", "config.json"):
        (folder / name).unlink()
    with pytest.raises(CheckpointError, match=r"config\.json is missing.*model\.safetensors is missing"):
        check_sums(folder)


@pytest.mark.parametrize("content", [None, b"", b"no sums at all\n", b"word\n", b"\xff\xfe\n"])
def test_a_folder_without_sums_is_refused(folder: Path, content: bytes | None) -> None:
    (folder / SUMS).unlink() if content is None else (folder / SUMS).write_bytes(content)
    with pytest.raises(CheckpointError, match=SUMS):
        check_sums(folder)


def test_a_list_cut_short_leaves_no_file_unchecked(folder: Path) -> None:
    first, last = (folder / SUMS).read_text().splitlines(keepends=True)
    for rest in ("", last[:40]):
        (folder / SUMS).write_text(first + rest)
        with pytest.raises(CheckpointError, match=rf"damaged \(model\.safetensors is not in {SUMS}\)"):
            check_sums(folder)


def test_what_a_system_hides_in_a_folder_is_no_fault(folder: Path) -> None:
    (folder / ".DS_Store").write_bytes(b"")
    assert check_sums(folder) == folder


def test_none_means_rules_alone_and_stands_alone() -> None:
    assert choose_models(["none"]) == ()
    with pytest.raises(ConfigError, match="rules alone"):
        choose_models(["none", "some/folder"])
