"""Reads weights from safetensors files with numpy alone, memory-mapped; int8 values and factors are returned in single precision."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incognote.errors import CheckpointError

SCALE = ".scale"
"""The name of a quantized matrix and this: one number for each of its rows, which its values are to be multiplied with.

A value is an int8, or four bits of an unsigned byte (:func:`pack`)."""

LEFT, RIGHT = ".left", ".right"
"""The name of a matrix and these: two thin matrices in its stead, whose product it is."""

SHARES = (1.0, 0.92, 0.85, 0.78, 0.71, 0.64, 0.57, 0.5)
"""The parts of a row's range that are tried with four bits, the whole of it first."""

PRUNING = "pruning.safetensors"
"""The file of a model folder with its token pruning, which is none of the model's own weights."""

OLD_PRUNING = "gates.safetensors"
"""Its name in models of earlier versions."""

_TYPES = {"F32": "<f4", "F16": "<f2", "BF16": "<u2", "F64": "<f8", "I8": "<i1", "U8": "<u1", "I32": "<i4", "I64": "<i8", "BOOL": "?"}


@dataclass(frozen=True, slots=True)
class Quantized:
    """A matrix as int8 values and one scale for each of its rows."""

    values: NDArray[np.int8] = field(repr=False)
    scales: NDArray[np.float32] = field(repr=False)

    def __getitem__(self, rows: slice) -> "Quantized":
        return Quantized(self.values[rows], self.scales[rows])

    def floats(self) -> NDArray[np.float32]:
        """The matrix in single precision."""
        return self.values.astype(np.float32) * self.scales[:, None]


def quantize(matrix: NDArray[np.float32], *, bits: int = 8) -> Quantized:
    """The nearest int8 values, with the largest number of each row at 127; a matrix that was quantized before gives the same values.

    With four bits the largest value is 7, and numbers far above a row's others are cut off where that brings all the others nearer.

    >>> quantize(np.array([[0.5, -1.0], [0, 0]], dtype=np.float32)).values.tolist()
    [[64, -127], [0, 0]]
    >>> quantize(np.array([[0.5, -1.0], [0, 0]], dtype=np.float32), bits=4).values.tolist()
    [[3, -7], [0, 0]]
    """
    most = highest(bits)
    widest = np.abs(matrix).max(axis=1) / np.float32(most)
    widest[widest == 0] = 1
    scales = widest
    if bits == 4:
        steps = [widest * np.float32(share) for share in SHARES]
        errors = [np.square(_round(matrix, step, most) * step[:, None] - matrix).sum(axis=1) for step in steps]
        scales = np.choose(np.argmin(errors, axis=0), steps)
    return Quantized(_round(matrix, scales, most).astype(np.int8), scales)


def highest(bits: int) -> int:
    """The largest value of so many bits: 127, or 7 for four."""
    return int(2 ** (bits - 1)) - 1


def _round(matrix: NDArray[np.float32], scales: NDArray[np.float32], most: int) -> NDArray[np.float32]:
    values = matrix / scales[:, None]
    return np.clip(np.rint(values, out=values), -most, most, out=values)


