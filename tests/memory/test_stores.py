"""What every fact store keeps to, run over each of them."""

import sqlite3
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.document import Document, parse_markup
from incognote.facts import Facts, gather_facts
from incognote.memory.stores import FactStore, MemoryFactStore, SqliteFactStore
from tests.strategies import documents

STORES: dict[str, Callable[[], FactStore]] = {
    "memory": MemoryFactStore,
    "sqlite": lambda: SqliteFactStore(sqlite3.connect(":memory:")),
}


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> FactStore:
    return STORES[request.param]()


@st.composite
def scored_documents(draw: st.DrawFn) -> Document:
    document = draw(documents())
    return document.with_spans(replace(span, score=draw(st.sampled_from([0.3, 0.6, 1.0]))) for span in document.spans)


def test_nothing_is_known_of_a_patient_that_was_never_added(store: FactStore) -> None:
    assert store.facts(["p1"]) == {"p1": Facts()}
    assert store.richest_patient() == ("", 0)


@pytest.mark.parametrize("name", STORES)
@given(notes=st.lists(scored_documents(), max_size=6), order=st.randoms(use_true_random=False), each=st.integers(1, 3))
def test_facts_added_in_any_order_and_number_of_calls_are_those_of_all_notes_at_once(name, notes, order, each):
    store, expected = STORES[name](), gather_facts(notes)
    shuffled = order.sample(notes, len(notes))
    for at in range(0, len(notes), each):
        store.add(gather_facts(shuffled[at : at + each]))
    assert store.facts(expected) == expected
    sizes = {patient: len(facts.places) for patient, facts in expected.items()}
    assert store.richest_patient()[1] == max(sizes.values(), default=0)


def test_relation_cues_add_up(store: FactStore) -> None:
    for id, text in (("n1", "His son <PATIENT>Bill</PATIENT> drives."), ("n2", "Her brother <PATIENT>Bill</PATIENT> drives.")):
        store.add(gather_facts([parse_markup(text, id=id, patient="p1")]))
    assert store.facts(["p1"])["p1"].cues == {("PATIENT", "Bill"): {"son", "brother"}}


def test_of_patients_with_as_many_values_the_first_by_name_is_the_richest(store: FactStore) -> None:
    for patient in ("p2", "p1", "p3"):
        store.add(gather_facts([parse_markup("<AGE>41</AGE>", id=patient, patient=patient)]))
    assert store.richest_patient() == ("p1", 1)
