import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from incognote.find.model.tokens import SubwordTokenizer, Tokens, load_tokenizer
from incognote.lab.training.tasks.masking import (
    NO_WORD,
    Sample,
    Vocabulary,
    cut_samples,
    fill_hidden,
    hide_words,
    number_words,
    read_vocabulary,
)
from tests.fakes import random_texts, tiny_tokenizer

KINDS = {"bert": "[MASK]", "roberta": "<mask>", "albert": "<mask>"}  # WordPiece, byte BPE, SentencePiece
TEXT = "Ann Núñez, aged 47: discharged 12/31/2020\n\nto St. Mary's; denies\tnausea_x.  José 😀 vomited."


@pytest.fixture(scope="module", params=list(KINDS))
def tokenizer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> SubwordTokenizer:
    folder: Path = tmp_path_factory.mktemp(request.param)
    tiny_tokenizer(request.param, folder)
    return load_tokenizer(folder)


def vocabulary_of(tokenizer: SubwordTokenizer) -> Vocabulary:
    found = (tokenizer.backend.token_to_id(name) for name in KINDS.values())
    return read_vocabulary(tokenizer, next(number for number in found if number is not None))


def words_of(tokens: Tokens, text: str) -> dict[int, list[int]]:
    """An oracle: for each word of a regular expression, the tokens that hold a visible character of it."""
    found = defaultdict(list)
    for number, word in enumerate(re.finditer(r"\w+|[^\w\s]", text)):
        for at, (start, end) in enumerate(zip(tokens.starts, tokens.ends, strict=True)):
            if max(start, word.start()) < min(end, word.end()):
                found[number].append(at)
    return found


def test_a_word_is_hidden_whole_or_not_at_all_by_every_tokenizer(tokenizer: SubwordTokenizer) -> None:
    vocabulary = vocabulary_of(tokenizer)
    tokens = tokenizer.tokenize([TEXT])[0]
    words = number_words(TEXT, tokens, vocabulary.special)
    (sample,) = cut_samples([tokens], [words], tokenizer, room=500, pack=True)
    oracle = words_of(tokens, TEXT)
    assert any(len(members) > 1 for members in oracle.values())
    for seed in range(40):
        hidden = hide_words(sample, vocabulary, np.random.default_rng(seed), share=0.15)
        places = set((hidden.places - len(tokenizer.before)).tolist())
        for members in oracle.values():
            learnable = {at for at in members if tokens.ids[at] not in vocabulary.special}
            assert not learnable & places or learnable <= places


def test_words_are_those_of_the_text_whatever_the_tokenizer(tokenizer: SubwordTokenizer) -> None:
    text = "Ann was seen by Dr. Omar Diaz on 3 May 2021"
    tokens = tokenizer.tokenize([text])[0]
    words = number_words(text, tokens, vocabulary_of(tokenizer).special)
    # A tokenizer may join a sign to the word before it ("r."), never two words.
    assert words.max() + 1 in (11, 12)
    assert (np.diff(words[words != NO_WORD]) >= 0).all()


def test_blanks_and_special_tokens_are_never_hidden(tokenizer: SubwordTokenizer) -> None:
    vocabulary = vocabulary_of(tokenizer)
    mask = tokenizer.backend.id_to_token(vocabulary.mask)
    text = f"Ann {mask} Lee \n\n  was"
    tokens = tokenizer.tokenize([text])[0]
    words = number_words(text, tokens, vocabulary.special)
    for at in range(len(tokens)):
        blank = not text[tokens.starts[at] : tokens.ends[at]].strip()
        assert (words[at] == NO_WORD) == (blank or int(tokens.ids[at]) in vocabulary.special)


def test_the_byte_pieces_of_one_character_are_one_word(tmp_path: Path) -> None:
    tiny_tokenizer("roberta", tmp_path)
    tokens = load_tokenizer(tmp_path).tokenize(["😀 😀"])[0]
    assert len(tokens) > 2
    assert len(set(number_words("😀 😀", tokens).tolist()) - {NO_WORD}) == 2


def test_signs_of_scripts_without_blanks_are_words_of_their_own() -> None:
    tokens = Tokens(np.arange(3), np.arange(3), np.arange(1, 4))
    assert number_words("患者名", tokens).tolist() == [0, 1, 2]


def test_no_tokens_are_no_words() -> None:
    none = np.zeros(0, dtype=np.int32)
    assert number_words("", Tokens(none, none, none)).tolist() == []


