from pathlib import Path

import pytest

from incognote.document import Document
from incognote.errors import CorpusError
from incognote.lab.audit.alignment import align, name_forms


def notes(*ids: str, text: str = "x") -> list[Document]:
    return [Document(id, text) for id in ids]


def test_forms_stand_in_the_order_of_the_original() -> None:
    found = align([Document("b", "Bea"), Document("a", "Ann")], {"tag": [Document("a", "[1]"), Document("b", "[2]")]})
    assert found.texts["tag"] == ("[2]", "[1]")
    assert found.forms == ("original", "tag")


def test_ids_that_do_not_match_are_counted_and_the_first_are_named() -> None:
    with pytest.raises(CorpusError) as caught:
        align(notes(*"abcdefgh"), {"redact": notes("a", "z")})
    message = str(caught.value)
    assert "redact: 7 of the 8 original notes are not in it (b, c, d, e, f, …)" in message
    assert "1 of its 2 notes are not in the original corpus (z)" in message


def test_an_empty_corpus_is_refused() -> None:
    with pytest.raises(CorpusError, match="no note"):
        align([], {})


def test_the_share_of_changed_notes_is_known() -> None:
    found = align(notes("a", "b"), {"tag": [Document("a", "x"), Document("b", "y")]})
    assert found.changed("tag") == 0.5


def test_notes_can_be_left_out() -> None:
    found = align([Document("a", "x", patient="p"), Document("b", "y")], {"tag": notes("a", "b")}).keep([1])
    assert (found.ids, found.clusters, found.texts["original"]) == (("b",), ("note b",), ("y",))


def test_no_text_is_in_the_repr() -> None:
    assert "secret" not in repr(align(notes("a", text="secret"), {}))


def test_a_form_may_not_be_called_like_the_original() -> None:
    assert name_forms([Path("clean/original.jsonl")]) == ["clean/original.jsonl"]
    with pytest.raises(CorpusError, match="twice"):
        name_forms([Path("a.jsonl"), Path("a.jsonl")])
