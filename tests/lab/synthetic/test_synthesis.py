"""Synthesized notes: exact spans, the same everywhere, balanced, and consistent through a patient's notes."""

import hashlib
import os
import subprocess
import sys
from collections import Counter, defaultdict
from functools import cache
from itertools import pairwise

import pytest

from incognote.document import Document, scheme
from incognote.errors import ConfigError
from incognote.lab.synthetic import library, synthesize


@cache
def made() -> tuple[Document, ...]:
    return tuple(synthesize(6000, seed=11))


def test_spans_are_of_the_scheme_and_never_begin_or_end_with_white_space() -> None:
    labels = set(scheme("i2b2-2014").labels)
    for note in made():
        for span in note.spans:
            value = note.value(span)
            assert span.label in labels
            assert value == value.strip(), (note.id, span)


def test_spans_do_not_touch_inside_a_word() -> None:
    glued = Counter(
        (one.label, two.label)
        for note in made()
        for one, two in pairwise(note.spans)
        if one.end == two.start and note.text[one.end - 1].isalnum() and note.text[two.start].isalnum()
    )
    assert not glued


def test_every_label_of_the_scheme_but_other_is_made() -> None:
    made = {span.label for note in synthesize(4000, seed=5) for span in note.spans}
    assert made == set(scheme("i2b2-2014").labels) - {"OTHER"}


def test_ids_are_unique_and_patients_have_one_to_six_notes() -> None:
    assert len({note.id for note in made()}) == len(made())
    sizes = Counter(Counter(note.patient for note in made()).values())
    assert set(sizes) <= {1, 2, 3, 4, 5, 6}
    assert len(sizes) > 3


def test_no_skeleton_is_drawn_more_often_than_another() -> None:
    counts = Counter(str(note.meta["skeleton"]) for note in made())
    assert max(counts.values()) - min(counts.values()) <= 1
    if len(library().skeletons) >= 300:
        assert max(counts.values()) <= len(made()) / 100


def test_a_longer_run_begins_like_a_shorter_one() -> None:
    assert tuple(synthesize(40, seed=11)) == made()[:40]


def test_another_seed_makes_other_notes() -> None:
    texts = {note.text for note in made()}
    others = [note.text for note in synthesize(300, seed=12) if note.spans]  # a leaflet without PHI may say the same again
    assert len(others) > 200
    assert not texts.intersection(others)


def _digest(hash_seed: str) -> str:
    code = (
        "import hashlib; from incognote.lab.synthetic import synthesize; from incognote.document import format_markup; "
        "print(hashlib.sha256('|'.join(n.id + n.patient + format_markup(n) for n in synthesize(150, seed=3)).encode()).hexdigest())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env={**os.environ, "PYTHONHASHSEED": hash_seed}
    )
    return done.stdout


def test_notes_do_not_depend_on_the_process_or_its_hash_seed() -> None:
    one, two = _digest("1"), _digest("4711")
    assert one == two
    assert len(one.strip()) == hashlib.sha256().digest_size * 2


def test_train_and_test_share_no_skeleton_and_few_names() -> None:
    train, test = (tuple(synthesize(1200, seed=1, part=part)) for part in ("train", "test"))
    assert not {note.meta["skeleton"] for note in train} & {note.meta["skeleton"] for note in test}
    for label in ("PATIENT", "DOCTOR"):
        seen, new = _values(train, label), _values(test, label)
        assert len(new - seen) / len(new) > 0.9, label


def _values(notes: tuple[Document, ...], label: str) -> set[str]:
    return {note.value(span).casefold() for note in notes for span in note.spans if span.label == label and len(span) > 4}


def test_facts_are_the_same_in_all_notes_of_a_patient() -> None:
    """The record number of a patient does not change, but for typing errors and what a scanner misreads."""
    numbers: dict[str, Counter[str]] = defaultdict(Counter)
    naming_others = {skeleton.name for skeleton in library().skeletons if "mrn.other" in skeleton.body}
    for note in made():
        if note.meta["skeleton"] in naming_others or note.meta["notes"] != 1:
            continue
        for span in note.spans:
            if span.label == "MEDICALRECORD":
                numbers[note.patient][note.value(span).casefold()] += 1
    several = [found for found in numbers.values() if found.total() > 1]
    same = [found for found in several if len(found) == 1]
    assert len(several) > 10
    assert len(same) / len(several) > 0.9


def test_notes_are_of_many_looks() -> None:
    texts = [note.text for note in made()]
    assert sum(text.isupper() for text in texts) > 30
    assert sum(text.islower() for text in texts) > 30
    assert sum("\n" not in text for text in texts) > 100
    assert sum("\r\n" in text for text in texts) > 5
    shapes = {"".join("9" if c.isdigit() else c for c in note.value(s)) for note in made() for s in note.spans if s.label == "PHONE"}
    assert len(shapes) > 20


def test_children_and_women_get_the_notes_written_for_them() -> None:
    audience = {skeleton.name: skeleton.audience for skeleton in library().skeletons}
    assert audience["progress_note/pediatrics_1.nicu_progress"] == "infant"
    assert {audience[name] for name in audience if name.startswith("clinic_note/obstetrics_1.")} >= {"woman"}
    assert audience["discharge_summary/general_1.hemiarthroplasty"] == "elder"
    assert audience["discharge_summary/general_1.classic"] == "adult"


def test_only_the_skeletons_asked_for_are_used() -> None:
    assert {note.meta["kind"] for note in synthesize(5, only="search_query/general_1.*")} == {"search_query"}
    with pytest.raises(ConfigError, match=r"no skeleton of part all is called nowhere\.\*"):
        next(synthesize(1, only="nowhere.*"))


def test_some_documents_are_packets_of_several_notes() -> None:
    sizes = Counter(note.meta["notes"] for note in made())
    assert sizes[1] > len(made()) / 2
    assert max(len(note.text) for note in made()) > 4000


def test_a_template_without_phi_makes_notes_without_phi() -> None:
    assert not [note.meta["skeleton"] for note in synthesize(150, seed=3, only="no_phi/general_1.*") if note.spans]


def test_a_number_and_its_extension_are_one_span() -> None:
    notes = [note for note in synthesize(60, seed=2, only="letter/general_1.cover_fax") if "call" in note.text.casefold()]
    values = [note.value(span) for note in notes for span in note.spans if span.label == "PHONE"]
    assert any("ext" in value.casefold() and value[-1].isdigit() and value[1].isdigit() for value in values)


def test_lists_name_someone_new_each_time() -> None:
    for note in synthesize(12, seed=4, only="list/general_1.csv"):
        if note.meta["notes"] == 1:
            names = [note.value(span) for span in note.spans if span.label == "PATIENT"]
            assert len(set(names)) > len(names) / 2
