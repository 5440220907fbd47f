"""The secret key behind every surrogate: where it may come from, and what is refused."""

import os
import re
import secrets
import stat
from pathlib import Path

from incognote.errors import KeyFileError

KEY_VARIABLE = "INCOGNOTE_KEY"
SHORTEST = 16
_HEX = re.compile(rb"[0-9a-fA-F]+")
_RECIPE = """python3 -c "import secrets; print(secrets.token_hex(32))\""""


def random_key() -> bytes:
    """A new key of 32 random bytes; once it is gone the same surrogates cannot be made again."""
    return secrets.token_bytes(32)


def read_key(path: str | Path) -> bytes:
    """The key in a file that only its owner may read."""
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
        fix = f"make one with: (umask 077; {_RECIPE} > {path})" if isinstance(error, FileNotFoundError) else ""
        raise KeyFileError(str(error.strerror), where=where, fix=fix) from error
    return check_key(content.strip(), where)


def key_from_environment() -> bytes | None:
    """The key in the variable INCOGNOTE_KEY, or None where it is not set."""
    value = os.environ.get(KEY_VARIABLE)
    return None if value is None else check_key(os.fsencode(value).strip(), f"variable {KEY_VARIABLE}")


def check_key(key: bytes, where: str) -> bytes:
    """The key itself; raise where it could be guessed. An empty key is an error: a secret that was not found."""
    if not isinstance(key, bytes):
        raise KeyFileError(f"is of the type {type(key).__name__}, but a key is bytes", where=where, fix="encode a text")
    # Two hexadecimal digits carry one byte of secret.
    size = len(key) // 2 if _HEX.fullmatch(key) else len(key)
    if size < SHORTEST:
        raise KeyFileError(f"holds {size} bytes of key, {SHORTEST} are the least", where=where, fix=f"make one with: {_RECIPE}")
    return key
