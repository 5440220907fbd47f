"""The Deidentifier from end to end, with the shipped rules: what goes in, what comes out, and what must never change."""

import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote import Deidentifier
from incognote.deidentifier import Scrubbed
from incognote.document import Document
from incognote.errors import ConfigError, KeyFileError
from incognote.models import find_model, is_shipped
from tests.strategies import documents, texts

KEY = b"k" * 32
MODES = ("redact", "placeholder", "surrogate")
SCRUBBERS = {mode: Deidentifier.default(mode=mode, key=KEY, models=(), accept_unread=True) for mode in MODES}
SAME_LENGTH = Deidentifier.default(mode="redact", mask="same-length", key=KEY, models=(), accept_unread=True)
NOTE = "Mr. Tomasz Kowalczyk, MRN: 4471902, was seen on 7/22/2061. Call 617-555-0199."
PHI = ("Tomasz", "Kowalczyk", "4471902", "7/22/2061", "617-555-0199")
CLINICAL = "Foley to gravity. Crohn's disease, Gleason 3+4=7, BP 128/84, Lasix 40 mg bid, Swan-Ganz in place, Romberg sign absent."
PIECES = (
    *("Mr. Kowalczyk", "KOWALCZYK, TOMASZ", "Dr. Siddiqui", "her niece Ileana", "67yo man", "7/22/61", "on Mon 11/16", "2058-2061"),
    *("617-555-0199 x44", "MRN: 4471902", "SSN 123-45-6789", "a.lee@mail.example", "Boston, MA 02114", "14 Quarry Lane", "\n", ", ", "."),
    *("Foley catheter", "BP 128/84", "Mercy Hospital", "retired teacher", "cc: A. Lim, MD", "jt/mk204", "İ", "e\u0301", "\x00", "\r\n"),
)
NOTES = st.one_of(texts, st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join))


