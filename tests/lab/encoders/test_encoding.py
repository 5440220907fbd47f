import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from incognote.document import Document, Span, bio_tags, cut_pieces, fit_tag, parse_markup, scheme, spans_to_tags
from incognote.errors import LabelError
from incognote.find.model.tokens import load_tokenizer
from incognote.lab.encoders.encoding import encode_notes
from tests.fakes import FAMILIES, LABELS
from tests.strategies import documents

TAGS = bio_tags(LABELS)


@pytest.mark.parametrize("family", FAMILIES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(document=documents(min_size=1))
def test_a_token_takes_the_tag_of_its_first_labelled_piece(tiny, family, document):
    note = encode_notes([document], load_tokenizer(tiny(family)), TAGS)[0]
    offsets = list(zip(note.tokens.starts.tolist(), note.tokens.ends.tolist(), strict=True))
    pieces = cut_pieces(document.text, offsets, document.spans)
    tags = spans_to_tags(pieces, document.spans)
    first: dict[int, str] = {}
    for piece, tag in zip(pieces, tags, strict=True):
        if piece.token >= 0 and first.get(piece.token, "O") == "O":
            first[piece.token] = tag
    for token, tag in first.items():
        ours = TAGS[note.tags[token]]
        # The pieces know of characters that no token covers, so there alone a span may begin before its first token.
        assert ours[1:] == tag[1:], (token, tag)


@pytest.mark.parametrize("family", FAMILIES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(document=documents(min_size=1))
def test_the_tags_keep_the_grammar_and_begin_no_span_twice(tiny, family, document):
    note = encode_notes([document], load_tokenizer(tiny(family)), TAGS)[0]
    before = "O"
    for number in note.tags:
        tag = TAGS[number]
        assert not tag.startswith("I-") or before[2:] == tag[2:]
        before = tag
    begun = sum(TAGS[number].startswith("B-") for number in note.tags)
    assert begun <= len(document.spans)


def test_every_subword_and_the_line_break_inside_a_span_are_labelled(tiny):
    document = parse_markup("seen <CITY>New\nYork</CITY>\n<DATE>3 May</DATE>")
    note = encode_notes([document], load_tokenizer(tiny("roberta")), TAGS)[0]
    spelled = [
        (document.text[start:end], TAGS[tag])
        for start, end, tag in zip(note.tokens.starts, note.tokens.ends, note.tags, strict=True)
        if TAGS[tag] != "O"
    ]
    assert "".join(text for text, tag in spelled if tag.endswith("CITY")).strip() == "New\nYork"
    assert [tag for _, tag in spelled if tag.startswith("B-")] == ["B-CITY", "B-DATE"]
    assert ("\n", "I-CITY") in spelled


def test_a_tag_set_without_one_of_the_twins_uses_the_other(tiny):
    tags = scheme("meaney-2022").tags
    document = parse_markup("at <STREET>12 Main Street</STREET>, <ZIP>02139</ZIP>")
    note = encode_notes([document], load_tokenizer(tiny("bert")), tags)[0]
    assert {tags[number] for number in note.tags} == {"O", "I-STREET", "B-ZIP"}
    assert fit_tag("I-ZIP", frozenset(tags)) == "B-ZIP"


def test_labels_that_the_model_lacks_are_all_named_and_the_text_is_not(tiny):
    notes = [
        Document("n1", "secret one", spans=(Span(0, 6, "HOBBY"),)),
        Document("n2", "secret two", spans=(Span(0, 6, "PET"), Span(7, 10, "AGE"))),
    ]
    with pytest.raises(LabelError, match=r"HOBBY \(document n1\), PET \(document n2\)") as caught:
        encode_notes(notes, load_tokenizer(tiny("bert")), TAGS)
    assert "secret" not in str(caught.value)


def test_an_empty_note_has_no_tokens(tiny):
    notes = encode_notes([Document("n", ""), Document("m", " \n")], load_tokenizer(tiny("bert")), TAGS)
    assert [len(note) for note in notes] == [0, 0]
    assert notes[0].tags.dtype == np.int32
