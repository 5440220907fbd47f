"""Vocabulary pruning: fewer tokens, the same tokens for the same words, the same judgement."""

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.errors import CheckpointError, ConfigError
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.tensors import Tensors
from incognote.find.model.tokens import SubwordTokenizer, load_tokenizer
from incognote.lab.shrink.vocabulary import choose_tokens, count_tokens, prune_checkpoint, prune_tokenizer
from tests.fakes import random_texts, tiny_checkpoint

FAMILIES = ("roberta", "bert")
TEXTS = ("the quick brown fox", "the brown fox, the brown dog", "a quick dog; quick quick")


def train_tokenizer(kind: str) -> Any:
    """A small tokenizer of our own with real merges: byte BPE or WordPiece."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

    corpus = [*TEXTS, *(f"{one}{two}" for one in ("under", "over", "re", "un") for two in ("took", "taken", "taking", "stood"))] * 3
    if kind == "bpe":
        made = Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer: Any = trainers.BpeTrainer(vocab_size=400, show_progress=False, special_tokens=["<s>", "</s>"], initial_alphabet=alphabet)
        made.train_from_iterator(corpus, trainer)
        made.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0))
        return made
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=200, show_progress=False, special_tokens=["[UNK]", "[CLS]", "[SEP]"])
    made.train_from_iterator(corpus, trainer)
    made.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)])
    return made


def prune(backend: Any, texts: Sequence[str], size: int = 10_000) -> Any:
    from tokenizers import Tokenizer

    table = json.loads(backend.to_str())
    kept = choose_tokens(table, count_tokens(texts, SubwordTokenizer(backend, 0)), size=size)
    return Tokenizer.from_str(json.dumps(prune_tokenizer(table, kept)))


@pytest.fixture(scope="module", params=["bpe", "wordpiece"])
def backend(request: pytest.FixtureRequest) -> Any:
    return train_tokenizer(request.param)


def test_words_that_were_counted_are_cut_as_before(backend: Any) -> None:
    pruned = prune(backend, TEXTS)
    assert pruned.get_vocab_size() < backend.get_vocab_size()
    for text in (*TEXTS, "fox dog quick", "brown"):
        one, two = backend.encode(text), pruned.encode(text)
        assert (two.tokens, two.offsets, two.special_tokens_mask) == (one.tokens, one.offsets, one.special_tokens_mask)


def test_tokens_keep_their_order(backend: Any) -> None:
    pruned = prune(backend, TEXTS)
    new = sorted(pruned.get_vocab(), key=pruned.get_vocab().__getitem__)
    old = sorted((token for token in backend.get_vocab() if token in pruned.get_vocab()), key=backend.get_vocab().__getitem__)
    assert new == old


@given(st.text(max_size=30))
def test_any_text_can_still_be_written_in_byte_tokens(text: str) -> None:
    pruned = _small_bpe()
    assert pruned.decode(pruned.encode(text, add_special_tokens=False).ids) == text


@cache
def _small_bpe() -> Any:
    from tokenizers import decoders

    pruned = prune(train_tokenizer("bpe"), TEXTS, size=270)
    pruned.decoder = decoders.ByteLevel()
    return pruned


def test_size_is_kept_to_and_the_most_used_come_first(backend: Any) -> None:
    table = json.loads(backend.to_str())
    needed = len(choose_tokens(table, {}, size=10_000))
    counts = Counter(dict.fromkeys(backend.get_vocab().values(), 1))
    whole = next(number for token, number in backend.get_vocab().items() if token.endswith("quick"))
    counts[whole] = 1000
    kept = choose_tokens(table, counts, size=needed + 12)
    assert len(kept) <= needed + 12
    assert whole in kept


def test_a_size_below_the_alphabet_is_refused(backend: Any) -> None:
    with pytest.raises(ConfigError, match="size = 3"):
        choose_tokens(json.loads(backend.to_str()), {}, size=3)


def test_other_kinds_of_vocabulary_are_refused() -> None:
    with pytest.raises(CheckpointError, match="Unigram"):
        choose_tokens({"model": {"type": "Unigram"}}, {}, size=9)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_pruned_checkpoint_judges_counted_text_as_before(family: str, tmp_path: Path) -> None:
    source = tiny_checkpoint(tmp_path / "whole", family)
    texts = random_texts(3, [40, 200, 7])
    counts = count_tokens(texts, load_tokenizer(source))
    tokens = prune_checkpoint(source, tmp_path / "pruned", counts, size=10_000)
    config = json.loads((tmp_path / "pruned" / "config.json").read_text())
    assert config["vocab_size"] == tokens == load_tokenizer(tmp_path / "pruned").backend.get_vocab_size()
    assert tokens <= len(next(iter(value for name, value in Tensors(source).items() if "word_embeddings" in name)))
    one, two = (EncoderTagger(str(folder), device="cpu").scores(texts) for folder in (source, tmp_path / "pruned"))
    for before, after in zip(one, two, strict=True):
        np.testing.assert_array_equal(before.starts, after.starts)
        np.testing.assert_allclose(before.probabilities, after.probabilities, atol=1e-6)
