"""Hidden states of a corpus as a file: Parquet or NumPy, ids in the order of the texts, there whole or not at all."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from incognote.corpora.files import draft
from incognote.corpora.output import check_free
from incognote.document import Document
from incognote.errors import ConfigError, CorpusError, MissingExtraError
from incognote.lab.encoders.states import POOLS, TOKENS, Floats, StateReader, States, pool_states

SUFFIXES = (".parquet", ".npz", ".npy")
_CHUNK = 64  # texts read at once

Columns = dict[str, Any]


def check_target(target: Path, pool: str) -> None:
    """Raise when the file's name has no known format, or its format cannot hold what is asked for."""
    faults = []
    if pool not in POOLS:
        faults.append(f"pool {pool}: is one of {', '.join(POOLS)}")
    if target.suffix not in SUFFIXES:
        faults.append(f"{target.name}: the name must end in one of {', '.join(SUFFIXES)}")
    if target.suffix == ".npy" and pool in TOKENS:
        faults.append("a .npy file holds one vector for each text; for those of tokens write .parquet or .npz, which keep ids and offsets")
    if faults:
        raise ConfigError("embed", faults)


def write_vectors(
    reader: StateReader,
    documents: Iterable[Document],
    target: Path,
    *,
    pool: str = "mean",
    refuse: Callable[[CorpusError], None] | None = None,
) -> int:
    """The states of every document in ``target``, in the format of its file name; returns how many documents.

    A document without a token has no vector: it raises, or goes to ``refuse`` and is left out.
    """
    check_target(target, pool)
    check_free(target, folder=False, overwrite=True)
    facts = {"model": reader.folder.name, "layers": json.dumps(reader.layers), "pool": pool}
    chunks = (_tabulate(reader, chunk, pool) for chunk in _read(reader, documents, refuse))
    return _write_parquet(chunks, target, facts) if target.suffix == ".parquet" else _write_numpy(chunks, target, facts)


def _read(
    reader: StateReader, documents: Iterable[Document], refuse: Callable[[CorpusError], None] | None
) -> Iterator[list[tuple[Document, States]]]:
    held: list[Document] = []
    for document in documents:
        held.append(document)
        if len(held) == _CHUNK:
            yield _keep(reader, held, refuse)
            held = []
    if held:
        yield _keep(reader, held, refuse)


def _keep(
    reader: StateReader, documents: Sequence[Document], refuse: Callable[[CorpusError], None] | None
) -> list[tuple[Document, States]]:
    kept = []
    for document, states in zip(documents, reader.read([document.text for document in documents]), strict=True):
        if len(states.tokens):
            kept.append((document, states))
            continue
        error = CorpusError("has no token, so it has no vector", document=document.id, fix="remove it, or set {keep_going}")
        if refuse is None:
            raise error
        refuse(error)
    return kept


def _tabulate(reader: StateReader, rows: Sequence[tuple[Document, States]], pool: str) -> tuple[int, Columns]:
    """The columns of some documents: one row for each, or for each token with its number and its characters ``[start, end)``."""
    names = [f"layer_{number}" for number in reader.layers]
    empty = np.zeros((0, len(names), reader.width), dtype=np.float32)
    if pool not in TOKENS:
        pooled: Floats = np.stack([pool_states(states, pool) for _, states in rows]) if rows else empty
        return len(rows), {"id": [document.id for document, _ in rows], **_by_layer(names, pooled)}
    lengths = [len(states.tokens) for _, states in rows]
    columns: Columns = {"id": [document.id for (document, _), length in zip(rows, lengths, strict=True) for _ in range(length)]}
    columns["token"] = np.concatenate([np.zeros(0, np.int32), *(np.arange(length, dtype=np.int32) for length in lengths)])
    columns["start"] = np.concatenate([np.zeros(0, np.int32), *(states.tokens.starts for _, states in rows)])
    columns["end"] = np.concatenate([np.zeros(0, np.int32), *(states.tokens.ends for _, states in rows)])
    return len(rows), columns | _by_layer(names, np.concatenate([empty, *(states.each for _, states in rows)]))


def _by_layer(names: Sequence[str], vectors: Floats) -> Columns:
    return {name: np.ascontiguousarray(vectors[:, at]) for at, name in enumerate(names)}


def _write_parquet(chunks: Iterable[tuple[int, Columns]], target: Path, facts: Mapping[str, str]) -> int:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet") from None
    written = 0
    counts = iter(chunks)
    first = next(counts, (0, {}))
    with draft(target) as file, parquet.ParquetWriter(file, _lay_out(pyarrow, first[1], facts).schema) as writer:
        for count, columns in chain([first], counts):
            writer.write_table(_lay_out(pyarrow, columns, facts))
            written += count
        _demand(written)
    return written


def _lay_out(pyarrow: Any, columns: Columns, facts: Mapping[str, str]) -> Any:
    arrays = {
        name: pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(column.reshape(-1)), column.shape[1])
        if isinstance(column, np.ndarray) and column.ndim == 2
        else pyarrow.array(column, pyarrow.string() if name == "id" else None)
        for name, column in columns.items()
    }
    return pyarrow.table(arrays).replace_schema_metadata({f"incognote.{key}": value for key, value in facts.items()})


def _write_numpy(chunks: Iterable[tuple[int, Columns]], target: Path, facts: Mapping[str, str]) -> int:
    found = list(chunks)
    written = sum(count for count, _ in found)
    _demand(written)
    names = list(found[0][1])
    columns = {name: np.concatenate([np.asarray(part[name]) for count, part in found if count]) for name in names}
    vectors = [columns[name] for name in names if name.startswith("layer_")]
    with draft(target) as file:
        if target.suffix == ".npy":
            np.save(file, vectors[0] if len(vectors) == 1 else np.stack(vectors, axis=1), allow_pickle=False)
        else:
            arrays: Columns = columns | {key: np.array(value) for key, value in facts.items()}
            np.savez(file, **arrays)
    return written


def _demand(written: int) -> None:
    if not written:
        raise CorpusError("there is no document with text, so nothing was written")
