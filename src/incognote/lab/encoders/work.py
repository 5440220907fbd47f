"""How much arithmetic tagging takes, and how much this machine can do: what a share of the peak is made of."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from incognote.find.model.runtimes.onnx_file import Graph
from incognote.find.model.runtimes.session import open_session
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.windows import cut_windows

_SIDE, _ROUNDS = 1024, 6


def count_flops(tagger: EncoderTagger, lengths: Sequence[int]) -> float:
    """The floating point operations of the windows over notes of these lengths: layers · (2(4H² + 2HI) + 4nH) for each token.

    H is the width, I that of the feed-forward part, n the length of the token's window. Where a runtime counts what its
    layers read, it is what they have read since this was last asked.
    """
    config = tagger.checkpoint.config
    width = int(config.get("hidden_size") or config.get("dim") or config.get("d_model") or 0)
    wide = int(config.get("intermediate_size") or config.get("hidden_dim") or config.get("d_inner") or 0)
    depth = int(config.get("num_hidden_layers") or config.get("n_layers") or config.get("n_layer") or 0)
    windows = [len(window) + tagger.tokenizer.specials for window in cut_windows(lengths, **tagger.cutting._asdict())]
    read = [part for meter in tagger.meters for part in meter.take()]
    if not tagger.meters:
        read = [(depth, sum(windows), sum(n**2 for n in windows))]
    dense = 2 * (4 * width**2 + 2 * width * wide)
    return float(sum(layers * (dense * tokens + 4 * width * squares) for layers, tokens, squares in read))


def measure_peaks(threads: int) -> dict[str, float]:
    """The best rates of products of matrices on so many threads at once, in operations per second: ``fp32`` and ``int8``."""
    random = np.random.default_rng(0)
    floats = [random.standard_normal((_SIDE, _SIDE), dtype=np.float32) for _ in "ab"]
    codes = [random.integers(0, 255, (_SIDE, _SIDE), dtype=np.uint8), random.integers(-127, 127, (_SIDE, _SIDE), dtype=np.int8)]
    return {"fp32": _rate("MatMul", floats, threads), "int8": _rate("MatMulInteger", codes, threads)}


def _rate(operator: str, sides: Sequence[Any], threads: int) -> float:
    graph = Graph()
    graph.add(operator, "left", graph.hold("right", sides[1]), name="product")
    kind = "float32" if operator == "MatMul" else "int32"
    shape = (_SIDE, _SIDE)
    data = graph.pack(inputs={"left": (sides[0].dtype.name, shape)}, outputs={"product": (kind, shape)})
    session = open_session(data, threads=threads)
    best = 0.0
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(_ROUNDS):
            started = time.perf_counter()
            list(pool.map(lambda _: session.run(None, {"left": sides[0]}), range(4 * threads)))
            best = max(best, 4 * threads * 2 * _SIDE**3 / (time.perf_counter() - started))
    return best
