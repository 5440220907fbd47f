"""The spans that a model in training finds: the windows, the grammar and the whole words of production."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from incognote.document import Span
from incognote.encoders.decoding import Scores, decode, visible_scores
from incognote.encoders.tokens import SubwordTokenizer
from incognote.encoders.windows import batch_windows, cut_windows, fill_batch, gather_scores

BUDGET = {"cpu": 4096, "cuda": 131072}


def score_notes(
    model: nn.Module, texts: Sequence[str], tokenizer: SubwordTokenizer, *, room: int, overlap: int
) -> list[Scores]:
    """Tag probabilities on the visible pieces of each text."""
    notes = tokenizer.tokenize(texts)
    lengths = [len(note) for note in notes]
    windows = cut_windows(lengths, room=room, overlap=overlap)
    device = next(model.parameters()).device
    opened = len(tokenizer.before)
    judged = []
    for numbers in batch_windows(windows, budget=BUDGET.get(device.type, 4096), specials=tokenizer.specials):
        chosen = [windows[number] for number in numbers]
        ids, mask = fill_batch(chosen, notes, tokenizer)
        inputs = {"input_ids": torch.from_numpy(ids).to(device)}
        if not mask.all():
            inputs["attention_mask"] = torch.from_numpy(mask).to(device)
        with torch.inference_mode(), torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            logits = model(**inputs).logits
        scores = torch.softmax(logits.float(), dim=-1).cpu().numpy()
        judged += [(window, scores[row, opened : opened + len(window)]) for row, window in enumerate(chosen)]
    columns = judged[0][1].shape[1] if judged else 1
    gathered = gather_scores(judged, lengths, columns=columns)
    return [visible_scores(text, note, np.asarray(rows)) for text, note, rows in zip(texts, notes, gathered, strict=True)]


def tag_notes(
    model: nn.Module, texts: Sequence[str], tokenizer: SubwordTokenizer, tags: tuple[str, ...], *, room: int, overlap: int
) -> list[tuple[Span, ...]]:
    """The spans of each text."""
    scores = score_notes(model, texts, tokenizer, room=room, overlap=overlap)
    return [decode(text, each, tags) for text, each in zip(texts, scores, strict=True)]