class Tensors(Mapping[str, NDArray[Any]]):
    """The weights of all safetensors of a folder, or its token pruning for ``PRUNING``, each made single precision when it is asked for.

    ``files`` counts the tensors of each file; each is opened once. Without a folder there are none.
    """

    def __init__(self, folder: Path | None = None, name: str = "") -> None:
        self.folder = folder or Path()
        self.files: dict[Path, int] = {}
        self._found: dict[str, tuple[NDArray[Any], dict[str, Any]]] = {}
        for file in sorted(folder.glob("*.safetensors")) if folder else ():
            if (file.name in (PRUNING, OLD_PRUNING)) == (name == PRUNING):
                data, entries = _open_tensors(file)
                self.files[file] = len(entries)
                self._found.update((name, (data, entry)) for name, entry in entries.items())

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name + LEFT in self._found:
            product: NDArray[Any] = self[name + LEFT] @ self[name + RIGHT]
            return product
        quantized = self.quantized(name)
        if quantized is not None:
            return quantized.floats()
        values = self.raw(name)
        return values.astype(np.float32) if values.dtype.kind == "f" else values

    def quantized(self, name: str) -> Quantized | None:
        """A matrix as the int8 values in the file; None when it is not quantized there."""
        return Quantized(unpack(self.raw(name)), self.raw(name + SCALE)) if name + SCALE in self._found else None

    def raw(self, name: str) -> NDArray[Any]:
        """As stored in the file; bfloat16, which numpy lacks, as single precision."""
        data, entry = self._found[name]
        first, last = entry["data_offsets"]
        values: NDArray[Any] = data[first:last].view(_TYPES[entry["dtype"]]).reshape(entry["shape"])
        return (values.astype(np.uint32) << 16).view(np.float32) if entry["dtype"] == "BF16" else values

    def names(self) -> Iterator[str]:
        """The names in the files, those of scales too."""
        return iter(self._found)

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._found if not name.endswith(SCALE))

    def whole(self) -> Iterator[str]:
        """The names that the model knows: that of a product in place of its factors'."""
        return (name.removesuffix(LEFT) for name in self if not name.endswith(RIGHT))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def pack(values: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Values of four bits, two in a byte: those of the first half of a row in its low bits, those of the second half in its high bits."""
    half = values.shape[1] // 2
    low, high = values.view(np.uint8)[:, :half] & np.uint8(15), values.view(np.uint8)[:, half:] << np.uint8(4)
    return low | high


def unpack(values: NDArray[Any]) -> NDArray[np.int8]:
    """Values as they are, or two out of each byte where that is how :func:`pack` left them.

    >>> unpack(pack(np.array([[-7, 7, 0, -1]], dtype=np.int8))).tolist()
    [[-7, 7, 0, -1]]
    """
    if values.dtype != np.uint8:
        return values
    # Moved up by four bits and down again, the sign of a value spreads over the upper half.
    return np.concatenate([values << 4, values & 240], axis=1).view(np.int8) >> 4


def is_quantized(folder: Path) -> bool:
    """Whether weights in this folder are int8 values."""
    return _has(folder, SCALE)


def weight_bits(folder: Path) -> int:
    """How many bits the quantized weights in this folder have."""
    weights = Tensors(folder)
    return 4 if any(weights.quantized(name) is not None and weights.raw(name).dtype == np.uint8 for name in weights) else 8


def has_factors(folder: Path) -> bool:
    """Whether a matrix in this folder is stored as two low-rank factors."""
    return _has(folder, LEFT)


def _has(folder: Path, ending: str) -> bool:
    return any(name.endswith(ending) for name in Tensors(folder).names())


def _open_tensors(file: Path) -> tuple[NDArray[Any], dict[str, dict[str, Any]]]:
    """The mapped data and the entries of one file, checked to lie inside it."""
    try:
        whole = np.memmap(file, dtype=np.uint8, mode="r")
        size = int(whole[:8].view("<u8")[0])
        if size > len(whole) - 8:
            raise ValueError
        entries = json.loads(whole[8 : 8 + size].tobytes())
        entries.pop("__metadata__", None)
        if any(entry["dtype"] not in _TYPES or entry["data_offsets"][1] > len(whole) - 8 - size for entry in entries.values()):
            raise ValueError
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
        raise CheckpointError(f"{file}: damaged weights; copy or fetch the file again") from None
    # Tensors need not be aligned in the file, so each is viewed as bytes first.
    return whole[8 + size :], entries


def write_tensors(file: Path, tensors: Mapping[str, NDArray[Any]], *, metadata: Mapping[str, str] | None = None) -> None:
    """A safetensors file of these arrays, in the order given."""
    names = {np.dtype(kind): name for name, kind in _TYPES.items() if name != "BF16"}
    entries: dict[str, Any] = {"__metadata__": dict(metadata or {})}
    at = 0
    for name, values in tensors.items():
        entries[name] = {"dtype": names[values.dtype], "shape": list(values.shape), "data_offsets": [at, at + values.nbytes]}
        at += values.nbytes
    head = json.dumps(entries).encode()
    head += b" " * (-len(head) % 8)
    with file.open("wb") as target:
        target.write(len(head).to_bytes(8, "little") + head)
        for values in tensors.values():
            target.write(np.ascontiguousarray(values).tobytes())
