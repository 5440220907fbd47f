"""Subword tokens of whole notes, never truncated, with their offsets and the special tokens of their family."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from incognote.errors import CheckpointError, MissingExtraError
from incognote.find.model.config import read_object

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

Ints = NDArray[np.int32]

_PROBE = "a 1."
_PAD_NAMES = ("[PAD]", "<pad>")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one note without special tokens: ids and the characters ``[start, end)`` that each came from."""

    ids: Ints
    starts: Ints
    ends: Ints

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Tokens({len(self)})"


@dataclass(frozen=True)
class SubwordTokenizer:
    """A ``tokenizers.Tokenizer`` with truncation and padding off, and what its family puts around a window.

    BERT wraps ``[CLS] … [SEP]``, RoBERTa ``<s> … </s>``, XLNet ``… <sep> <cls>``: ``before`` and ``after`` say so.
    """

    backend: "Tokenizer" = field(repr=False)
    pad: int

    @cached_property
    def _around(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        probe = self.backend.encode(_PROBE, add_special_tokens=True)
        own = [at for at, special in enumerate(probe.special_tokens_mask) if not special]
        return tuple(probe.ids[: own[0]]), tuple(probe.ids[own[-1] + 1 :])

    @property
    def before(self) -> tuple[int, ...]:
        """The special tokens that open a window."""
        return self._around[0]

    @property
    def after(self) -> tuple[int, ...]:
        """The special tokens that close a window."""
        return self._around[1]

    @property
    def specials(self) -> int:
        """How many tokens of a window are special."""
        return len(self.before) + len(self.after)

    def tokenize(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of each text, whole, however long."""
        return [_tokens(encoding) for encoding in self.backend.encode_batch(list(texts), add_special_tokens=False)]


def _tokens(encoding: "Encoding") -> Tokens:
    offsets = np.fromiter(chain.from_iterable(encoding.offsets), dtype=np.int32).reshape(-1, 2)
    # A token that a normalizer inserted may have offsets at the start of the text; offsets must not decrease.
    starts, ends = np.maximum.accumulate(offsets[:, 0]), np.maximum.accumulate(offsets[:, 1])
    return Tokens(np.array(encoding.ids, dtype=np.int32), starts, ends)


def load_tokenizer(folder: Path, config: Mapping[str, Any] | None = None) -> SubwordTokenizer:
    """The tokenizer of a model folder; one without ``tokenizer.json`` is converted from its vocabulary files.

    ``config`` is the content of ``config.json`` where that was read already.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtraError("tokenizers", "train") from None

    file = folder / "tokenizer.json"
    settings = _read_json(folder / "tokenizer_config.json")
    backend = None
    if file.is_file():
        try:
            backend = Tokenizer.from_file(str(file))
        except Exception as error:  # noqa: BLE001 - the package raises bare Exception for every fault of the file
            raise CheckpointError(f"{file}: not a readable tokenizer ({type(error).__name__}); copy the file again") from None
    if backend is None or backend.post_processor is None:
        backend = _convert(folder)
    backend.no_truncation()
    backend.no_padding()
    if not backend.encode(_PROBE, add_special_tokens=False).ids:
        raise CheckpointError(f"{folder}: its tokenizer makes no tokens of plain text; the vocabulary is missing or damaged")
    return SubwordTokenizer(backend, _pad_id(backend, settings, _read_json(folder / "config.json") if config is None else config))


def _convert(folder: Path) -> "Tokenizer":
    try:
        from transformers import AutoTokenizer
    except ImportError:
        raise MissingExtraError("transformers", "train") from None
    try:
        backend: Tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, use_fast=True).backend_tokenizer
    except Exception as error:  # noqa: BLE001 - any fault here means the folder holds no usable tokenizer
        raise CheckpointError(
            f"{folder}: no usable tokenizer ({type(error).__name__}); the folder needs tokenizer.json beside config.json"
        ) from None
    return backend


def _pad_id(backend: "Tokenizer", settings: Mapping[str, Any], config: Mapping[str, Any]) -> int:
    named = settings.get("pad_token")
    name = named.get("content") if isinstance(named, dict) else named
    for candidate in (name, *_PAD_NAMES):
        found = backend.token_to_id(candidate) if candidate else None
        if found is not None:
            return int(found)
    return int(config.get("pad_token_id") or 0)


def _read_json(file: Path) -> dict[str, Any]:
    return read_object(file) if file.is_file() else {}
