from hypothesis import given
from hypothesis import strategies as st

from incognote.document import Span
from incognote.find.model.segments import cut_texts, join_spans
from incognote.find.model.tagger import EncoderTagger
from tests.fakes import random_texts


@given(st.lists(st.text("ab \n", max_size=60), max_size=4), st.integers(1, 20), st.integers(0, 10))
def test_segments_tile_each_text(texts, size, margin):
    segments = cut_texts(texts, size=size, margin=margin)
    for number, text in enumerate(texts):
        own = [one for one in segments if one.text == number]
        assert [one.first for one in own] == [0, *(one.last for one in own[:-1])]
        assert own[-1].last == len(text)
        for one in own:
            assert one.start <= one.first <= one.last <= one.end
            assert one.last - one.first <= size


def test_a_span_over_the_seam_is_kept_once():
    segments = cut_texts(["aaaa bbbb"], size=5, margin=4)
    spans = [Span(one - segment.start, two - segment.start, "X") for segment in segments for one, two in [(3, 7)]]
    assert join_spans(segments, [[span] for span in spans], 1) == [(Span(3, 7, "X"),)]


def test_a_long_text_is_tagged_as_a_whole(tiny, monkeypatch):
    from incognote.find.model import segments as module

    text = "\n".join(random_texts(9, [12] * 60))
    tagger = EncoderTagger(str(tiny("bert")), device="cpu", window=34, overlap=16)
    whole = tagger.tag([text, "Ann"])
    monkeypatch.setattr(module, "cut_texts", lambda texts: cut_texts(texts, size=700, margin=300))
    parts = tagger.tag([text, "Ann"])
    assert parts[1] == whole[1]
    same = len(set(parts[0]) & set(whole[0]))
    assert same > 0.4 * len(whole[0])  # a random model wavers with every window, and windows stand elsewhere
    assert parts[0][-1].end > 0.9 * len(text)
    assert all(one.end <= two.start for one, two in zip(parts[0], parts[0][1:], strict=False))