@pytest.mark.parametrize("pack", [True, False])
def test_windows_hold_every_token_once_and_cut_no_word(tokenizer: SubwordTokenizer, pack: bool) -> None:
    texts = random_texts(3, [1, 90, 0, 7, 200, 3, 12, 41])
    notes = tokenizer.tokenize(texts)
    vocabulary = vocabulary_of(tokenizer)
    words = [number_words(text, note, vocabulary.special) for text, note in zip(texts, notes, strict=True)]
    samples = cut_samples(notes, words, tokenizer, room=40, pack=pack)
    assert max(map(len, samples)) <= 40 + tokenizer.specials
    assert sum(len(sample.notes) > 1 for sample in samples) == 0 or pack
    assert sum(int((sample.words != NO_WORD).sum()) for sample in samples) == sum(int((each != NO_WORD).sum()) for each in words)
    assert sum(len(set(sample.words.tolist()) - {NO_WORD}) for sample in samples) == sum(len(set(e.tolist()) - {NO_WORD}) for e in words)


def test_packing_fills_windows_and_parts_notes_with_special_tokens(tmp_path: Path) -> None:
    tiny_tokenizer("bert", tmp_path)
    tokenizer = load_tokenizer(tmp_path)
    texts = ["Ann was seen"] * 12
    notes = tokenizer.tokenize(texts)
    words = [number_words(text, note) for text, note in zip(texts, notes, strict=True)]
    samples = cut_samples(notes, words, tokenizer, room=40, pack=True)
    assert len(samples) < 12 / 2
    for sample in samples:
        border = (*tokenizer.after, *tokenizer.before)
        pairs = list(zip(sample.ids.tolist(), sample.ids.tolist()[1:], strict=False))
        assert pairs.count(border) == len(sample.notes) - 1
        # Equal words of two notes are two words.
        assert sample.words.max() + 1 == 3 * len(sample.notes)


def test_a_word_longer_than_a_window_is_still_read() -> None:
    class Plain:
        before: tuple[int, ...] = ()
        after: tuple[int, ...] = ()
        specials = 0

    tokens = Tokens(np.arange(10, dtype=np.int32), np.arange(10), np.arange(1, 11))
    samples = cut_samples([tokens], [np.zeros(10, dtype=np.int32)], Plain(), room=4, pack=False)
    assert [len(sample) for sample in samples] == [4, 4, 2]


def test_of_hidden_words_eight_tenths_are_masked_a_tenth_random_a_tenth_kept() -> None:
    ids = np.arange(100, 1100, dtype=np.int32)
    sample = Sample(ids, np.arange(1000, dtype=np.int32) // 2, (0,))
    vocabulary = Vocabulary(4, frozenset({4}), np.arange(5, 99, dtype=np.int32))
    masked = random = kept = 0
    for seed in range(60):
        hidden = hide_words(sample, vocabulary, np.random.default_rng(seed), share=0.15)
        assert len(hidden.places) == 150
        assert (hidden.labels == ids[hidden.places]).all()
        shown = hidden.ids[hidden.places]
        untouched = np.delete(np.arange(1000), hidden.places)
        assert (hidden.ids[untouched] == ids[untouched]).all()
        masked += int((shown == 4).sum())
        kept += int((shown == hidden.labels).sum())
        random += int((shown < 99).sum() - (shown == 4).sum())
    total = 60 * 150
    assert masked + kept + random == total
    assert [masked / total, random / total, kept / total] == pytest.approx([0.8, 0.1, 0.1], abs=0.02)


def test_plainly_hidden_words_are_all_masked_and_at_least_one_is() -> None:
    sample = Sample(np.array([7, 8, 9], dtype=np.int32), np.array([NO_WORD, 0, NO_WORD], dtype=np.int32), (0,))
    vocabulary = Vocabulary(4, frozenset(), np.arange(5, 99, dtype=np.int32))
    for seed in range(20):
        hidden = hide_words(sample, vocabulary, np.random.default_rng(seed), share=0.01, plainly=True)
        assert hidden.ids.tolist() == [7, 4, 9]
        assert hidden.labels.tolist() == [8]
        ids, mask, places, labels = fill_hidden([hidden, hidden], pad=0)
        assert (ids.shape, mask.all(), places.tolist(), labels.tolist()) == ((2, 3), True, [[1], [1]], [[8], [8]])


def test_no_note_text_is_in_a_repr() -> None:
    sample = Sample(np.array([7]), np.array([0]), (0,))
    assert "7" not in repr(sample)
