"""No note ever fails to align: spans come back from BIO tags whatever tokenizer cut the text."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from incognote.document import Document, Piece, Span, cut_pieces, fit_tag, scheme, spans_to_tags, tags_to_spans, word_tokens
from tests.strategies import documents, texts

SAMPLE = ["abc XYZ 019 Ann Lee, 3May Mr. X-Y é ñ ß 中 م 😀 called 019-abc/XYZ 'abc'", "the note of Ann Lee, seen on 03/05/2067"] * 3

Cut = Callable[[str], list[tuple[int, int]]]


def _cut_with(tokenizer: Tokenizer) -> Cut:
    return lambda text: list(tokenizer.encode(text).offsets)


def _wordpiece(*, lowercase: bool) -> Cut:
    """BERT's: control characters dropped and, uncased, accents stripped, so some characters have no token."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase, strip_accents=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(
        SAMPLE, trainers.WordPieceTrainer(vocab_size=90, special_tokens=["[UNK]", "[CLS]", "[SEP]"], show_progress=False)
    )
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)])
    return _cut_with(tokenizer)


def _byte_bpe(*, trim: bool, prefix: bool) -> Cut:
    """RoBERTa's: an emoji is several tokens with the same offsets, and the blank before a word may be in its token."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=300, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator(SAMPLE, trainer)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=trim)
    return _cut_with(tokenizer)


def _unigram(*, metaspace: bool) -> Cut:
    """SentencePiece's: NFKC changes characters, blanks become ▁ inside tokens, and unknown runs are one token."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace("  ", " ")])
    if metaspace:
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    trainer = trainers.UnigramTrainer(vocab_size=80, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False)
    tokenizer.train_from_iterator(SAMPLE, trainer)
    return _cut_with(tokenizer)


CUTS: dict[str, Cut] = {
    "words": word_tokens,
    "no tokens at all": lambda text: [],
    "the whole text": lambda text: [(0, len(text))],
    "WordPiece, uncased": _wordpiece(lowercase=True),
    "WordPiece, cased": _wordpiece(lowercase=False),
    "byte BPE": _byte_bpe(trim=True, prefix=False),
    "byte BPE with blanks in tokens": _byte_bpe(trim=False, prefix=True),
    "Unigram": _unigram(metaspace=True),
    "Unigram across words": _unigram(metaspace=False),
}


@pytest.mark.parametrize("name", CUTS)
@settings(max_examples=150, deadline=None)
@given(document=documents())
def test_spans_come_back_from_bio_tags(name: str, document: Document) -> None:
    pieces = cut_pieces(document.text, CUTS[name](document.text), document.spans)
    assert tags_to_spans(pieces, spans_to_tags(pieces, document.spans)) == document.spans


@pytest.mark.parametrize("name", CUTS)
@settings(max_examples=80, deadline=None)
@given(document=documents())
def test_each_visible_character_is_in_exactly_one_piece(name: str, document: Document) -> None:
    pieces = cut_pieces(document.text, CUTS[name](document.text), document.spans)
    covered = [at for piece in pieces for at in range(piece.start, piece.end)]
    assert covered == sorted(set(covered))
    assert set(covered) >= {at for at, character in enumerate(document.text) if not character.isspace()}
    for piece in pieces:
        assert not document.text[piece.start].isspace()
        assert not document.text[piece.end - 1].isspace()


@pytest.mark.parametrize("name", CUTS)
@settings(max_examples=80, deadline=None)
@given(text=texts)
def test_a_piece_lies_in_its_token(name: str, text: str) -> None:
    tokens = CUTS[name](text)
    for piece in cut_pieces(text, tokens):
        if piece.token >= 0:
            start, end = tokens[piece.token]
            assert start <= piece.start < piece.end <= end


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 5)), max_size=8), documents(min_size=17))
def test_tokens_in_any_order_or_overlapping_never_lose_a_character(sizes: list[tuple[int, int]], document: Document) -> None:
    tokens = [(start, start + size) for start, size in sizes]
    pieces = cut_pieces(document.text, tokens, document.spans)
    assert tags_to_spans(pieces, spans_to_tags(pieces, document.spans)) == document.spans


def test_a_gold_edge_inside_a_token_cuts_it() -> None:
    text = "Ann3May"
    pieces = cut_pieces(text, [(0, 7)], [Span(3, 4, "AGE")])
    assert pieces == [Piece(0, 3, 0), Piece(3, 4, 0), Piece(4, 7, 0)]


def test_what_a_tokenizer_drops_is_a_piece_without_token() -> None:
    assert cut_pieces("a\u200db", [(0, 1), (2, 3)]) == [Piece(0, 1, 0), Piece(1, 2, -1), Piece(2, 3, 1)]


def test_several_tokens_of_one_character_are_one_piece() -> None:
    assert cut_pieces("😀", [(0, 1), (0, 1), (0, 1)]) == [Piece(0, 1, 0)]


def test_touching_spans_of_one_label_stay_two() -> None:
    spans = (Span(0, 2, "DATE"), Span(2, 4, "DATE"))
    pieces = cut_pieces("0102", [(0, 4)], spans)
    assert spans_to_tags(pieces, spans) == ["B-DATE", "B-DATE"]
    assert tags_to_spans(pieces, ["B-DATE", "B-DATE"]) == spans


def test_another_label_without_its_begin_tag_still_begins_a_span() -> None:
    pieces = [Piece(0, 1, 0), Piece(2, 3, 1), Piece(4, 5, 2)]
    assert tags_to_spans(pieces, ["B-DATE", "I-AGE", "O"]) == (Span(0, 1, "DATE"), Span(2, 3, "AGE"))


@given(documents(labels=("STREET", "ZIP", "PATIENT")))
def test_the_papers_tags_keep_every_piece_of_a_span_marked(document: Document) -> None:
    allowed = frozenset(scheme("meaney-2022").tags)
    pieces = cut_pieces(document.text, word_tokens(document.text), document.spans)
    for tag in spans_to_tags(pieces, document.spans):
        fitted = fit_tag(tag, allowed)
        assert fitted in allowed
        assert fitted[2:] == tag[2:]


def test_a_label_that_a_tag_set_lacks_is_outside() -> None:
    assert fit_tag("B-ROOM", frozenset({"O", "B-AGE"})) == "O"
