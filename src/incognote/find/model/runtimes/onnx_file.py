"""ONNX files written byte by byte: the few parts of the format that a graph of ours needs, so that no package is needed to make one.

The field numbers are those of onnx.proto; the wire format is that of protocol buffers.
"""

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

_IR_VERSION, _OPSET = 8, 17
_CONTRIB = "com.microsoft"  # the fused operators of ONNX Runtime
_VARINT, _BYTES, _FIXED32 = 0, 2, 5
_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7, "bool": 9, "float16": 10}
_FLOAT, _INT, _TEXT, _INTS = 1, 2, 3, 7  # kinds of attributes

Value = float | int | str | Sequence[int]
Shape = Sequence[int | str]


@dataclass(slots=True)
class Graph:
    """Nodes and constants, gathered in order; names of values are given out by ``add`` and ``hold``."""

    nodes: list[bytes] = field(default_factory=list, repr=False)
    constants: dict[str, NDArray[Any]] = field(default_factory=dict, repr=False)

    def hold(self, name: str, values: NDArray[Any]) -> str:
        """A constant; holding the same array under the same name twice is one constant."""
        self.constants.setdefault(name, np.ascontiguousarray(values))
        return name

    def add(self, operator: str, *inputs: str, outputs: int = 1, contrib: bool = False, name: str = "", **attributes: Value) -> str:
        """A node; the name of its first output comes back, further ones are the same name with ``.1``, ``.2`` …"""
        name = name or f"{operator}_{len(self.nodes)}"
        names = [name, *(f"{name}.{at}" for at in range(1, outputs))]
        self.nodes.append(
            b"".join(_text(1, value) for value in inputs)
            + b"".join(_text(2, value) for value in names)
            + _text(3, name)
            + _text(4, operator)
            + b"".join(_block(5, _attribute(key, value)) for key, value in attributes.items())
            + (_text(7, _CONTRIB) if contrib else b"")
        )
        return name

    def pack(self, *, inputs: Mapping[str, tuple[str, Shape]], outputs: Mapping[str, tuple[str, Shape]]) -> bytes:
        """The file. Inputs and outputs are named with their type and shape; a side that varies has a name for its length."""
        graph = [*(_block(1, node) for node in self.nodes), _text(2, "incognote")]
        for name, values in self.constants.items():
            graph.extend(_tensor(name, values))
        graph.extend(_block(11, _value(name, *kind)) for name, kind in inputs.items())
        graph.extend(_block(12, _value(name, *kind)) for name, kind in outputs.items())
        head = _number(1, _IR_VERSION) + _text(2, "incognote")
        tail = b"".join(_block(8, _text(1, domain) + _number(2, version)) for domain, version in (("", _OPSET), (_CONTRIB, 1)))
        size = sum(map(len, graph))
        return b"".join([head, _key(7, _BYTES), _varint(size), *graph, tail])


def _varint(value: int) -> bytes:
    """
    >>> _varint(300).hex()
    'ac02'
    """
    value &= (1 << 64) - 1  # negative numbers are written as 64-bit two's complement
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def _key(number: int, kind: int) -> bytes:
    return _varint(number << 3 | kind)


def _number(number: int, value: int) -> bytes:
    return _key(number, _VARINT) + _varint(value)


def _block(number: int, content: bytes) -> bytes:
    return _key(number, _BYTES) + _varint(len(content)) + content


def _text(number: int, value: str) -> bytes:
    return _block(number, value.encode())


def _attribute(name: str, value: Value) -> bytes:
    if isinstance(value, float):
        return _text(1, name) + _key(2, _FIXED32) + struct.pack("<f", value) + _number(20, _FLOAT)
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, _INT)
    if isinstance(value, str):
        return _text(1, name) + _text(4, value) + _number(20, _TEXT)
    return _text(1, name) + b"".join(_number(8, one) for one in value) + _number(20, _INTS)


def _tensor(name: str, values: NDArray[Any]) -> Iterable[bytes]:
    """In parts, so that large weights are not copied more than once."""
    head = b"".join(_number(1, side) for side in values.shape) + _number(2, _TYPES[values.dtype.name]) + _text(8, name)
    data = values.tobytes()
    head += _key(9, _BYTES) + _varint(len(data))
    return _key(5, _BYTES) + _varint(len(head) + len(data)), head, data


def _value(name: str, kind: str, shape: Shape) -> bytes:
    sides = b"".join(_block(1, _number(1, side) if isinstance(side, int) else _text(2, side)) for side in shape)
    return _text(1, name) + _block(2, _block(1, _number(1, _TYPES[kind]) + _block(2, sides)))
