"""The tokenizer a tagger learns with: the encoder's own, with a token for the line break where the recipe asks for one."""

from pathlib import Path
from typing import Any

import torch

from incognote.errors import ConfigError
from incognote.find.model.tokens import SubwordTokenizer, load_tokenizer

_MASKS = ("[MASK]", "<mask>")


def prepare_tokenizer(folder: Path, model: Any, *, newline: bool) -> SubwordTokenizer:
    """The tokenizer of the encoder in ``folder``; with ``newline``, a line break is added to it and a row for it to the model's embeddings.

    WordPiece treats a line break as a blank and drops it, but in clinical notes it ends a field. The new row starts as the
    mean of the others, which is close to what the model knows of any token.
    """
    tokenizer = load_tokenizer(folder)
    if newline and not _keeps_newlines(tokenizer.backend):
        _add_newline(tokenizer.backend, model)
    return tokenizer


def _add_newline(tokenizer: Any, model: Any) -> None:
    from tokenizers import AddedToken

    tokenizer.add_tokens([AddedToken("\n", normalized=False)])
    size, rows = tokenizer.get_vocab_size(), model.get_input_embeddings().num_embeddings
    if size > rows:
        model.resize_token_embeddings(size, mean_resizing=False)
        weight = model.get_input_embeddings().weight
        with torch.no_grad():
            weight[rows:] = weight[:rows].mean(dim=0)


def _keeps_newlines(tokenizer: Any) -> bool:
    return len(tokenizer.encode("a\nb", add_special_tokens=False).ids) > len(tokenizer.encode("a b", add_special_tokens=False).ids)


def find_mask(tokenizer: SubwordTokenizer) -> int:
    """The id of the mask token."""
    for name in _MASKS:
        found = tokenizer.backend.token_to_id(name)
        if found is not None:
            return int(found)
    raise ConfigError("recipe", ["token_masking: the tokenizer has no mask token; set it to 0"])
