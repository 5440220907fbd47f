"""Rules near what a model has seen: they find what they find everywhere, without guesses that the model does not share."""

from pathlib import Path
from random import Random

import pytest

from incognote.corpora import read_corpus
from incognote.document import Document, Span
from incognote.find.finder import Batch
from incognote.find.rules.finder import context_rules, cue_rules, identifier_rules, pattern_rules, sure_rules, time_rules, title_rules
from incognote.shipped import build_pipeline
from tests.judged import support

NOTES = list(read_corpus(Path(__file__).parents[2] / "golden" / "tuning"))
RULES = {
    "patterns": pattern_rules,
    "identifiers": identifier_rules,
    "titles": title_rules,
    "sure": sure_rules,
    "times": time_rules,
    "cues": cue_rules,
    "context": context_rules,
}
# What needs no model.
ALONE = (pattern_rules, identifier_rules, title_rules, sure_rules)
FAR = "Stable. " * 40


def _find_near(text: str, seen: tuple[Span, ...]) -> tuple[Span, ...]:
    return _find(text, Batch((Document("note", text),), [seen]))


def _find(text: str, batch: Batch | None = None) -> tuple[Span, ...]:
    batch = batch or Batch((Document("note", text),))
    found = {name: find(batch)[0] for name, find in RULES.items()}
    trace = build_pipeline(()).judge(text, found)
    return tuple(sorted(span for layer in trace.layers.values() for span in layer.spans))


def _supported(found: tuple[Span, ...], seen: tuple[Span, ...], text: str) -> set[Span]:
    alone = {span for rules in ALONE for span in rules(Batch((Document("note", text),)))[0]}
    return {*alone.intersection(found), *support([span for span in found if span not in alone], seen, text)}


@pytest.mark.parametrize("share", [1.0, 0.3, 0.0])
def test_nothing_that_would_be_believed_is_missed_near_what_was_seen(share: float) -> None:
    chosen = Random(7)
    for note in NOTES:
        seen = tuple(span for span in note.spans if chosen.random() < share)
        near, everywhere = (_supported(found, seen, note.text) for found in (_find_near(note.text, seen), _find(note.text)))
        assert everywhere <= near, note.id
        # Everywhere, a guess that is dropped afterwards may have taken the place of a name by its title.
        assert {span.source for span in near - everywhere} <= {"rules.name.title"}, note.id


def test_guesses_far_from_what_was_seen_are_not_looked_for_and_exact_forms_are() -> None:
    text = f"Lives in Duluth. {FAR}Seen by Dr. Roe, MRN: 4471203. {FAR}Her son lives in Fargo."
    town = text.index("Fargo")
    found = _find_near(text, (Span(town, town + 5, "CITY"),))
    assert {text[span.start : span.end] for span in found} == {"Roe", "4471203", "Fargo"}
    assert {text[span.start : span.end] for span in _find_near(text, ())} == {"Roe", "4471203"}
    assert {text[span.start : span.end] for span in _find(text)} == {"Duluth", "Roe", "4471203", "Fargo"}


def test_a_title_elsewhere_in_the_note_still_says_whose_name_it_is() -> None:
    note = Document("1", f"Dr. Annunziata was paged. {FAR}Spoke with Annunziata again.")
    start = note.text.rindex("Annunziata")
    labels = {span.label for span in _find_near(note.text, (Span(start, start + 10, "PATIENT"),)) if span.start == start}
    assert labels == {"DOCTOR"}
