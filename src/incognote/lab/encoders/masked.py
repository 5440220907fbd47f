"""Encoders that fill in hidden words: loaded with their own head where they have one, and the words they think of for a mask."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from incognote.errors import CheckpointError, ConfigError
from incognote.find.model.checkpoint import Checkpoint, check_weights, find_folder
from incognote.find.model.config import read_config
from incognote.find.model.inference import check_numbers
from incognote.find.model.tokens import SubwordTokenizer, load_tokenizer
from incognote.find.model.weights import WORDS, load_with

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_MASKS = ("[MASK]", "<mask>")


@dataclass(frozen=True, slots=True)
class MaskedModel:
    """An encoder with a head for hidden words. ``fresh`` names the head's weights that were not in the folder and start at random."""

    model: "PreTrainedModel" = field(repr=False)
    folder: Path
    tokenizer: SubwordTokenizer = field(repr=False)
    mask: int
    fresh: tuple[str, ...] = ()

    @property
    def limit(self) -> int:
        """How many tokens it reads at once, special ones included."""
        return Checkpoint(self.folder, "", self.model.config.to_dict(), ()).limit


def load_masked(source: str | Path, *, unsafe: bool = False) -> MaskedModel:
    """An encoder by folder or hub name, on the CPU in full precision; set the seed before, for a head that starts fresh.

    A tagging Checkpoint works too: its encoder is taken, its labels are not.
    """
    folder = find_folder(source, unsafe=unsafe)
    check_weights(folder, unsafe=unsafe)
    read_config(folder)
    tokenizer = load_tokenizer(folder)
    mask = find_mask_token(folder, tokenizer)
    model, lacking = load_with(WORDS, folder, unsafe=unsafe)
    # What is tied to the embeddings is not missing; transformers reports it where it cannot know.
    own = dict(model.named_parameters())
    body = [name for name in lacking if name.startswith(f"{model.base_model_prefix}.") and "pooler" not in name]
    if body:
        raise CheckpointError(
            f"{len(body)} weights of the encoder are missing, {body[0]} the first", where=folder, fix="copy or fetch the folder again"
        )
    if mask >= model.get_input_embeddings().num_embeddings:
        raise CheckpointError(
            f"the mask token's number {mask} is outside the vocabulary of the weights", where=folder, fix="copy or fetch the folder again"
        )
    return MaskedModel(model, folder, tokenizer, mask, tuple(name for name in lacking if name in own))


def find_mask_token(folder: Path, tokenizer: SubwordTokenizer) -> int:
    """The id of the mask token that the folder names, or of a usual one; an encoder without one cannot learn hidden words."""
    named = None
    file = folder / "tokenizer_config.json"
    if file.is_file():
        named = json.loads(file.read_text(encoding="utf-8")).get("mask_token")
        named = named.get("content") if isinstance(named, dict) else named
    for name in (named, *_MASKS):
        found = tokenizer.backend.token_to_id(name) if isinstance(name, str) else None
        if found is not None:
            return int(found)
    raise CheckpointError(
        "its tokenizer has no mask token, so words cannot be hidden from it", where=folder, fix="use an encoder that has one"
    )


@dataclass(frozen=True, slots=True)
class Guess:
    """A word for a mask: as it reads, the token it is, and its probability."""

    word: str
    token: str
    probability: float


def fill_masks(masked: MaskedModel, text: str, *, top: int = 10) -> list[list[Guess]]:
    """For each mask of the text, the likeliest words, most probable first; each mask is filled with the others still hidden.

    ``[MASK]`` and ``<mask>`` are understood whatever the tokenizer's own mask token is called. Special tokens are left out: they
    are no words.
    """
    import torch

    if masked.fresh:
        raise CheckpointError(
            f"{masked.folder}: has no head for words ({masked.fresh[0]} is not in its weights), so what it filled in would be random; "
            "make one with incognote adapt, or name a masked language model"
        )
    ids, places = _encode(masked, text)
    backend = masked.tokenizer.backend
    special = sorted(number for number, token in backend.get_added_tokens_decoder().items() if token.special)
    masked.model.eval()
    with torch.inference_mode():
        logits = masked.model(input_ids=torch.tensor([ids])).logits[0, places].double()
        check_numbers(logits.numpy(), masked.folder)
        shares = logits.softmax(dim=-1)
        shares[:, [number for number in special if number < shares.shape[1]]] = -1.0
        shares[:, backend.get_vocab_size() :] = -1.0  # rows that pad the embeddings to a round number
        values, numbers = shares.topk(min(top, backend.get_vocab_size() - len(special)), dim=-1)
    return [
        [_guess(masked.tokenizer, number, share) for number, share in zip(row, scores, strict=True)]
        for row, scores in zip(numbers.tolist(), values.tolist(), strict=True)
    ]


def _encode(masked: MaskedModel, text: str) -> tuple[list[int], list[int]]:
    backend = masked.tokenizer.backend
    own = backend.id_to_token(masked.mask) or ""
    spellings = re.compile("|".join(re.escape(name) for name in dict.fromkeys((own, *_MASKS))))
    wanted = len(spellings.findall(text))
    if not wanted:
        raise ConfigError("text", ["there is no [MASK] in it; put one where a word is to be filled in"])
    if own not in {token.content for token in backend.get_added_tokens_decoder().values()}:
        backend.add_special_tokens([own])
    body: Sequence[int] = backend.encode(spellings.sub(lambda _: own, text), add_special_tokens=False).ids
    ids = [*masked.tokenizer.before, *body, *masked.tokenizer.after]
    if len(ids) > masked.limit:
        raise ConfigError("text", [f"it has {len(ids)} tokens and the model reads {masked.limit}; give less text around the mask"])
    places = np.flatnonzero(np.array(ids) == masked.mask).tolist()
    if len(places) != wanted:
        raise CheckpointError("its tokenizer does not keep the mask token whole", where=masked.folder, fix="copy or fetch the folder again")
    return ids, places


def _guess(tokenizer: SubwordTokenizer, number: int, share: float) -> Guess:
    token = tokenizer.backend.id_to_token(number) or ""
    # The piece of a word keeps its ## and a blank or half a character its own name, so that none looks like a whole word.
    read = token if token.startswith("##") else tokenizer.backend.decode([number], skip_special_tokens=False).strip()
    return Guess(read if read.strip("\ufffd") else token, token, share)
