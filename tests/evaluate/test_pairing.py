"""Documents are matched by id; what is missing is named, what does not belong is refused."""

import pytest

from incognote.document import Document, parse_markup
from incognote.errors import CorpusError
from incognote.evaluate.pairing import pair_documents


def note(id: str, text: str = "<AGE>41</AGE> y") -> Document:
    return parse_markup(text, id=id)


def test_missing_documents_count_as_empty_and_are_named() -> None:
    pairing = pair_documents([note("a"), note("b")], [note("b")])
    assert pairing.missing == ("a",)
    assert [len(two.spans) for _, two in pairing.pairs] == [0, 1]


def test_documents_that_are_not_in_the_gold_are_refused_and_named() -> None:
    with pytest.raises(CorpusError, match=r"1 predicted but not in the gold: zz; .*ignore_extra"):
        pair_documents([note("a")], [note("a"), note("zz")])


def test_extra_documents_can_be_ignored_on_purpose_and_are_still_named() -> None:
    assert pair_documents([note("a")], [note("a"), note("zz")], ignore_extra=True).ignored == ("zz",)


def test_other_text_under_the_same_id_is_refused_without_showing_it() -> None:
    with pytest.raises(CorpusError, match=r"document a: .* differ from character 2 on") as caught:
        pair_documents([note("a", "41 secret")], [note("a", "41-secret")])
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(("gold", "predicted", "side"), [("aa", "a", "gold"), ("a", "aa", "predicted")])
def test_an_id_that_stands_twice_is_refused(gold: str, predicted: str, side: str) -> None:
    with pytest.raises(CorpusError, match=f"document a: the {side} corpus has this id twice"):
        pair_documents([note(id) for id in gold], [note(id) for id in predicted])


def test_no_gold_at_all_is_refused() -> None:
    with pytest.raises(CorpusError, match="no document"):
        pair_documents([], [])
