"""A transfer bundle: a folder as pieces small enough to move between machines.

python -m incognote.lab.default_model.transfer pack FOLDER BUNDLE
python -m incognote.lab.default_model.transfer unpack BUNDLE FOLDER
"""

import io
import sys
import tarfile
from pathlib import Path

from incognote.errors import CorpusError

PIECE = 14 * 2**20


def pack(folder: Path, bundle: Path, *, size: int = PIECE) -> None:
    """Write the folder as a tar archive in pieces of at most ``size`` bytes."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        archive.add(folder, arcname=".")
    bundle.mkdir(parents=True)
    whole = stream.getbuffer()
    pieces = range(0, len(whole), size)
    for number, at in enumerate(pieces):
        (bundle / f"{number:03}-of-{len(pieces):03}.bin").write_bytes(whole[at : at + size])


def unpack(bundle: Path, folder: Path) -> None:
    """Write the folder that was packed; raise when a piece is missing."""
    pieces = sorted(bundle.glob("*.bin"))
    if not pieces or len(pieces) != int(pieces[0].stem[-3:]):
        raise CorpusError(f"{len(pieces)} pieces, and more were packed", path=str(bundle), fix="fetch them again")
    with tarfile.open(fileobj=io.BytesIO(b"".join(piece.read_bytes() for piece in pieces))) as archive:
        archive.extractall(folder, filter="data")


if __name__ == "__main__":
    (pack if sys.argv[1] == "pack" else unpack)(Path(sys.argv[2]), Path(sys.argv[3]))
