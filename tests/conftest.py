"""What holds for all tests, and one tiny encoder of each family, made once."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes import tiny_checkpoint


def pytest_configure() -> None:
    """A run in the background ignores interrupts, and so would the commands that tests start in order to interrupt them."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


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
