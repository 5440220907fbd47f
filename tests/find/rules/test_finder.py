"""The RuleTagger near what a model has seen: it finds what it finds everywhere, less guesses that nobody shares."""

from pathlib import Path
from random import Random

import pytest

from incognote.corpora import read_corpus
from incognote.document import Document, Span
from incognote.filters.rescorer import drop_guesses
from incognote.find.rules.finder import RuleTagger

NOTES = list(read_corpus(Path(__file__).parents[2] / "golden" / "tuning"))
TAGGER = RuleTagger.default()
FAR = "Stable. " * 40


def _find_near(text: str, seen: tuple[Span, ...]) -> tuple[Span, ...]:
    return TAGGER.finish(TAGGER.begin([text]), [seen])[0]


@pytest.mark.parametrize("share", [1.0, 0.3, 0.0])
def test_nothing_that_would_be_believed_is_missed_near_what_was_seen(share: float) -> None:
    chosen = Random(7)
    for note in NOTES:
        seen = tuple(span for span in note.spans if chosen.random() < share)
        near, everywhere = (
            set(drop_guesses(found, seen, note.text)) for found in (_find_near(note.text, seen), TAGGER.tag([note.text])[0])
        )
        assert everywhere <= near, note.id
        # Everywhere, a guess that is dropped afterwards may have taken the place of a name by its title.
        assert {span.source for span in near - everywhere} <= {"rules.name.title"}, note.id


def test_guesses_far_from_what_was_seen_are_not_looked_for_and_exact_forms_are() -> None:
    text = f"Lives in Duluth. {FAR}Seen by Dr. Roe, MRN: 4471203. {FAR}Her son lives in Fargo."
    town = text.index("Fargo")
    found = _find_near(text, (Span(town, town + 5, "CITY"),))
    assert {text[span.start : span.end] for span in found} == {"Roe", "4471203", "Fargo"}
    assert {text[span.start : span.end] for span in _find_near(text, ())} == {"Roe", "4471203"}
    assert {text[span.start : span.end] for span in TAGGER.tag([text])[0]} == {"Duluth", "Roe", "4471203", "Fargo"}


def test_a_title_elsewhere_in_the_note_still_says_whose_name_it_is() -> None:
    note = Document("1", f"Dr. Annunziata was paged. {FAR}Spoke with Annunziata again.")
    start = note.text.rindex("Annunziata")
    labels = {span.label for span in _find_near(note.text, (Span(start, start + 10, "PATIENT"),)) if span.start == start}
    assert labels == {"DOCTOR"}