def _outside(note: str, ranges: list[tuple[int, int]]) -> list[str]:
    edges = [0, *(edge for pair in ranges for edge in pair), len(note)]
    return [note[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]


def _assert_only_spans_changed(note: str, clean: Scrubbed) -> None:
    shift, after = 0, []
    for edit in clean.edits:
        assert note[edit.before.start : edit.before.end] == edit.original
        start = edit.before.start + shift
        after.append((start, start + len(edit.replacement)))
        shift += len(edit.replacement) - len(edit.original)
    assert _outside(note, [(edit.before.start, edit.before.end) for edit in clean.edits]) == _outside(clean.text, after)
    assert all(clean.text[start:end] == edit.replacement for (start, end), edit in zip(after, clean.edits, strict=True))


@pytest.mark.parametrize("mode", MODES)
def test_a_text_gives_a_clean_text_with_spans_and_edits(mode: str) -> None:
    clean = SCRUBBERS[mode].scrub(NOTE)
    assert not any(value in clean.text for value in PHI)
    assert {"PATIENT", "MEDICALRECORD", "DATE", "PHONE"} <= {span.label for span in clean.spans}
    assert {edit.original for edit in clean.edits} >= {"4471902", "7/22/2061", "617-555-0199"}
    _assert_only_spans_changed(NOTE, clean)


def test_a_document_keeps_its_id_and_its_patient() -> None:
    clean = SCRUBBERS["placeholder"].scrub(Document("n7", NOTE, patient="p3"))
    assert (clean.document.id, clean.document.patient) == ("n7", "p3")
    assert clean.text == SCRUBBERS["placeholder"].scrub(NOTE).text


def test_a_batch_keeps_its_order_whatever_it_is_made_of() -> None:
    batch = [NOTE, Document("n2", "Nothing to hide."), CLINICAL]
    cleaned = SCRUBBERS["placeholder"].scrub(batch)
    assert [clean.text for clean in cleaned] == [SCRUBBERS["placeholder"].scrub(note).text for note in batch]
    assert [clean.text for clean in SCRUBBERS["placeholder"].scrub(note for note in batch)] == [clean.text for clean in cleaned]
    assert SCRUBBERS["placeholder"].scrub([]) == []


@pytest.mark.parametrize("note", ["", " ", "\n\n", CLINICAL])
def test_a_note_without_phi_comes_back_as_it_was(note: str) -> None:
    for scrubber in SCRUBBERS.values():
        clean = scrubber.scrub(note)
        assert (clean.text, clean.spans, clean.edits) == (note, (), ())


def test_the_guard_believes_a_title_over_the_list_of_terms() -> None:
    clean = SCRUBBERS["placeholder"].scrub("Dr. Foley placed a Foley catheter.")
    assert clean.text == "Dr. [DOCTOR-1] placed a Foley catheter."


@pytest.mark.parametrize("mode", MODES)
def test_what_is_pickled_and_read_back_scrubs_the_same(mode: str) -> None:
    again = pickle.loads(pickle.dumps(SCRUBBERS[mode]))
    assert again.scrub(NOTE) == SCRUBBERS[mode].scrub(NOTE)


def test_the_key_decides_the_surrogates() -> None:
    assert Deidentifier.default(key=KEY, models=()).scrub(NOTE) == SCRUBBERS["surrogate"].scrub(NOTE)
    assert Deidentifier.default(key=b"q" * 32, models=()).scrub(NOTE).text != SCRUBBERS["surrogate"].scrub(NOTE).text


def test_a_name_found_in_one_note_is_found_in_the_patients_other_notes_and_in_nobody_elses() -> None:
    notes = [
        Document("n1", NOTE, patient="p1"),
        Document("n2", "kowalczyk resting in bed, no complaints.", patient="p1"),
        Document("n3", "kowalczyk resting in bed, no complaints.", patient="p2"),
    ]
    first, second, third = SCRUBBERS["placeholder"].scrub(notes)
    assert first.text.startswith("Mr. [PATIENT-1], MRN")
    assert second.text == "[PATIENT-1] resting in bed, no complaints."
    assert third.text == notes[2].text
    assert second.edits[0].before.source == "memory.patient"


def test_finding_first_and_scrubbing_each_note_later_gives_the_same() -> None:
    from incognote.facts import gather_facts, patient_key

    scrubber = SCRUBBERS["surrogate"]
    notes = [Document("n1", NOTE, patient="p1"), Document("n2", "Kowalczyk called on 7/24.", patient="p1")]
    found = scrubber.find(notes)
    facts = gather_facts(found)
    assert [scrubber.scrub_one(document, facts[patient_key(document)]) for document in found] == scrubber.scrub(notes)


@pytest.mark.parametrize("mode", MODES)
@given(note=NOTES)
@settings(max_examples=60, deadline=None)
def test_any_text_is_scrubbed_and_changed_nowhere_but_in_its_spans(mode: str, note: str) -> None:
    clean = SCRUBBERS[mode].scrub(note)
    _assert_only_spans_changed(note, clean)
    assert mode != "redact" or len(SAME_LENGTH.scrub(note).text) == len(note)


@given(documents())
@settings(max_examples=60, deadline=None)
def test_spans_that_come_with_a_document_are_not_taken_for_findings(document: Document) -> None:
    assert SCRUBBERS["placeholder"].scrub(document).text == SCRUBBERS["placeholder"].scrub(document.with_spans(())).text


def test_a_note_of_ten_megabytes_on_one_line_is_scrubbed() -> None:
    plain = "The lungs are clear to auscultation without wheezes and the abdomen is soft, not tender and not distended. "
    line = f"{NOTE} {plain * 50}"
    note = line * (10_000_000 // len(line) + 1)
    clean = SCRUBBERS["surrogate"].scrub(note)
    assert len(note) >= 10_000_000
    assert "\n" not in clean.text
    assert not any(value in clean.text for value in PHI)
    assert len(clean.spans) >= 4 * note.count("Mr. ")
    assert clean.text.count(plain) == note.count(plain)


def test_no_repr_shows_the_note() -> None:
    clean = SCRUBBERS["surrogate"].scrub(NOTE)
    shown = repr(clean) + repr(SCRUBBERS["surrogate"])
    assert not any(value in shown for value in PHI)
    assert KEY.decode() not in shown


@pytest.mark.parametrize("key", [b"", b"short", b"0123456789abcdef"])
def test_a_key_that_could_be_guessed_is_refused_and_an_empty_one_is_not_taken_for_none(key: bytes) -> None:
    with pytest.raises(KeyFileError, match="16 are the least"):
        Deidentifier.default(key=key, models=())


def test_what_rules_guess_by_lists_alone_needs_the_shipped_model() -> None:
    heading = Document("heading", "UROLOGIC ONCOLOGY DISCHARGE SUMMARY\n")
    alone = Deidentifier.default(mode="redact", models=()).tag([heading])[0]
    assert [span.source for span in alone.spans] == ["rules.organization.head"]
    assert not Deidentifier.default(mode="redact", runtime="onnx").tag([heading])[0].spans


def test_two_words_of_the_lists_of_names_do_not_break_an_address() -> None:
    text = "He lives at 12 Broadway, Boston."
    (found,) = Deidentifier.default(mode="redact", runtime="onnx").tag([Document("n", text)])
    assert [(found.value(span), span.label) for span in found.spans] == [("12 Broadway", "STREET"), ("Boston", "CITY")]


def test_a_model_that_is_only_called_default_takes_nothing_from_the_rules(tmp_path: Path) -> None:
    assert is_shipped(find_model())
    assert not is_shipped(tmp_path / "default")


ODD_WRITINGS = {
    "no-break spaces": {" ": "\u00a0"},
    "narrow spaces": {" ": "\u202f"},
    "no-break hyphens": {"-": "\u2011"},
    "wide letters and digits": {chr(code): chr(code + 0xFEE0) for code in range(0x21, 0x7F)},
    "digits of another script": {str(digit): chr(0x660 + digit) for digit in range(10)},
}


@pytest.mark.parametrize("writing", ODD_WRITINGS)
def test_phi_is_found_in_odd_characters_as_in_plain_ones(writing: str) -> None:
    note = (
        "Seen by Dr. Ana Reyes at Mercy Hospital, Boston, MA 02114 on July 22, 2061. "
        "He lives at 14 Quarry Lane. Call 617-555-0199 or (617) 555 0143. SSN 123-45-6789. Age: 67 years"
    )
    odd = note.translate(str.maketrans(ODD_WRITINGS[writing]))
    plain, found = (SCRUBBERS["redact"].tag([Document("n1", text)])[0] for text in (note, odd))
    assert len(plain.spans) >= 10
    assert found.spans == plain.spans
    _assert_only_spans_changed(odd, SCRUBBERS["surrogate"].scrub(odd))


def test_values_of_known_patients_and_memory_are_found_across_no_break_spaces(tmp_path: Path) -> None:
    (tmp_path / "patients.csv").write_text("id,phone,name\np1,4471 902 33,Quill Amberline\n", encoding="utf-8")
    known = Deidentifier.default(mode="redact", key=KEY, models=(), patients=tmp_path / "patients.csv")
    assert known.scrub(Document("n1", "has 4471\u00a0902\u00a033 at home", patient="p1")).text == "has *** at home"
    first, second = SCRUBBERS["redact"].scrub(
        [Document("n1", "MRN: 447-190-2", patient="p1"), Document("n2", "as in 447\u00a0190\u00a02", patient="p1")]
    )
    assert (first.text, second.text) == ("MRN: ***", "as in ***")


@pytest.mark.parametrize("mark", ["\u00ad", "\u200b", "\u200d", "\u200e", "\u2060", "\ufeff"])
def test_phi_is_found_around_characters_that_nobody_sees(mark: str, tmp_path: Path) -> None:
    (tmp_path / "patients.csv").write_text("id,name\np1,Quill Amberline\n", encoding="utf-8")
    known = Deidentifier.default(mode="redact", key=KEY, models=(), patients=tmp_path / "patients.csv")
    note = f"amber{mark}line, 123-45{mark}-6789, 7/2{mark}2/2061"
    first, second = known.scrub([Document("n1", note, patient="p1"), Document("n2", f"MRN: 4471902 or 4471{mark}902", patient="p1")])
    assert (first.text, second.text) == ("***, ***, ***", "MRN: *** or ***")
    _assert_only_spans_changed(note, first)


def test_one_person_and_one_day_have_one_surrogate_in_odd_characters_too() -> None:
    notes = [
        "Mr. Tomasz Kowalczyk, seen 07/22/2061",
        "Mr. Tomasz\u00a0Kowal\u00adczyk, seen ０７/２２/２０６１",
        "Mr. Ｔｏｍａｓｚ Ｋｏｗａｌｃｚｙｋ, seen 07\u200b/22/2061",
    ]
    clean = SCRUBBERS["surrogate"].scrub([Document(f"n{at}", note, patient="p1") for at, note in enumerate(notes)])
    assert len({result.text for result in clean}) == 1
    assert "*" not in clean[0].text
    tagged = SCRUBBERS["placeholder"].scrub([Document(f"n{at}", note, patient="p1") for at, note in enumerate(notes)])
    assert {result.text for result in tagged} == {"Mr. [PATIENT-1], seen [DATE-1]"}


def test_what_a_policy_keeps_stays_to_the_character_and_a_mask_keeps_its_length() -> None:
    note = "Age: ６７ years. Lives in Boston, Massachu\u00adsetts. Mr. Kowal\u00adczyk left."
    kept = Deidentifier.default(mode="redact", policy="safe-harbor", key=KEY, models=()).scrub(note)
    assert kept.text == "Age: ６７ years. Lives in ***, Massachu\u00adsetts. Mr. *** left."


def test_a_text_without_an_id_is_its_own_patient_wherever_it_comes() -> None:
    scrubber = SCRUBBERS["surrogate"]
    other = f"{NOTE} Well."
    alone, again = scrubber.scrub(NOTE), scrubber.scrub([other, NOTE])[1]
    assert alone.text == again.text, "the place in a batch must not count"
    assert alone.edits[2].replacement != scrubber.scrub(other).edits[2].replacement, "two texts must not share the shift of their dates"
    assert alone.document.patient == again.document.patient == ""


def test_a_key_that_is_text_is_refused_with_the_fix() -> None:
    with pytest.raises(KeyFileError, match="key: is of the type str, but a key is bytes"):
        Deidentifier.default(key="a secret of sixteen bytes or more", models=())  # type: ignore[arg-type]


def test_masks_and_placeholders_are_written_as_asked() -> None:
    def shown(**marks: str) -> str:
        return Deidentifier.default(models=(), key=b"k" * 32, **marks).scrub("Mr. Kowalczyk came.").text

    assert shown(mode="redact") == "Mr. *** came."
    assert shown(mode="redact", mask="same-length") == "Mr. ********* came."
    assert shown(mode="placeholder", placeholder="{{{label}}}") == "Mr. {PATIENT} came."
    with pytest.raises(ConfigError, match="stars"):
        shown(mask="stars")
