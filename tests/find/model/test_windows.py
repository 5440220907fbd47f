import itertools
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.errors import ConfigError
from incognote.find.model.tokens import SubwordTokenizer, Tokens, load_tokenizer
from incognote.find.model.windows import STEP, Window, batch_windows, cut_windows, fill_batch, gather_scores
from tests.fakes import FAMILIES

rooms = st.integers(1, 40).flatmap(lambda room: st.tuples(st.just(room), st.integers(0, room - 1)))


def _note(length: int) -> Tokens:
    numbers = np.arange(length, dtype=np.int32)
    return Tokens(numbers + 100, numbers, numbers + 1)


@given(st.lists(st.integers(0, 300), max_size=5), rooms)
def test_each_token_is_judged_by_exactly_one_window_that_holds_it(lengths, shape):
    room, overlap = shape
    judged = [[0] * length for length in lengths]
    for window in cut_windows(lengths, room=room, overlap=overlap):
        assert 0 < len(window) <= room
        assert window.start <= window.first < window.last <= window.end <= lengths[window.note]
        for token in range(window.first, window.last):
            judged[window.note][token] += 1
    assert all(count == 1 for note in judged for count in note)


@given(st.lists(st.integers(0, 3000), max_size=3), st.integers(1, 320), st.integers(0, 160))
def test_windows_that_are_not_full_judge_each_token_once_and_share_the_overlap(lengths, room, overlap):
    overlap = min(overlap, room - 1)
    windows = cut_windows(lengths, room=room, overlap=overlap, full=False)
    for number, length in enumerate(lengths):
        own = [window for window in windows if window.note == number]
        assert [token for window in own for token in range(window.first, window.last)] == list(range(length))
        assert all(window.start <= window.first < window.last <= window.end and len(window) <= room for window in own)
        assert all(before.end - after.start >= overlap for before, after in itertools.pairwise(own))
        assert sum(map(len, own)) < length + max(0, len(own) - 1) * overlap + STEP
        if len(own) > 1 and room - overlap > 4 * STEP:
            assert {(room - len(window)) % STEP for window in own} == {0}


@given(st.integers(1, 300), rooms)
def test_the_judging_window_is_the_one_with_most_context(length, shape):
    room, overlap = shape
    windows = cut_windows([length], room=room, overlap=overlap)

    def context(window: Window, token: int) -> int:
        return min(token - window.start, window.end - 1 - token)

    for window in windows:
        for token in range(window.first, window.last):
            best = max(context(other, token) for other in windows if other.start <= token < other.end)
            assert context(window, token) == best


@given(st.integers(0, 500), rooms)
def test_neighbours_share_the_wanted_overlap_and_no_window_is_needless(length, shape):
    room, overlap = shape
    windows = cut_windows([length], room=room, overlap=overlap)
    for before, after in itertools.pairwise(windows):
        assert before.end - after.start >= overlap
    if len(windows) > 1:
        assert (len(windows) - 1) * (room - overlap) + overlap < length


@given(st.lists(st.integers(0, 120), max_size=5), rooms)
def test_scores_come_back_in_the_order_of_the_tokens(lengths, shape):
    room, overlap = shape
    windows = cut_windows(lengths, room=room, overlap=overlap)
    scored = [(window, np.arange(window.start, window.end, dtype=np.float32)[:, None] + 1000 * window.note) for window in windows]
    notes = list(gather_scores(scored, lengths, columns=1))
    assert sorted(number for number, _ in notes) == list(range(len(lengths)))
    for number, scores in notes:
        assert scores[:, 0].tolist() == [1000 * number + token for token in range(lengths[number])]


@given(st.lists(st.integers(1, 60), max_size=30), st.integers(10, 200))
def test_batches_hold_every_window_once_within_the_budget(lengths, budget):
    windows = cut_windows(lengths, room=60, overlap=0)
    batches = batch_windows(windows, budget=budget, specials=2)
    assert sorted(number for batch in batches for number in batch) == list(range(len(windows)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * (max(len(windows[number]) for number in batch) + 2) <= budget


@pytest.mark.parametrize("family", FAMILIES)
def test_a_batch_wraps_windows_as_the_family_itself_does(tiny, family):
    from transformers import AutoTokenizer

    texts = ["Ann Lee was seen by Dr. Diaz", "in Boston"]
    tokenizer = load_tokenizer(tiny(family))
    notes = tokenizer.tokenize(texts)
    windows = cut_windows([len(note) for note in notes], room=60, overlap=0)
    ids, mask = fill_batch(windows, notes, tokenizer)
    theirs = AutoTokenizer.from_pretrained(tiny(family))(texts, padding=True, padding_side="right", return_tensors="np")
    assert ids.tolist() == theirs["input_ids"].tolist()
    assert mask.tolist() == theirs["attention_mask"].tolist()


def test_padding_and_specials_stand_around_the_tokens_of_the_window():
    class Backend:
        def encode(self, text, add_special_tokens):
            return type("E", (), {"ids": [1, 50, 51, 2, 3], "special_tokens_mask": [1, 0, 0, 1, 1]})

    tokenizer = SubwordTokenizer(Backend(), 0)
    ids, mask = fill_batch([Window(0, 1, 4, 1, 4), Window(0, 4, 5, 4, 5)], [_note(5)], tokenizer)
    assert ids.tolist() == [[1, 101, 102, 103, 2, 3], [1, 104, 2, 3, 0, 0]]
    assert mask.tolist() == [[1] * 6, [1, 1, 1, 1, 0, 0]]


def test_an_overlap_as_wide_as_the_window_is_refused():
    with pytest.raises(ConfigError, match="overlap of 64"):
        cut_windows([100], room=64, overlap=64)


@pytest.mark.parametrize(("family", "megabytes"), [("bert", 5), ("roberta", 1), ("albert", 1)])
def test_a_note_of_megabytes_takes_time_in_line_with_its_length(tiny, family, megabytes):
    tokenizer = load_tokenizer(tiny(family))
    line = "Ann Lee was seen by Dr. Omar Diaz on 3 May 2021 in Boston, aged 47.\n"

    def seconds(size: int) -> float:
        text = line * (size // len(line))
        begin = time.perf_counter()
        tokens = tokenizer.tokenize([text])[0]
        windows = cut_windows([len(tokens)], room=510, overlap=128)
        assert windows[-1].end == len(tokens)
        assert tokens.ends[-1] >= len(text.rstrip())
        return time.perf_counter() - begin

    seconds(10_000)
    small, large = min(seconds(megabytes * 100_000) for _ in range(2)), seconds(megabytes * 1_000_000)
    assert large < 30 * small + 1
