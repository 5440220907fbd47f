"""StyleProfile styles keep spans exact, whatever the text."""

from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from incognote.lab.synthetic.language import parse
from incognote.lab.synthetic.people import Segment
from incognote.lab.synthetic.style_profiles import StyleProfile, make_profile
from incognote.lab.synthetic.styles import add_typos, apply_style, join_plain, wrap
from incognote.lab.synthetic.writing import assemble

PLAIN = StyleProfile("Lake Hospital", "slash", "", 0, "", 0.0, 0.0, 0.0, double_spaces=False, bullet="- ", colon=": ", mixed_dates=0.1)
_values = st.text("abcXYZ 019.,-/'éß", min_size=1, max_size=12).map(str.strip).filter(bool)
_plain = st.text("abc XYZ 019.,:-\n\t patient with", max_size=30)
segments = st.lists(st.one_of(st.tuples(_plain, st.just("")), st.tuples(_values, st.sampled_from(["PATIENT", "DATE"]))), max_size=12)


@given(segments, st.integers(0, 500))
def test_no_style_breaks_a_span(found: list[Segment], seed: int) -> None:
    rng = Random(seed)
    profile = make_profile(rng, "all")
    note = assemble(apply_style(found, profile, rng), id="n", patient="p", meta={})
    assert [span.label for span in note.spans] == [label for _, label in found if label]


@given(segments, st.integers(5, 30))
def test_wrapping_changes_blanks_only(found: list[Segment], width: int) -> None:
    wrapped = wrap(found, width)
    assert [label for _, label in wrapped] == [label for _, label in found]
    assert "".join(text for text, _ in wrapped).replace("\n", " ") == "".join(text for text, _ in found).replace("\n", " ")


@given(st.text(max_size=40), st.integers(0, 99))
def test_a_typo_never_touches_the_edges(text: str, seed: int) -> None:
    changed = add_typos(text, 0.3, Random(seed))
    assert (changed[:1], changed[-1:]) == (text[:1], text[-1:])


@given(st.text("{}[]|\\>#*/-.abc19 \n", max_size=60))
def test_any_text_is_parsed_or_faulted(text: str) -> None:
    template, faults = parse(text)
    assert isinstance(template, tuple)
    assert all(fault.line >= 1 for fault in faults)


def test_lines_are_no_longer_than_the_profile_has_them() -> None:
    text = "The patient was seen in clinic today and is doing very well on the new medicine. " * 5
    [(wrapped, _)] = apply_style([(text.strip(), "")], replace(PLAIN, width=60), Random(1))
    assert max(len(line) for line in wrapped.split("\n")) <= 60
    assert "\n" in wrapped


def test_line_breaks_may_be_lost() -> None:
    found = apply_style([("PLAN:\n- rest\n- ", ""), ("Lee", "DOCTOR"), ("\n", "")], replace(PLAIN, breaks=", "), Random(1))
    assert found == [("PLAN:, - rest, - ", ""), ("Lee", "DOCTOR"), (", ", "")]


def test_headings_and_all_text_may_be_capitals() -> None:
    note: list[Segment] = [("Note\nPlan: see ", ""), ("Lee", "DOCTOR")]
    assert apply_style(note, replace(PLAIN, casing="headers"), Random(1)) == [("Note\nPLAN: see ", ""), ("Lee", "DOCTOR")]
    assert apply_style(note, replace(PLAIN, casing="upper"), Random(1))[1] == ("LEE", "DOCTOR")


def test_abbreviations_stay_out_of_spans_and_headings() -> None:
    note: list[Segment] = [("PATIENT: the patient with ", ""), ("Patient Lee", "PATIENT")]
    [(text, _), value] = apply_style(note, replace(PLAIN, abbreviations=1.0), Random(1))
    assert text.startswith("PATIENT: the pt")
    assert value == ("Patient Lee", "PATIENT")


def test_neighbouring_plain_segments_are_joined() -> None:
    assert join_plain([("a", ""), ("b", ""), ("", ""), ("c", "DATE"), ("d", "DATE")]) == [("ab", ""), ("c", "DATE"), ("d", "DATE")]
