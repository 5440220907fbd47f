"""Calibrated ranges: between which values the inputs of linears lie on real notes, so that int8 need not measure each window."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from incognote.errors import CorpusError
from incognote.find.model.checkpoint import Checkpoint
from incognote.find.model.inference import infer_notes
from incognote.find.model.runtimes.torch import TorchRuntime
from incognote.find.model.tagger import EncoderTagger
from incognote.lab.shrink.fake import Fake, find_extremes, is_rounded, note_words

Ranges = dict[str, tuple[float, float]]
"""The low and the high value of the input of each linear, by the linear's name."""


def find_ranges(model: nn.Module, checkpoint: Checkpoint, texts: Sequence[str], *, windows: int = 256) -> Ranges:
    """The ranges of a model with the tokenizer of this checkpoint on these notes, from about so many windows of them.

    A range is the mean of the windows' extremes, to which running ranges in training tend as well. Ranges with the least squared
    error take much longer to find and were no nearer to full precision on the shipped model.
    """
    tagger = EncoderTagger(str(checkpoint.folder))
    notes, held = [], 0
    for text in texts:
        notes += tagger.tokenizer.tokenize([text])
        held += 1 + len(notes[-1]) // tagger.cutting.room
        if held >= windows:
            break
    if not any(len(note) for note in notes):
        raise CorpusError("there is no text to calibrate on; static int8 needs notes that are like those it will read")
    runtime = TorchRuntime(model, next(model.parameters()).device)
    with watched(model) as seen:
        infer_notes(runtime, notes, tagger.tokenizer, columns=len(checkpoint.tags), **tagger.cutting._asdict())
    means = {name: torch.cat(extremes).mean(dim=0).tolist() for name, extremes in seen.items()}
    return {name: (low, high) for name, (low, high) in means.items()}


@contextmanager
def watched(model: nn.Module) -> Iterator[dict[str, list[Tensor]]]:
    """The extremes of each window of what goes into every linear whose input int8 rounds, while the model judges."""
    fake, seen = Fake(), dict[str, list[Tensor]]()

    def watch(name: str) -> Any:
        def note(module: nn.Module, inputs: tuple[Tensor, ...]) -> None:
            assert fake.words is not None
            seen.setdefault(name, []).append(torch.stack(find_extremes(inputs[0].float(), fake.words[..., None]), dim=1))

        return note

    hooks = [model.register_forward_pre_hook(note_words(fake), with_kwargs=True)]
    hooks += [module.register_forward_pre_hook(watch(name)) for name, module in model.named_modules() if is_rounded(name, module)]
    try:
        yield seen
    finally:
        for hook in hooks:
            hook.remove()


def as_tensors(ranges: Mapping[str, Sequence[float]], device: torch.device) -> dict[str, Tensor]:
    """The ranges as a :class:`Fake` holds them."""
    return {name: torch.tensor(pair, dtype=torch.float32, device=device) for name, pair in ranges.items()}
