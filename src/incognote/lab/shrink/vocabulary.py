"""Vocabulary pruning: a checkpoint with only the tokens that a corpus uses, for small files, and the same tokens for the same words.

A word whose tokens are all kept is cut as before. In byte BPE a token is kept together with the tokens it is merged from, so every
merge that led to it is still there, and still the first to apply; WordPiece takes the longest piece, which is still the longest.
Single bytes and characters are always kept, so any text can still be written in tokens.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from incognote.errors import CheckpointError, ConfigError
from incognote.find.model.checkpoint import copy_tokenizer
from incognote.find.model.config import read_config
from incognote.find.model.tensors import SCALE, Tensors, write_tensors
from incognote.find.model.tokens import SubwordTokenizer, load_tokenizer

Table = dict[str, Any]
_CONTINUES = "##"
_AT_ONCE = 1000  # texts


def count_tokens(texts: Iterable[str], tokenizer: SubwordTokenizer) -> Counter[int]:
    """How often the texts use each token."""
    counts: Counter[int] = Counter()
    held: list[str] = []
    for text in texts:
        held.append(text)
        if len(held) == _AT_ONCE:
            counts.update(token for tokens in tokenizer.tokenize(held) for token in tokens.ids.tolist())
            held = []
    counts.update(token for tokens in tokenizer.tokenize(held) for token in tokens.ids.tolist())
    return counts


def choose_tokens(table: Table, counts: Mapping[int, int], *, size: int) -> list[int]:
    """The ids to keep, in their order: those that must be, then the most used with what they are merged from, up to ``size``."""
    parts = _parts_of(table)
    kept = _needed(table)
    if len(kept) > size:
        raise ConfigError("vocabulary", [f"size = {size}: single characters and special tokens alone are {len(kept)}"])
    for token, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        wanted = _close(token, parts) - kept
        if len(kept) + len(wanted) <= size:
            kept |= wanted
    return sorted(kept)


def _close(token: int, parts: Mapping[int, tuple[int, int]]) -> set[int]:
    """The token, what it is merged from, what these are merged from, and so on."""
    found, waiting = set[int](), [token]
    while waiting:
        token = waiting.pop()
        if token not in found:
            found.add(token)
            waiting += parts.get(token, ())
    return found


def _parts_of(table: Table) -> dict[int, tuple[int, int]]:
    model = table["model"]
    if model["type"] == "WordPiece":
        return {}
    if model["type"] != "BPE":
        raise CheckpointError(f"a vocabulary of the kind {model['type']} cannot be pruned; byte BPE and WordPiece can")
    vocab = model["vocab"]
    return {vocab[left + right]: (vocab[left], vocab[right]) for left, right in map(_pair, model["merges"])}


def _pair(merge: str | Sequence[str]) -> tuple[str, str]:
    """Both ways in which a merge is written: "a b" and ["a", "b"]."""
    left, right = merge.split(" ", 1) if isinstance(merge, str) else merge
    return left, right


def _needed(table: Table) -> set[int]:
    """Special tokens, the unknown token, and all single bytes or characters."""
    model = table["model"]
    needed = {token["id"] for token in table.get("added_tokens", ())}
    needed.update(number for token, number in model["vocab"].items() if len(token.removeprefix(_CONTINUES)) == 1 or len(token) == 1)
    if (unknown := model.get("unk_token")) in model["vocab"]:
        needed.add(model["vocab"][unknown])
    return needed


def prune_tokenizer(table: Table, kept: Sequence[int]) -> Table:
    """The content of a ``tokenizer.json`` with these tokens only, renumbered in the same order."""
    numbers = {old: new for new, old in enumerate(kept)}
    model = dict(table["model"])
    model["vocab"] = {token: numbers[old] for token, old in model["vocab"].items() if old in numbers}
    if "merges" in model:
        model["merges"] = [merge for merge in model["merges"] if _is_kept(*_pair(merge), model["vocab"])]
    added = [{**token, "id": numbers[token["id"]]} for token in table.get("added_tokens", ())]
    names = {token["content"]: token["id"] for token in added}
    pruned = {**table, "model": model, "added_tokens": added}
    return pruned | {"post_processor": _renumber(table.get("post_processor"), names)}


def _is_kept(left: str, right: str, vocab: Mapping[str, int]) -> bool:
    return left in vocab and right in vocab and left + right in vocab


def _renumber(value: Any, names: Mapping[str, int]) -> Any:
    """A post-processor with the new numbers of its special tokens, whichever of its forms it has."""
    if isinstance(value, list):
        if len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], int):
            return [value[0], names[value[0]]]
        return [_renumber(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("ids"), list) and isinstance(value.get("tokens"), list):
        return {**value, "ids": [names[token] for token in value["tokens"]]}
    return {key: _renumber(item, names) for key, item in value.items()}


def prune_checkpoint(source: Path, target: Path, counts: Mapping[int, int], *, size: int) -> int:
    """Write the checkpoint at ``source`` to ``target`` with at most ``size`` tokens, the most used in ``counts``; returns how many."""
    config = read_config(source)
    target.mkdir(parents=True, exist_ok=True)
    copy_tokenizer(source, target)
    for name in ("vocab.txt", "vocab.json", "merges.txt", "added_tokens.json"):
        (target / name).unlink(missing_ok=True)  # tokenizer.json holds it all
    file = target / "tokenizer.json"
    table = json.loads(file.read_text(encoding="utf-8"))
    kept = choose_tokens(table, counts, size=size)
    file.write_text(json.dumps(prune_tokenizer(table, kept), ensure_ascii=False), encoding="utf-8")
    whole, rows = Tensors(source), int(config["vocab_size"])
    tensors = {}
    for name in whole:
        for part in (name, *([name + SCALE] if whole.quantized(name) else [])):
            values = whole.raw(part)
            tensors[part] = values[kept] if values.shape[:1] == (rows,) else values
    write_tensors(target / "model.safetensors", tensors, metadata={"format": "pt"})
    numbers = {old: new for new, old in enumerate(kept)}
    ids = {key: numbers.get(value) for key, value in config.items() if key.endswith("_token_id") and isinstance(value, int)}
    (target / "config.json").write_text(json.dumps({**config, **ids, "vocab_size": len(kept)}, indent=2) + "\n", encoding="utf-8")
    load_tokenizer(target)  # reads back, or says what is wrong
    return len(kept)
