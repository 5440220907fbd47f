"""The tokenizer a tagger learns with: the encoder's own, with a token for the line break where the recipe asks for one."""

import json
from pathlib import Path
from typing import Any

import torch

from incognote.encoders.checkpoint import copy_tokenizer
from incognote.encoders.tokens import SubwordTokenizer, load_tokenizer
from incognote.errors import ConfigError

_MASKS = ("[MASK]", "<mask>")


def prepare_tokenizer(source: Path, target: Path, model: Any, *, newline: bool) -> None:
    """Copy the tokenizer to ``target``; with ``newline``, add a line break to it and a row for it to the model's embeddings.

    WordPiece treats a line break as a blank and drops it, but in clinical notes it ends a field. The new row starts as the
    mean of the others, which is close to what the model knows of any token.
    """
    copy_tokenizer(source, target)
    (target / "config.json").write_text(json.dumps({"pad_token_id": model.config.pad_token_id}), encoding="utf-8")
    if not newline:
        return
    from tokenizers import AddedToken

    tokenizer = load_tokenizer(target).backend
    if _keeps_newlines(tokenizer):
        return
    tokenizer.add_tokens([AddedToken("\n", normalized=False)])
    tokenizer.save(str(target / "tokenizer.json"))
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
