"""The spans that a model in training finds: the windows, the runtime, the grammar and the whole words of production."""

from collections.abc import Sequence

import torch
from torch import nn

from incognote.document import Span
from incognote.encoders.decoding import Scores, decode, visible_scores
from incognote.encoders.judging import softmax
from incognote.encoders.runtimes.torch import TorchRuntime
from incognote.encoders.tokens import SubwordTokenizer
from incognote.encoders.windows import batch_windows, cut_windows, fill_batch, gather_scores


def score_notes(
    model: nn.Module, texts: Sequence[str], tokenizer: SubwordTokenizer, tags: Sequence[str], *, room: int, overlap: int
) -> list[Scores]:
    """Tag probabilities on the visible pieces of each text, by a model that is still in memory."""
    notes = tokenizer.tokenize(texts)
    lengths = [len(note) for note in notes]
    windows = cut_windows(lengths, room=room, overlap=overlap)
    runtime = TorchRuntime(model, next(model.parameters()).device)
    batches = batch_windows(windows, budget=runtime.budget, specials=tokenizer.specials)
    filled = (fill_batch([windows[number] for number in batch], notes, tokenizer) for batch in batches)
    opened, judged = len(tokenizer.before), []
    # Weights in training are fp32 on a GPU too; the arithmetic there is the runtime's bf16.
    with torch.autocast("cuda", torch.bfloat16, enabled=runtime.device.type == "cuda"):
        for batch, logits in zip(batches, runtime.run(filled), strict=True):
            for row, number in enumerate(batch):
                judged.append((windows[number], logits[row, opened : opened + len(windows[number])]))
    gathered = gather_scores(judged, lengths, columns=len(tags))
    return [visible_scores(text, note, softmax(rows)) for text, note, rows in zip(texts, notes, gathered, strict=True)]


def tag_notes(
    model: nn.Module, texts: Sequence[str], tokenizer: SubwordTokenizer, tags: tuple[str, ...], *, room: int, overlap: int
) -> list[tuple[Span, ...]]:
    """The spans of each text."""
    scores = score_notes(model, texts, tokenizer, tags, room=room, overlap=overlap)
    return [decode(text, each, tags) for text, each in zip(texts, scores, strict=True)]
