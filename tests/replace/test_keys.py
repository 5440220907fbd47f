"""Secret keys: where they come from and what is refused."""

from pathlib import Path

import pytest

from incognote.errors import KeyFileError
from incognote.replace import key_from_environment, random_key, read_key


def write_key(path: Path, content: bytes, mode: int = 0o600) -> Path:
    path.write_bytes(content)
    path.chmod(mode)
    return path


def test_a_key_is_read_without_the_line_break(tmp_path: Path) -> None:
    assert read_key(write_key(tmp_path / "key", b"correct horse battery staple\n")) == b"correct horse battery staple"


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_key_that_others_can_read_is_refused_with_the_fix(tmp_path: Path, mode: int) -> None:
    path = write_key(tmp_path / "key", b"0" * 64, mode)
    with pytest.raises(KeyFileError, match=f"chmod 600 {path}"):
        read_key(path)


@pytest.mark.parametrize("content", [b"", b"\n", b"short", b"0123456789abcdef", b"0" * 31])
def test_a_short_key_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(KeyFileError, match="16 are the least"):
        read_key(write_key(tmp_path / "key", content))


def test_a_missing_key_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match=r"make one with.*token_hex"):
        read_key(tmp_path / "none")


def test_a_folder_is_no_key(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match="is not a file"):
        read_key(tmp_path)


def test_the_environment_may_hold_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INCOGNOTE_KEY", raising=False)
    assert key_from_environment() is None
    monkeypatch.setenv("INCOGNOTE_KEY", "a" * 15)
    with pytest.raises(KeyFileError, match="INCOGNOTE_KEY"):
        key_from_environment()
    monkeypatch.setenv("INCOGNOTE_KEY", "some very long sentence")
    assert key_from_environment() == b"some very long sentence"


def test_random_keys_differ() -> None:
    assert random_key() != random_key()
