"""What a text, a pair or a question looks like to an encoder: rows of tokens framed as its family frames them, and batches of rows."""

import inspect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from incognote.errors import CheckpointError
from incognote.find.model.tokens import Ints, SubwordTokenizer
from incognote.lab.training.task import Batch

_BUDGETS = {"cpu": 4096, "cuda": 65536}
Pieces = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """The special tokens before, between and after the texts of a row, and the token types of every piece.

    BERT frames two texts ``[CLS] … [SEP] … [SEP]``, RoBERTa ``<s> … </s></s> … </s>``, XLNet ``… <sep> … <sep> <cls>``.
    """

    specials: Pieces
    types: Pieces
    pad: int
    typed: bool
    left: bool

    @property
    def size(self) -> int:
        """How many tokens of a row are special."""
        return sum(len(piece) for piece in self.specials)

    @property
    def opening(self) -> int:
        """How many tokens come before the first text."""
        return len(self.specials[0])


@dataclass(frozen=True, slots=True)
class Sample:
    """A row of tokens with its special ones. ``example`` numbers what it is a part of, ``weight`` its share in that.

    ``first`` is the column where the last of its texts begins, and ``offset`` which token of that text is there.
    """

    example: int
    ids: Ints
    types: Ints
    weight: int = 1
    first: int = 0
    offset: int = 0

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Sample({self.example}, {len(self)})"


def find_frame(tokenizer: SubwordTokenizer, model: Any, *, texts: int) -> Frame:
    """How the tokenizer frames one text or two, seen from what it makes of a probe."""
    probe = tokenizer.backend.encode("a 1.", "a 1." if texts == 2 else None, add_special_tokens=True)
    specials: list[list[int]] = [[]]
    types: list[list[int]] = [[]]
    for id, kind, owner in zip(probe.ids, probe.type_ids, probe.sequence_ids, strict=True):
        if owner is None:
            specials[-1].append(id)
            types[-1].append(kind)
        elif len(specials) < owner + 2:
            specials.append([])
            types += [[kind], []]
    if len(specials) != texts + 1 or (texts == 2 and not specials[1]):
        raise CheckpointError(
            "the tokenizer puts nothing between two texts", where=model.name_or_path, fix="take an encoder that reads pairs"
        )
    return Frame(
        tuple(tuple(piece) for piece in specials),
        tuple(tuple(piece) for piece in types),
        tokenizer.pad,
        typed=_takes_types(model),
        # XLNet sums a text up in its last token; padding must not be there.
        left=not specials[0],
    )


def _takes_types(model: Any) -> bool:
    wanted = "token_type_ids" in inspect.signature(model.forward).parameters
    return wanted and getattr(model.config, "type_vocab_size", 2) > 1


def make_sample(frame: Frame, example: int, *texts: Ints, weight: int = 1, offset: int = 0) -> Sample:
    """The texts' tokens in their frame."""
    ids: list[Ints] = [np.array(frame.specials[0], dtype=np.int32)]
    types: list[Ints] = [np.array(frame.types[0], dtype=np.int32)]
    first = 0
    for at, text in enumerate(texts):
        first = sum(len(piece) for piece in ids)
        ids += [text, np.array(frame.specials[at + 1], dtype=np.int32)]
        types += [np.full(len(text), frame.types[2 * at + 1][0], dtype=np.int32), np.array(frame.types[2 * at + 2], dtype=np.int32)]
    return Sample(example, np.concatenate(ids), np.concatenate(types), weight, first, offset)


def fill_rows(samples: Sequence[Sample], frame: Frame) -> Batch:
    """The samples as the tensors a model takes, padded to the longest; without padding there is no mask, for the faster kernels."""
    width = max(len(sample) for sample in samples)
    ids = np.full((len(samples), width), frame.pad, dtype=np.int64)
    types, mask = np.zeros_like(ids), np.zeros_like(ids)
    for row, sample in enumerate(samples):
        at = shift_of(sample, width, frame)
        ids[row, at : at + len(sample)] = sample.ids
        types[row, at : at + len(sample)] = sample.types
        mask[row, at : at + len(sample)] = 1
    batch = {"input_ids": torch.from_numpy(ids)}
    if frame.typed:
        batch["token_type_ids"] = torch.from_numpy(types)
    return batch if mask.all() else batch | {"attention_mask": torch.from_numpy(mask)}


def shift_of(sample: Sample, width: int, frame: Frame) -> int:
    """The column of a batch where the sample begins."""
    return width - len(sample) if frame.left else 0


def hide_tokens(batch: Batch, share: float, *, mask: int, kept: Iterable[int]) -> Batch:
    """The batch with that share of its tokens replaced by the mask token, those to be ``kept`` left."""
    ids = batch["input_ids"]
    open_to = torch.isin(ids, torch.tensor(sorted(set(kept)), device=ids.device), invert=True)
    return batch | {"input_ids": torch.where((torch.rand(ids.shape, device=ids.device) < share) & open_to, mask, ids)}


def run_batches(model: nn.Module, samples: Sequence[Sample], frame: Frame) -> Iterator[tuple[list[int], Any]]:
    """The numbers of samples and what the model makes of them, batch by batch, the longest first."""
    device = next(model.parameters()).device
    budget = _BUDGETS.get(device.type, _BUDGETS["cpu"])
    order = sorted(range(len(samples)), key=lambda at: (-len(samples[at]), at))
    while order:
        count = max(1, budget // len(samples[order[0]]))
        numbers, order = order[:count], order[count:]
        batch = {key: value.to(device) for key, value in fill_rows([samples[at] for at in numbers], frame).items()}
        with (
            torch.inference_mode(),
            torch.compiler.set_stance("force_eager"),
            torch.autocast("cuda", torch.bfloat16, enabled=device.type == "cuda"),
        ):
            yield numbers, model(**batch)
