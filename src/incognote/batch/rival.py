"""The Hugging Face pipeline as anyone would write it, to be measured beside us: same weights, full precision, its best batch size."""

import time
from collections.abc import Callable, Sequence

from incognote.encoders.checkpoint import load_checkpoint
from incognote.encoders.machine import own_cores
from incognote.encoders.quiet import quiet
from incognote.encoders.weights import load_model
from incognote.errors import MissingExtraError

_BATCHES = (1, 8, 32)
_STRIDE = 128


def load_pipeline(model: str) -> Callable[[Sequence[str], int], object]:
    """A function of texts and a batch size; the pipeline reads long notes in windows that share 128 tokens."""
    try:
        import torch
        from transformers import AutoTokenizer, pipeline
    except ImportError:
        raise MissingExtraError("torch and transformers", "train") from None
    torch.set_num_threads(own_cores())
    checkpoint = load_checkpoint(model)
    with quiet():
        tokenizer = AutoTokenizer.from_pretrained(checkpoint.folder, local_files_only=True)
        tokenizer.model_max_length = min(tokenizer.model_max_length, checkpoint.limit)
        stride = min(_STRIDE, tokenizer.model_max_length // 4)
        options = {"device": "cpu", "stride": stride, "aggregation_strategy": "simple"}
        find = pipeline("token-classification", model=load_model(checkpoint), tokenizer=tokenizer, **options)

    def run(texts: Sequence[str], batch: int) -> object:
        with quiet():
            return find(list(texts), batch_size=batch)

    return run


def pick_batch(
    run: Callable[[Sequence[str], int], object], texts: Sequence[str], *, tick: Callable[[], float] = time.perf_counter
) -> tuple[int, dict[int, float]]:
    """The batch size with which it is fastest on these texts by the clock ``tick``, and the seconds of each; the first run is left out."""
    run(texts[:2], 1)
    seconds = dict.fromkeys(_BATCHES, float("inf"))
    for _ in range(2):
        for batch in _BATCHES:
            begun = tick()
            run(texts, batch)
            seconds[batch] = min(seconds[batch], tick() - begun)
    return min(seconds, key=seconds.__getitem__), seconds
