"""How far a packed file may unpack: 18 KB of gzip or Parquet can hold 3 GB."""

import gzip
import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from incognote.errors import ConfigError, CorpusError

# MiB that any packed file may hold, and the longest line in one.
VARIABLE = "INCOGNOTE_UNPACKED_MIB"
_MIB = 256
# Notes are packed to a tenth; the same note again and again to a fiftieth.
_RATIO = 100


class Unpacking:
    """Counts what a packed file has given and raises where that is more than its size can explain."""

    def __init__(self, path: Path) -> None:
        self._path, self._taken = path, 0
        self.longest = _read_limit() << 20
        self._most = max(self.longest, _RATIO * path.stat().st_size)

    def take(self, size: int) -> None:
        """Count further bytes."""
        self._taken += size
        self.check(self._taken)

    def check(self, size: int) -> None:
        """Raise where this is more than the file may hold."""
        if size > self._most:
            what = f"unpacks to more than {self._most >> 20:,} MiB, {_RATIO:d} times its size or more"
            raise CorpusError(what, path=self._path, fix=f"unpack it yourself, or allow more MiB with the variable {VARIABLE}")

    def read_lines(self, packed: BinaryIO) -> Iterator[bytes]:
        """The lines of a gzip file."""
        file = gzip.GzipFile(fileobj=packed)
        try:
            while line := file.readline(self.longest + 1):
                self.take(len(line) if len(line) <= self.longest else self._most + 1)
                yield line
            return
        except (EOFError, zlib.error, gzip.BadGzipFile):
            place = f"byte {self._taken:d}"
        raise CorpusError("the file cannot be read: not gzip, damaged or cut short", path=self._path, place=place)


def _read_limit() -> int:
    value = os.environ.get(VARIABLE, "") or str(_MIB)
    if not re.fullmatch("[1-9][0-9]{0,8}", value):
        raise ConfigError(VARIABLE, ["must be a whole number of MiB"])
    return int(value)
