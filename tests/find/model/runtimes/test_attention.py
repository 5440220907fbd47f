import numpy as np
import pytest

from incognote.find.model.runtimes.attention import attend_int8
from incognote.find.model.runtimes.onnx_file import Graph

HEADS, WIDTH, EDGES, WORDS = 6, 48, 2, 70
NAMES = [f"{stream}_{part}" for stream in ("edge", "word") for part in ("queries", "keys", "values")]


def _streams(seed: int = 0) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    return {name: random.standard_normal((1, EDGES if "edge" in name else WORDS, WIDTH), dtype=np.float32) for name in NAMES}


def _attend(streams: dict[str, np.ndarray], *, signed: bool = True) -> np.ndarray:
    import onnxruntime

    graph = Graph()
    seen = attend_int8(graph, tuple(NAMES[:3]), tuple(NAMES[3:]), heads=HEADS, width=WIDTH, signed=signed)
    graph.add("Identity", seen, name="seen")
    inputs = {name: ("float32", (1, "edges" if "edge" in name else "words", WIDTH)) for name in NAMES}
    data = graph.pack(inputs=inputs, outputs={"seen": ("float32", (1, "tokens", WIDTH))})
    return onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"]).run(None, streams)[0][0]


def _attend_exactly(streams: dict[str, np.ndarray]) -> np.ndarray:
    parts = (np.concatenate((streams[f"edge_{part}"][0], streams[f"word_{part}"][0])) for part in ("queries", "keys", "values"))
    queries, keys, values = (part.reshape(-1, HEADS, WIDTH // HEADS).transpose(1, 0, 2) for part in parts)
    scores = queries @ keys.transpose(0, 2, 1) / np.sqrt(WIDTH // HEADS)
    chances = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (chances / chances.sum(axis=-1, keepdims=True) @ values).transpose(1, 0, 2).reshape(-1, WIDTH)


def test_bytes_for_scores_give_what_full_precision_sees():
    streams = _streams()
    exact = _attend_exactly(streams)
    assert np.abs(_attend(streams) - exact).mean() < 0.01 * exact.std()


def test_one_large_key_does_not_blur_the_others():
    streams = _streams()
    streams["edge_keys"][0, 0] *= 1000
    exact = _attend_exactly(streams)
    assert np.abs(_attend(streams) - exact)[EDGES:].mean() < 0.01 * exact.std()


def test_a_key_of_nothing_but_zeros_is_seen_as_one():
    streams = _streams()
    streams["word_keys"][0, 5] = 0
    exact = _attend_exactly(streams)
    assert np.abs(_attend(streams) - exact).mean() < 0.01 * exact.std()


def test_unsigned_codes_for_older_processors_mean_the_same():
    assert _attend(_streams(), signed=False) == pytest.approx(_attend(_streams()), abs=1e-5)
