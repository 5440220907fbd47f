"""Models written out whole: int8 codes and factors as full matrices, for programs that know neither."""

from pathlib import Path

import numpy as np

from incognote.find.model.checkpoint import Checkpoint
from incognote.find.model.tensors import Tensors
from incognote.lab.shrink.derived import check_new, write_derived


def expand(checkpoint: Checkpoint, target: Path, *, overwrite: bool = False) -> Path:
    """Write the checkpoint in whole matrices and full precision, as Hugging Face loads it; what rounding took stays lost."""
    check_new(target, overwrite=overwrite)
    weights = Tensors(checkpoint.folder)
    tensors = {name: np.ascontiguousarray(weights[name]) for name in weights.whole()}
    return write_derived(checkpoint.folder, target, tensors, checkpoint.config, how="the same weights, as whole matrices")
