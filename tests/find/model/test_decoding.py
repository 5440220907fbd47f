import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from incognote.document import Span, bio_tags, scheme
from incognote.find.model.decoding import Scores, decode, link_pieces, visible_scores
from incognote.find.model.grammar import MIXED_WORD, NEW_WORD, SAME_WORD, grammar_of
from incognote.find.model.tokens import Tokens
from incognote.find.model.viterbi import best_path, viterbi

BIO = bio_tags(["AGE", "DATE"])
BILOU = ("O", "B-AGE", "I-AGE", "L-AGE", "U-AGE")
LAME = ("B-ZIP", "I-STREET", "B-AGE", "I-AGE", "O")
PLAIN = ("O", "AGE", "LOCATION-OTHER")

# Whole numbers, so that sums are exact and ties are real ties.
grids = st.tuples(st.sampled_from([BIO, BILOU, LAME, PLAIN]), st.integers(1, 5)).flatmap(
    lambda pair: st.tuples(
        st.just(pair[0]),
        hnp.arrays(np.float64, (pair[1], len(pair[0])), elements=st.integers(-9, 0).map(float)),
        hnp.arrays(np.int8, pair[1], elements=st.integers(0, 2)),
    )
)


def _allowed(tags, path, places):
    """The rules written out, one tag at a time, as an oracle."""

    def parts(tag):
        if tag == "O":
            return "O", ""
        return (tag[0], tag[2:]) if tag[1:2] == "-" else ("I", tag)

    def has(prefixes, label):
        return any(parts(tag) == (prefix, label) for prefix in prefixes for tag in tags)

    before = ("O", "")
    for at, number in enumerate([*path, None]):
        prefix, label = ("O", "") if number is None else parts(tags[number])
        same = before[1] == label and before[0] in "BI" and prefix != "O"
        goes_on = same and (prefix in "IL" or (prefix == "B" and not has("IL", label)))
        if not goes_on:
            if before[0] in "BI" and has("L", before[1]):
                return False
            if prefix == "L" or (prefix == "I" and has("B", label)):
                return False
        cuts_word = number is not None and at and places[at] != NEW_WORD and not goes_on and (before[0] != "O" or prefix != "O")
        if cuts_word and not (places[at] == MIXED_WORD and "AGE" in (before[1], label)):
            return False
        before = (prefix, label)
    return True


@settings(max_examples=300, deadline=None)
@given(grids)
def test_the_path_is_allowed_and_no_allowed_path_is_likelier(case):
    tags, logs, places = case
    path = best_path(logs, grammar_of(tags, frozenset({"AGE"})), places)
    assert _allowed(tags, path, places)
    best = max(
        sum(logs[at, number] for at, number in enumerate(other))
        for other in product(range(len(tags)), repeat=len(logs))
        if _allowed(tags, other, places)
    )
    assert logs[np.arange(len(logs)), path].sum() == best


@pytest.mark.parametrize("tags", [BIO, BILOU, scheme("meaney-2022").tags])
@pytest.mark.parametrize("sharpness", [0.3, 2.0, 8.0])
def test_searching_only_the_faults_equals_searching_everything(tags, sharpness):
    random = np.random.default_rng(7)
    grammar = grammar_of(tags)
    for _ in range(20):
        logs = random.normal(0, sharpness, (200, len(tags)))
        places = random.choice(3, 200, p=[0.6, 0.3, 0.1]).astype(np.int8)
        ours = best_path(logs, grammar, places)
        full = viterbi(logs, grammar, places, grammar.opens, grammar.closes)
        rows = np.arange(200)
        assert logs[rows, ours].sum() == pytest.approx(logs[rows, full].sum(), abs=1e-9)


def _scores(text, tags, pieces):
    """Pieces given as (text, {tag: probability}), found in the text one after the other; the rest goes to O."""
    starts, ends, rows, at = [], [], [], 0
    for piece, chances in pieces:
        at = text.index(piece, at)
        starts.append(at)
        at += len(piece)
        ends.append(at)
        row = [chances.get(tag, 0.0) for tag in tags]
        row[tags.index("O")] = 1 - sum(chances.values())
        rows.append(row)
    return Scores(np.array(starts, np.int32), np.array(ends, np.int32), np.array(rows, np.float32))


def test_subwords_that_disagree_are_settled_by_the_whole_word():
    text = "on Maydora 3"
    scores = _scores(text, BIO, [("on", {}), ("May", {"B-DATE": 0.55}), ("dora", {"I-DATE": 0.05}), ("3", {"B-AGE": 0.9})])
    assert decode(text, scores, BIO) == (Span(11, 12, "AGE"),)
    assert decode(text, scores, BIO, whole_words=False) == (Span(3, 6, "DATE"), Span(11, 12, "AGE"))


