"""Secret keys: where they come from and what is refused."""

import base64
import hashlib
import os
import random
import stat
from pathlib import Path

import pytest

from incognote.errors import KeyFileError
from incognote.replace import key_from_environment, random_key, read_key
from incognote.replace import write_key as write_new_key
from incognote.replace.keys import stretch_key


def write_key(path: Path, content: bytes, mode: int = 0o600) -> Path:
    path.write_bytes(content)
    path.chmod(mode)
    return path


def test_a_key_is_read_without_the_line_break(tmp_path: Path) -> None:
    for content in (b"9f86d081884c7d659a2feaa0c55ad015", b"correct horse battery staple"):
        (tmp_path / "key").unlink(missing_ok=True)
        key = read_key(write_key(tmp_path / "key", content + b"\n"))
        (tmp_path / "key").write_bytes(content)
        assert read_key(tmp_path / "key") == key


WEAK = """
passwordpassword  Password12345678  passw0rdpassw0rd  PASSWORDPASSWORD1!  0000000000000000000000000000000000000000  zzzzzzzzzzzzzzzq
xyzxyzxyzxyzxyzxyz  qwertyuiopasdfgh  abcdefghijklmnopqrstuvwxyz  0123456789abcdef0123456789abcdef  deadbeefdeadbeefdeadbeefdeadbeef
hospitalhospital  hospital-hospital-2024  changemechangeme  letmeinletmeinletmein  SecretSecretSecret1  monkeydragonmaster  thisismypassword
mysecretkey12345  12345678901234567890123456789012  98765432109876549876543210987654  zyxwvutsrqponmlk  1q2w3e4r5t6y7u8i
poiuytrewqlkjhgf  xyxyxyxyxyxyxyxyxyxy
0102030405060708090a0b0c0d0e0f10  StMarysHospital1985  2024-01-012024-01-01  incognote-secret-key  iloveyouiloveyou
""".split()


@pytest.mark.parametrize("content", [*(word.encode() for word in WEAK), b"summer winter autumn", b"k" * 32, b"\0" * 32, bytes(range(32))])
def test_a_key_that_is_easy_to_guess_is_refused_with_what_to_do(tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyFileError, match=r"is easy to guess.*make one with: incognote key new FILE") as caught:
        read_key(write_key(tmp_path / "key", content))
    assert content.decode() not in str(caught.value)
    if b"\0" not in content:
        monkeypatch.setenv("INCOGNOTE_KEY", content.decode())
        with pytest.raises(KeyFileError, match="INCOGNOTE_KEY: is easy to guess"):
            key_from_environment()


def test_random_keys_are_used_as_they_are(tmp_path: Path) -> None:
    draw = random.Random(7)
    for number in range(200):
        raw = bytes(draw.choices(range(256), k=32))
        base64_text = base64.b64encode(raw)
        for at, content in enumerate([raw, raw.hex().encode(), raw[:16].hex().upper().encode()]):
            assert read_key(write_key(tmp_path / f"{number}-{at}", content)) == content.strip()
        assert number > 20 or stretch_key(base64_text) == base64_text


PASSPHRASES = [
    "correct horse battery staple",
    "Wir sehen 7 Katzen am Kanal",
    "MyHospitalIsTheBestHospitalInTheWorld2024Yes",
    "tr0ub4dor&3 on a hill",
]


def test_a_passphrase_is_stretched_to_a_key_that_is_always_the_same(tmp_path: Path) -> None:
    keys = [read_key(write_key(tmp_path / f"key{at}", text.encode())) for at, text in enumerate(PASSPHRASES)]
    assert {len(key) for key in keys} == {32}
    assert len(set(keys)) == len(PASSPHRASES)
    expected = hashlib.scrypt(PASSPHRASES[0].encode(), salt=b"incognote key", n=2**17, r=8, p=1, maxmem=2**28, dklen=32)
    assert keys[0] == expected
    assert [stretch_key(key) for key in keys] == keys  # once is enough


def test_a_new_key_file_is_the_owners_strong_and_never_overwritten(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        write_new_key(tmp_path / "key")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    content = (tmp_path / "key").read_bytes()
    assert read_key(tmp_path / "key") == content.strip()
    assert len(bytes.fromhex(content.decode())) == 32
    with pytest.raises(KeyFileError, match=r"key: exists, and a key is never overwritten; name another file"):
        write_new_key(tmp_path / "key")
    assert (tmp_path / "key").read_bytes() == content
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(KeyFileError, match="exists"):
        write_new_key(tmp_path / "link")
    with pytest.raises(KeyFileError, match="cannot be written"):
        write_new_key(tmp_path / "none" / "key")


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
    with pytest.raises(KeyFileError, match=rf"make one with: incognote key new {tmp_path / 'none'}"):
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
    assert key_from_environment() == stretch_key(b"some very long sentence")


def test_random_keys_differ() -> None:
    assert random_key() != random_key()
