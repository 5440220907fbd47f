from functools import partial

import numpy as np
import pytest

from incognote.document import Span
from incognote.errors import ConfigError
from incognote.find.finder import Tagger
from incognote.find.model import load_tagger, segments
from incognote.find.model.decoding import Scores
from incognote.find.model.ensemble import EnsembleTagger, average, project_tags
from incognote.find.model.tagger import EncoderTagger
from tests.fakes import FAMILIES, random_texts, tiny_checkpoint


def _member(folder, **options):
    return EncoderTagger(str(folder), device="cpu", **options)


@pytest.mark.parametrize("family", FAMILIES)
def test_an_ensemble_of_one_or_of_two_alike_finds_what_the_model_finds(tiny, family):
    texts = random_texts(1, [60, 0, 5])
    member = _member(tiny(family))
    alone = member.tag(texts)
    assert EnsembleTagger((member,)).tag(texts) == alone
    assert EnsembleTagger((member, member)).tag(texts) == alone
    assert EnsembleTagger((member, member), weights=(0.2, 3.0)).tag(texts) == alone


def test_models_with_different_tokenizers_are_averaged(tiny):
    texts = random_texts(2, [60, 0, 5])
    members = tuple(_member(tiny(family, seed)) for seed, family in enumerate(("bert", "roberta", "albert")))
    tagger = EnsembleTagger(members)
    assert isinstance(tagger, Tagger)
    found = tagger.tag(texts)
    assert [bool(spans) for spans in found] == [True, False, True]
    for scores in tagger.scores(texts):
        assert np.allclose(scores.probabilities.sum(axis=1), 1, atol=1e-4)
        assert (scores.starts[1:] >= scores.ends[:-1]).all()
    assert all(span.source == "model.ensemble" for spans in found for span in spans)


def test_a_heavy_member_has_its_way(tiny):
    texts = random_texts(3, [80])
    one, two = _member(tiny("bert", 0)), _member(tiny("bert", 1))
    assert EnsembleTagger((one, two), weights=(1e6, 1.0)).tag(texts) == one.tag(texts) != two.tag(texts)


def test_members_may_know_different_labels(tiny, tmp_path):
    texts = random_texts(4, [80])
    other = tiny_checkpoint(tmp_path / "other", "roberta", labels=("AGE", "FECHAS"))
    tagger = EnsembleTagger((_member(tiny("bert")), _member(other, mapping={"FECHAS": "DATE"})))
    assert set(tagger.tags) == set(_member(tiny("bert")).tags)
    assert tagger.tag(texts)[0]


def test_probabilities_are_averaged_where_the_cuts_of_the_tokenizers_differ():
    tags = ("O", "B-AGE", "I-AGE")
    whole = Scores(np.array([0], np.int32), np.array([4], np.int32), np.array([[0.2, 0.8, 0.0]], np.float32))
    halves = Scores(np.array([0, 2], np.int32), np.array([2, 4], np.int32), np.array([[0.6, 0.4, 0], [0, 0.5, 0.5]], np.float32))
    both = average([whole, halves], (1.0, 1.0), tags)
    assert both.starts.tolist() == [0, 2]
    # The second half of the whole token is inside what the token began.
    assert both.probabilities == pytest.approx(np.array([[0.4, 0.6, 0.0], [0.1, 0.25, 0.65]], np.float32))


def test_characters_that_one_member_does_not_see_are_judged_by_the_others():
    tags = ("O", "B-AGE", "I-AGE")
    one = Scores(np.array([0], np.int32), np.array([2], np.int32), np.array([[1.0, 0, 0]], np.float32))
    two = Scores(np.array([5], np.int32), np.array([6], np.int32), np.array([[0, 1.0, 0]], np.float32))
    both = average([one, two], (1.0, 1.0), tags)
    assert list(zip(both.starts, both.ends, strict=True)) == [(0, 2), (5, 6)]
    assert both.probabilities.tolist() == [[1, 0, 0], [0, 1, 0]]


def test_tags_of_other_schemes_are_projected():
    table = project_tags(("O", "U-X", "B-X", "I-X", "L-X"), ("O", "B-Y", "I-Y"), {"X": "Y"})
    assert table.tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]]


def test_faults_of_an_ensemble_are_all_listed(tiny):
    with pytest.raises(ConfigError, match=r"3 weights for 1 models\n.*above 0"):
        EnsembleTagger((_member(tiny("bert")),), weights=(1.0, -1.0, 2.0))
    with pytest.raises(ConfigError, match="one model at least"):
        EnsembleTagger(())


def test_several_folders_load_as_an_ensemble(tiny):
    tagger = load_tagger([str(tiny("bert")), str(tiny("roberta"))], device="cpu", weights=[1, 2])
    assert isinstance(tagger, EnsembleTagger)
    assert all(isinstance(span, Span) for span in tagger.tag(["Ann Lee"])[0])


def test_a_very_long_note_is_read_in_segments(tiny, monkeypatch):
    texts = ["", *random_texts(5, [400])]
    monkeypatch.setattr(segments, "cut_texts", partial(segments.cut_texts, size=500, margin=400))
    member = _member(tiny("bert"))
    alone = member.tag(texts)
    longest = []
    judge = EncoderTagger._infer
    monkeypatch.setattr(EncoderTagger, "_infer", lambda self, texts: longest.append(max(map(len, texts))) or judge(self, texts))
    assert EnsembleTagger((member, member)).tag(texts) == alone
    assert max(longest) <= 1300 < len(texts[1])