def test_an_age_may_end_inside_a_word_and_nothing_else_may():
    text = "a 67yo 67yo"
    age, date = {"B-AGE": 0.9}, {"B-DATE": 0.9}
    scores = _scores(text, BIO, [("a", {}), ("67", age), ("yo", {"I-AGE": 0.1}), ("67", date), ("yo", {"I-DATE": 0.2})])
    assert decode(text, scores, BIO) == (Span(2, 4, "AGE"), Span(7, 11, "DATE"))


def test_a_stray_inside_tag_begins_its_span_properly():
    text = "3 May"
    scores = _scores(text, BIO, [("3", {"I-DATE": 0.6, "B-DATE": 0.3}), ("May", {"I-DATE": 0.9})])
    assert decode(text, scores, BIO) == (Span(0, 5, "DATE"),)


def test_the_score_is_the_mean_probability_of_phi_of_any_label_and_the_source_is_kept():
    text = "3 May"
    scores = _scores(text, BIO, [("3", {"B-AGE": 0.2, "B-DATE": 0.6}), ("May", {"I-DATE": 0.9})])
    (span,) = decode(text, scores, BIO, source="model.tiny")
    assert span.score == pytest.approx(0.85)
    assert span.source == "model.tiny"


def test_the_score_makes_up_for_a_model_that_leans():
    scores = _scores("May", BIO, [("May", {"B-DATE": 0.8})])
    (span,) = decode("May", scores, BIO, recall_bias=math.log(4))
    assert span.score == pytest.approx(0.5)


def test_neighbours_of_one_label_stay_two_spans_where_the_second_begins():
    text = "May June"
    scores = _scores(text, BIO, [("May", {"B-DATE": 0.9}), ("June", {"B-DATE": 0.8, "I-DATE": 0.1})])
    assert decode(text, scores, BIO) == (Span(0, 3, "DATE"), Span(4, 8, "DATE"))


def test_a_label_that_has_one_tag_only_makes_one_span_of_a_run():
    text = "12 Main 02139 02140"
    one, zips = {"I-STREET": 0.9}, {"B-ZIP": 0.9}
    scores = _scores(text, LAME, [("12", one), ("Main", one), ("02", zips), ("139", zips), ("02140", {})])
    assert decode(text, scores, LAME) == (Span(0, 7, "STREET"), Span(8, 13, "ZIP"))


def test_spans_are_widened_over_accents_that_no_token_covers():
    text = "seen Jose\u0301 today"
    scores = _scores(text, BIO, [("seen", {}), ("Jose", {"B-DATE": 0.9}), ("today", {})])
    assert decode(text, scores, BIO) == (Span(5, 10, "DATE"),)


def test_blanks_and_repeats_are_cut_off_the_pieces():
    text = " Ann\n\U0001f600 x"
    tokens = Tokens(np.arange(6, dtype=np.int32), np.array([0, 4, 5, 5, 6, 7], np.int32), np.array([4, 5, 6, 6, 8, 8], np.int32))
    scores = visible_scores(text, tokens, np.arange(6, dtype=np.float32)[:, None])
    assert list(zip(scores.starts, scores.ends, strict=True)) == [(1, 4), (5, 6), (7, 8)]
    assert scores.probabilities[:, 0].tolist() == [0, 2, 4]


def test_a_word_goes_on_over_letters_digits_and_accents_only():
    text = "3May-Lée"
    scores = _scores(text, ("O",), [("3", {}), ("May", {}), ("-", {}), ("L", {}), ("ée", {})])
    assert link_pieces(text, scores).tolist() == [NEW_WORD, MIXED_WORD, NEW_WORD, NEW_WORD, SAME_WORD]


def test_a_note_without_tokens_has_no_spans():
    empty = np.zeros(0, np.int32)
    assert decode(" ", visible_scores(" ", Tokens(empty, empty, empty), np.zeros((0, 5), np.float32)), BIO) == ()


def test_a_word_shared_by_an_age_and_another_span_is_never_covered_twice():
    tags = bio_tags(["AGE", "DATE"])
    likely = np.full((3, len(tags)), 0.01, dtype=np.float32)
    for row, tag in enumerate(("O", "B-AGE", "B-DATE")):
        likely[row, tags.index(tag)] = 0.9
    scores = Scores(np.array([0, 2, 3], np.int32), np.array([2, 3, 9], np.int32), likely)
    assert decode("T-7June23", scores, tags) == (Span(2, 3, "AGE"), Span(3, 9, "DATE"))


def test_a_note_without_phi_has_no_spans():
    assert decode("all well", _scores("all well", BIO, [("all", {}), ("well", {})]), BIO) == ()
