"""A factorized embedding trained further, so that the model learns to do with it."""

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from incognote.find.model.checkpoint import WEIGHTS, Checkpoint, replace_whole
from incognote.find.model.tensors import LEFT, RIGHT, Tensors, write_tensors
from incognote.lab.shrink.derived import FACTORS, check_new, tell_origin
from incognote.lab.shrink.factorize import Floats, check_rank, count_rows, split_matrix
from incognote.lab.shrink.tuning import retrain
from incognote.lab.training.data import Splits
from incognote.lab.training.loop import Watch
from incognote.lab.training.recipe import Recipe
from incognote.lab.training.run import Run
from incognote.lab.training.tasks.tagging import Tagging


def factorize_tuned(
    checkpoint: Checkpoint,
    target: Path,
    *,
    rank: int,
    recipe: Recipe,
    splits: Splits,
    scored: Sequence[str] = ("validation", "test"),
    overwrite: bool = False,
    watch: Watch | None = None,
) -> Run:
    """As :func:`factorize`, and then train the whole model with its thin embedding on the notes."""
    check_new(target, overwrite=overwrite)
    weights, name = check_rank(checkpoint, rank)
    factors = split_matrix(weights[name], rank, counts=count_rows(checkpoint, [document.text for document in splits.train]))

    def wrap(tagging: Tagging) -> Tagging:
        model: Any = tagging.model
        model.set_input_embeddings(Thin(model.get_input_embeddings(), *factors))
        return tagging

    with tempfile.TemporaryDirectory(prefix="incognote-factors-") as scratch:
        trained = Path(scratch) / target.name
        run = retrain(checkpoint.folder, trained, recipe, splits, origin=checkpoint.name, wrap=wrap, scored=scored, watch=watch)
        _name_factors(trained, name)
        how = f"its embedding of words is stored as two factors of rank {rank}, and it was trained on; validation F1 {run.f1:.4f}"
        (trained / "README.md").write_text(tell_origin(checkpoint, target.name, how=how, packed=FACTORS), encoding="utf-8")
        with replace_whole(target) as draft:
            shutil.copytree(trained, draft, dirs_exist_ok=True)
    return run


class Thin(nn.Module):
    """An embedding as the product of two factors; ``weight`` is the one with a row for each token."""

    def __init__(self, whole: nn.Embedding, left: Floats, right: Floats) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.from_numpy(left.copy()))
        self.right = nn.Parameter(torch.from_numpy(right.copy()))
        self.padding_idx, self.num_embeddings = whole.padding_idx, whole.num_embeddings

    def forward(self, ids: Tensor) -> Tensor:
        return functional.embedding(ids, self.weight, self.padding_idx) @ self.right


def _name_factors(folder: Path, name: str) -> None:
    """Give the factors that PyTorch saved under the names of its modules those that our loader knows."""
    weights = Tensors(folder)
    names: Mapping[str, str] = {name: name + LEFT, f"{name.removesuffix('.weight')}.right": name + RIGHT}
    tensors = {names.get(each, each): np.array(weights.raw(each)) for each in weights}
    for file in folder.glob("*.safetensors"):
        file.unlink()
    write_tensors(folder / WEIGHTS, tensors, metadata={"format": "pt"})
