"""Embeddings made thin: the V×H table of words as a product of V×E and E×H, as ALBERT has it (Lan et al. 2020), of a trained model.

ALBERT and ELECTRA norm the thin embedding before they widen it, so no trained BERT is an ALBERT of the same kind, and the classes of
BERT, RoBERTa and others know no thin embedding. So the file holds both factors under the name of the table (see ``LEFT`` and ``RIGHT`` in
``encoders.tensors``), and our loader multiplies them: the folder is small, the model in memory is an ordinary one. Hugging Face alone
misses the table and makes up a random one, with a warning; ``expand`` writes a folder that it takes.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incognote.errors import CheckpointError, ConfigError
from incognote.find.model.checkpoint import Checkpoint
from incognote.find.model.tensors import LEFT, RIGHT, Tensors, has_factors, is_quantized
from incognote.find.model.tokens import load_tokenizer
from incognote.lab.shrink.derived import check_new, write_derived
from incognote.lab.shrink.vocabulary import count_tokens

Floats = NDArray[np.float32]


def factorize(checkpoint: Checkpoint, target: Path, *, rank: int, texts: Sequence[str] = (), overwrite: bool = False) -> Path:
    """Write the checkpoint with its table of words as two factors of this rank, nearest for the words that the texts use most."""
    check_new(target, overwrite=overwrite)
    weights, name = check_rank(checkpoint, rank)
    left, right = split_matrix(weights[name], rank, counts=count_rows(checkpoint, texts))
    tensors: dict[str, NDArray[Any]] = {}
    for each in weights:
        tensors |= {name + LEFT: left, name + RIGHT: right} if each == name else {each: weights.raw(each)}
    how = f"its embedding of words is stored as two factors of rank {rank}"
    return write_derived(checkpoint.folder, target, tensors, checkpoint.config, how=how)


def split_matrix(matrix: Floats, rank: int, *, counts: Floats | None = None) -> tuple[Floats, Floats]:
    """The two factors whose product is the nearest of that rank in squared error: a truncated singular value decomposition.

    An error in a row counts as often as the row is used, and once more: rare words pay for frequent ones, and the model is far nearer
    to what it was (docs/results/shrink/int8.md).

    >>> left, right = split_matrix(np.outer([1, 2, 3], [4, 5]).astype(np.float32), 1)
    >>> np.round(left @ right).tolist()
    [[4.0, 5.0], [8.0, 10.0], [12.0, 15.0]]
    """
    wide = matrix.astype(np.float64)
    # The directions of a tall matrix are those of its small square, which is far quicker to take apart.
    used = wide if counts is None else wide * (counts + 1.0)[:, None]
    _, directions = np.linalg.eigh(used.T @ wide)
    right = directions[:, ::-1][:, :rank].T
    left = wide @ right.T
    # Rows of even size on both sides, so that one learning rate suits both.
    size = np.sqrt(np.abs(left).mean() / np.abs(right).mean())
    return (left / size).astype(np.float32), (right * size).astype(np.float32)


def count_rows(checkpoint: Checkpoint, texts: Sequence[str]) -> Floats | None:
    """How often the texts use each token; None without texts."""
    if not texts:
        return None
    counts = np.zeros(int(checkpoint.config["vocab_size"]), dtype=np.float32)
    for token, count in count_tokens(texts, load_tokenizer(checkpoint.folder)).items():
        counts[token] = count
    return counts


def check_rank(checkpoint: Checkpoint, rank: int) -> tuple[Tensors, str]:
    """The weights and the name of the table of words; raise unless factors of that rank make the model smaller."""
    if is_quantized(checkpoint.folder):
        raise CheckpointError(
            "is quantized already", where=checkpoint.folder, fix="factorize the model in full precision, then quantize it"
        )
    if has_factors(checkpoint.folder):
        raise CheckpointError(
            "its embedding is factorized already", where=checkpoint.folder, fix="factorize the model that it was made from"
        )
    weights = Tensors(checkpoint.folder)
    name = find_table(weights, checkpoint)
    rows, width = weights.raw(name).shape
    most = rows * width // (rows + width)
    if not 1 <= rank < width or rank > most:
        raise ConfigError(
            "factorize",
            [f"rank = {rank}: the embedding is {rows}×{width}, so that ranks from 1 to {min(most, width - 1)} make it smaller"],
        )
    return weights, name


def find_table(weights: Tensors, checkpoint: Checkpoint) -> str:
    """The one matrix with a row for each token of the vocabulary."""
    if checkpoint.config.get("model_type") == "albert":
        raise CheckpointError("ALBERT's embedding is factorized as it is", where=checkpoint.folder)
    rows = checkpoint.config.get("vocab_size")
    found = [name for name in weights if (shape := weights.raw(name).shape)[:1] == (rows,) and len(shape) == 2]
    if len(found) != 1:
        raise CheckpointError(f"{len(found)} matrices have a row for each of {rows} tokens, in place of one", where=checkpoint.folder)
    return found[0]
