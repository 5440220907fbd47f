"""The secret key behind every surrogate: where it may come from, what is refused, and how a passphrase becomes a key."""

import os
import re
import secrets
import stat
from functools import cache
from hashlib import scrypt
from pathlib import Path

from incognote.errors import KeyFileError
from incognote.replace.guessing import count_choices

KEY_VARIABLE = "INCOGNOTE_KEY"
SHORTEST = 16
# Choices of about 4 bits each: 48 bits, each guess at which costs the time and memory of :func:`stretch_key`.
FEWEST_CHOICES = 12
_HEX = re.compile(rb"[0-9a-fA-F]+")
_BASE64 = re.compile(rb"(?=.*[A-Z])(?=.*[0-9])[\w+/=-]{40,}", re.ASCII)
_WORDY = re.compile(rb"(?=[a-z]{2})")
_NEW = "make one with: incognote key new"
# 128 MiB and about half a second of scrypt.
_ROUNDS, _BLOCK, _MEMORY = 2**17, 8, 2**28


def random_key() -> bytes:
    """A new key of 32 random bytes; once it is gone the same surrogates cannot be made again."""
    return secrets.token_bytes(32)


def write_key(path: str | Path) -> None:
    """Write a new random key to a file that only its owner may read; a file that is there stays as it is."""
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(f"{random_key().hex()}\n")
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise KeyFileError("exists, and a key is never overwritten", where=f"key file {path}", fix="name another file") from None
    except OSError as error:
        raise KeyFileError(f"cannot be written: {error.strerror}", where=f"key file {path}") from None


def read_key(path: str | Path) -> bytes:
    """The key in a file that only its owner may read; a passphrase is stretched."""
    path, where = Path(path), f"key file {path}"
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise KeyFileError("is not a file", where=where)
        # Windows reports every file as readable by all, so the bits mean something on POSIX only.
        if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise KeyFileError("other users can read it", where=where, fix=f"run: chmod 600 {path}")
        content = path.read_bytes()
    except OSError as error:
        fix = f"{_NEW} {path}" if isinstance(error, FileNotFoundError) else ""
        raise KeyFileError(str(error.strerror), where=where, fix=fix) from error
    return _accept_key(content.strip(), where)


def key_from_environment() -> bytes | None:
    """The key in the variable INCOGNOTE_KEY, or None where it is not set; a passphrase is stretched."""
    value = os.environ.get(KEY_VARIABLE)
    return None if value is None else _accept_key(os.fsencode(value).strip(), f"variable {KEY_VARIABLE}")


def _accept_key(key: bytes, where: str) -> bytes:
    """The key to use; raise where it could be guessed."""
    written = [check_key(key, where)]
    if _HEX.fullmatch(key) and len(key) % 2 == 0:
        written.append(bytes.fromhex(key.decode()))
    if min(count_choices(each.decode("latin-1")) for each in written) < FEWEST_CHOICES:
        what = "is easy to guess: it is made of a few common words, repeated characters or sequences"
        raise KeyFileError(what, where=where, fix=f"{_NEW} FILE")
    return stretch_key(key)


def check_key(key: bytes, where: str) -> bytes:
    """The key itself; raise where it is too short. An empty key is an error: a secret that was not found."""
    if not isinstance(key, bytes):
        raise KeyFileError(f"is of the type {type(key).__name__}, but a key is bytes", where=where, fix="encode a text")
    # Two hexadecimal digits carry one byte of secret.
    size = len(key) // 2 if _HEX.fullmatch(key) else len(key)
    if size < SHORTEST:
        raise KeyFileError(f"holds {size} bytes of key, {SHORTEST} are the least", where=where, fix=f"{_NEW} FILE")
    return key


def stretch_key(key: bytes) -> bytes:
    """A passphrase as a key of 32 bytes that takes time and memory to compute (scrypt); a random key as it is."""
    return key if _is_random(key) else _stretch(key)


@cache
def _stretch(passphrase: bytes) -> bytes:
    return scrypt(passphrase, salt=b"incognote key", n=_ROUNDS, r=_BLOCK, p=1, maxmem=_MEMORY, dklen=32)


def _is_random(key: bytes) -> bool:
    """Whether the key is bytes that are no text, hexadecimal digits, or letters and digits in no order, as in base64."""
    try:
        text = key.decode()
    except UnicodeDecodeError:
        return True
    if not text.isprintable() or (_HEX.fullmatch(key) and len(key) >= 2 * SHORTEST):
        return True
    # Of the neighbours in random base64 one in six are two small letters, in words most are.
    return bool(_BASE64.fullmatch(key)) and len(_WORDY.findall(key)) < 0.42 * len(key)
