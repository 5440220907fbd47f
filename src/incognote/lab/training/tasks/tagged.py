"""The spans that a model in training finds: the windows, the runtime, the grammar and the whole words of production."""

from collections.abc import Sequence

import torch
from torch import nn

from incognote.document import Span
from incognote.find.model.decoding import decode, visible_scores
from incognote.find.model.inference import infer_notes, softmax
from incognote.find.model.runtimes.torch import TorchRuntime
from incognote.find.model.tokens import SubwordTokenizer


def tag_notes(
    model: nn.Module, texts: Sequence[str], tokenizer: SubwordTokenizer, tags: tuple[str, ...], *, room: int, overlap: int
) -> list[tuple[Span, ...]]:
    """The spans of each text, by a model that is still in memory."""
    notes = tokenizer.tokenize(texts)
    runtime = TorchRuntime(model, next(model.parameters()).device)
    # Weights in training are fp32 on a GPU too; the arithmetic there is the runtime's bf16. Layers compiled for training are
    # left as they are: compiling them once more for reading takes longer than it saves.
    with torch.compiler.set_stance("force_eager"), torch.autocast("cuda", torch.bfloat16, enabled=runtime.device.type == "cuda"):
        judged = infer_notes(runtime, notes, tokenizer, columns=len(tags), room=room, overlap=overlap)
    scores = (visible_scores(text, note, softmax(logits)) for text, note, logits in zip(texts, notes, judged, strict=True))
    return [decode(text, each, tags) for text, each in zip(texts, scores, strict=True)]
