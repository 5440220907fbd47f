"""Questions beside the windows of a text, and the best answer over them: what training and use share."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from torch import nn

from incognote.errors import ConfigError
from incognote.find.model.tokens import SubwordTokenizer, Tokens
from incognote.find.model.windows import cut_windows
from incognote.lab.training.tasks.samples import Frame, Sample, make_sample, run_batches, shift_of
from incognote.lab.training.texts import Example, list_places

Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Answer:
    """Where in the text the answer is, ``[start, end)``; nowhere when both are 0. ``score`` is by how much it beats no answer."""

    start: int
    end: int
    score: float
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Asked:
    """Questions and texts as an encoder reads them: the tokens of each text, and samples of a question beside a window of its text."""

    notes: list[Tokens] = field(repr=False)
    samples: list[Sample] = field(repr=False)


def ask(examples: Sequence[Example], tokenizer: SubwordTokenizer, frame: Frame, *, window: int, overlap: int) -> Asked:
    """Every question with every window of its text; neighbouring windows share tokens, so that an answer is whole in one of them."""
    questions = tokenizer.tokenize([one.question for one in examples])
    notes = tokenizer.tokenize([one.text for one in examples])
    room = window - frame.size
    zipped = list(zip(examples, questions, notes, strict=True))
    faults = list_places("no token in the question or the text", [one for one, q, note in zipped if not (len(q) and len(note))])
    faults += list_places(
        f"the question takes over half of a window of {window} tokens", [one for one, q, _ in zipped if len(q) > room // 2]
    )
    if faults:
        raise ConfigError("data", faults)
    samples = []
    for at, (_, question, note) in enumerate(zipped):
        left = room - len(question)
        for each in cut_windows([len(note)], room=left, overlap=min(overlap, left // 2)):
            samples.append(make_sample(frame, at, question.ids, note.ids[each.start : each.end], offset=each.start))
    return Asked(notes, samples)


def context_of(sample: Sample, frame: Frame) -> slice:
    """The columns of a sample that hold the text, where an answer may be."""
    return slice(sample.first, len(sample) - len(frame.specials[-1]))


def summary_column(sample: Sample, frame: Frame) -> int:
    """The column of the summary token, where the model points when there is no answer."""
    return len(sample) - 1 if frame.left else 0


def find_answers(model: nn.Module, texts: Sequence[str], asked: Asked, frame: Frame, *, longest: int, nulls: bool) -> list[Answer]:
    """The best span over all windows of each text, or none where no answer scores higher and there may be none.

    As in SQuAD 2: a span scores the sum of its start and end logits, and no answer the lowest that any window gives it.
    """
    best = [(-np.inf, 0, 0)] * len(texts)
    none = [np.inf] * len(texts)
    for numbers, output in run_batches(model, asked.samples, frame):
        starts, ends = (logits.float().cpu().numpy() for logits in (output.start_logits, output.end_logits))
        for row, number in enumerate(numbers):
            sample = asked.samples[number]
            shift = shift_of(sample, starts.shape[1], frame)
            start, end = (logits[row, shift : shift + len(sample)] for logits in (starts, ends))
            cls = summary_column(sample, frame)
            none[sample.example] = min(none[sample.example], float(start[cls] + end[cls]))
            found = best_span(start[context_of(sample, frame)], end[context_of(sample, frame)], longest=longest)
            best[sample.example] = max(best[sample.example], (found[0], sample.offset + found[1], sample.offset + found[2]))
    return [
        _make_answer(text, note, span, score - empty, nulls)
        for text, note, (score, *span), empty in zip(texts, asked.notes, best, none, strict=True)
    ]


def best_span(starts: Scores, ends: Scores, *, longest: int) -> tuple[float, int, int]:
    """The score, first and last token of the span with the highest sum that is not longer than ``longest`` tokens.

    >>> best_span(np.array([1, 5, 0], np.float32), np.array([9, 0, 2], np.float32), longest=2)
    (10.0, 0, 0)
    """
    sums = starts[:, None] + ends[None, :]
    ahead = np.arange(len(ends))[None, :] - np.arange(len(starts))[:, None]
    sums[(ahead < 0) | (ahead >= longest)] = -np.inf
    first, last = divmod(int(sums.argmax()), len(ends))
    return float(sums[first, last]), first, last


def _make_answer(text: str, note: Tokens, span: Sequence[int], score: float, nulls: bool) -> Answer:
    if nulls and score <= 0:
        return Answer(0, 0, score, "")
    start, end = int(note.starts[span[0]]), int(note.ends[span[1]])
    # Byte-level tokens hold the blank before their word.
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return Answer(start, end, score, text[start:end])
