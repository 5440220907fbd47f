"""One tiny encoder of each family, made once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes import tiny_checkpoint


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """The folder of a tiny checkpoint of a family and a seed."""
    import torch

    torch.set_num_threads(1)
    made: dict[tuple[str, int], Path] = {}

    def make(family: str = "bert", seed: int = 0) -> Path:
        if (family, seed) not in made:
            made[family, seed] = tiny_checkpoint(tmp_path_factory.mktemp("tiny") / f"{family}-{seed}", family, seed=seed)
        return made[family, seed]

    return make
