"""What only the shipped model finds is weighed with its words and its context; edges are trimmed before."""

import json

import pytest

from incognote.document import Document, Span
from incognote.filters import Rescorer
from incognote.filters.features import gather_features, read_surroundings
from incognote.filters.rescorer import WEIGHTS, judge
from incognote.find.finder import Batch
from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.finder import identifier_rules, pattern_rules, title_rules
from incognote.find.rules.professions import find_professions
from tests.judged import judge as judge_layer
from tests.judged import rescore, support, trim_names, trim_spans


def ours(text: str, value: str, label: str, score: float = 0.95) -> Span:
    start = text.index(value)
    return Span(start, start + len(value), label, score, "model.default")


LONG = "Sisters of the Perpetual and Merciful Heart of"


@pytest.mark.parametrize(
    ("text", "value", "label", "score"),
    [
        ("KUB shows stool.", "KUB", "DOCTOR", 0.5),
        ("Never again, she says.", "Never", "PATIENT", 0.3),
        ("dob 12/2/28, Medicare 2496", "Medicare", "ORGANIZATION", 0.5),
        ("Patient felt warm to touch.", "warm", "PATIENT", 0.3),
        ("Pain 7/10 at rest.", "7/10", "DATE", 0.3),
        ("interpreter (Tigrinya) used", "Tigrinya", "DOCTOR", 0.1),
        ("hip '22 (DHS), stable", "DHS", "DOCTOR", 0.1),
    ],
)
def test_words_and_scores_are_dropped_unless_the_model_is_sure(text: str, value: str, label: str, score: float) -> None:
    assert rescore([ours(text, value, label, score)], [], text) == []
    sure = ours(text, value, label, 0.999)
    assert rescore([sure], [], text) == [sure]


@pytest.mark.parametrize(
    ("likely", "unlikely", "value", "label"),
    [
        ("Seen by Park today.", "Park slowly and rest.", "Park", "DOCTOR"),
        ("Her friend May rang back.", "May shower tomorrow.", "May", "PATIENT"),
    ],
)
def test_context_speaks_for_and_against(likely: str, unlikely: str, value: str, label: str) -> None:
    found = [(ours(text, value, label), read_surroundings(text, [])) for text in (likely, unlikely)]
    weighed = [judge(span, gather_features(span, note)) for span, note in found]
    assert weighed[0] > weighed[1]


@pytest.mark.parametrize(
    ("text", "value", "label"),
    [
        ("Pls let Oyelaran know.", "Oyelaran", "DOCTOR"),
        ("Her friend Tsvetelina rang back.", "Tsvetelina", "PATIENT"),
        ("Moved here from Tubbercurry in spring.", "Tubbercurry", "CITY"),
        ("A retired signalman with COPD.", "signalman", "PROFESSION"),
        ("Come back on Weds please.", "Weds", "DATE"),
    ],
)
def test_what_looks_like_phi_stays(text: str, value: str, label: str) -> None:
    span = ours(text, value, label)
    assert rescore([span], [], text) == [span]


def test_other_models_and_what_rules_see_are_not_judged() -> None:
    text = "Murmur 2/6 at the base."
    span = ours(text, "2/6", "DATE")
    assert judge_layer((Rescorer("another"),), [span], text) == [span]
    assert rescore([span], [Span(7, 10, "DATE", 0.6, "rules.dates.slash")], text) == [span]


def test_every_weight_is_of_evidence_that_is_gathered() -> None:
    weights = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    assert set(weights) == {"named", "numbered"}
    text = "Seen by Ada today."
    seen = gather_features(ours(text, "Ada", "DOCTOR"), read_surroundings(text, []))
    assert {"always", "sure", "doctor", "one word", "after by"} <= set(seen)
    assert all({"always", "sure"} <= set(table) for table in weights.values())


@pytest.mark.parametrize(
    ("text", "label", "kept"),
    [
        ("Rabbi Mordechai Feld", "DOCTOR", "Mordechai Feld"),
        ("Aunty Joyce", "PATIENT", "Joyce"),
        ("mister alvarez", "PATIENT", "alvarez"),
        ("Stella Marchetti, DC", "DOCTOR", "Stella Marchetti"),
        ("The Beeches Surgery", "HOSPITAL", "The Beeches Surgery"),
        ("Mercy clinic", "HOSPITAL", "Mercy clinic"),
        ("Suite 3", "DEPARTMENT", "3"),
        ("Minh Do", "PATIENT", "Minh Do"),
        ("Judge", "PATIENT", "Judge"),
        ("the week of 4 March", "DATE", "4 March"),
        ("Labor Day weekend", "DATE", "Labor Day"),
        ("mid-January", "DATE", "mid-January"),
        ("late 2061", "DATE", "2061"),
        ("Señora Howe", "PATIENT", "Howe"),
        ("Son-in-law Calvert", "PATIENT", "Calvert"),
        ("Anes Dekoning", "DOCTOR", "Dekoning"),
        ("Anes: Fortun", "DOCTOR", "Fortun"),
        ("C.O. Kiprono", "DOCTOR", "Kiprono"),
        ("ALO Gerald", "PATIENT", "Gerald"),
        ("Roman nad", "DOCTOR", "Roman"),
        ("Calloway WOCN", "DOCTOR", "Calloway"),
        ("Wilburn RN", "DOCTOR", "Wilburn"),
        ("kelly nf", "DOCTOR", "kelly"),
        ("DO MD", "DOCTOR", "DO MD"),
        ("Xiaoling MA", "DOCTOR", "Xiaoling MA"),
        ("Cosigned Wesly Jama", "DOCTOR", "Wesly Jama"),
        ("first wk of November", "DATE", "November"),
        ("Site Mercy Medical Center", "HOSPITAL", "Mercy Medical Center"),
        ("Advocate St. Francis", "HOSPITAL", "Advocate St. Francis"),
        ("lane 5", "DEPARTMENT", "5"),
        ("x2 921/452-0099", "PHONE", "921/452-0099"),
        ("Dona Hooks", "PATIENT", "Dona Hooks"),
        ("Sri Wahyuni", "PATIENT", "Sri Wahyuni"),
        ("Blue Shield PPO", "ORGANIZATION", "Blue Shield"),
        ("Fri 1500", "DATE", "Fri"),
        ("Nan Whitehorse", "DOCTOR", "Nan Whitehorse"),
        ("X.,", "DOCTOR", "X."),
        ("Kumari Menike", "PATIENT", "Kumari Menike"),
        ("Heritage Bldg).", "STREET", "Heritage Bldg"),
        ("JOHN SMITH STABLE", "PATIENT", "JOHN SMITH"),
        ("MARY ANN YOUNG", "PATIENT", "MARY ANN YOUNG"),
        ("612.", "ROOM", "612"),
        ("5.3.", "DATE", "5.3."),
    ],
)
def test_edges_are_cut_where_they_are_no_part_of_the_phi(text: str, label: str, kept: str) -> None:
    (span,) = trim_spans([Span(0, len(text), label)], text)
    assert text[span.start : span.end] == kept


def test_a_mark_alone_is_nothing() -> None:
    assert not trim_spans([Span(11, 12, "STREET")], '"Gleann Ard", Kilkee Road')


def test_the_letter_of_a_twin_is_no_initial() -> None:
    text = "Twin B Amaya Villarreal well"
    (span,) = trim_names([Span(5, 23, "PATIENT")], text)
    assert text[span.start : span.end] == "Amaya Villarreal"


def test_a_year_that_a_model_takes_for_an_age_is_a_date() -> None:
    (year, age) = trim_spans([Span(0, 4, "AGE"), Span(9, 11, "AGE")], "1930 and 93")
    assert (year.label, age.label) == ("DATE", "AGE")


@pytest.mark.parametrize(
    ("text", "label", "kept"),
    [
        ("Roe, Ann W.\nS", "PATIENT", ["Roe, Ann W.", "S"]),
        ("Van Houten (Kirk Van Houten", "PATIENT", ["Van Houten", "Kirk Van Houten"]),
        ("William (Bill) Tan", "PATIENT", ["William (Bill) Tan"]),
        ("Tan; J. P. Tan; Ng", "PATIENT", ["Tan", "J. P. Tan", "Ng"]),
        ("Ochs Clinic\nHealth Information", "HOSPITAL", ["Ochs Clinic", "Health Information"]),
        ("Xiao-Ling Feng and Garrett Doyle", "PATIENT", ["Xiao-Ling Feng", "Garrett Doyle"]),
        ("Pam and Bob Kittredge", "PATIENT", ["Pam and Bob Kittredge"]),
        ("Garcia Gen Hosp   Day Surgery", "HOSPITAL", ["Garcia Gen Hosp", "Day Surgery"]),
        (f"{LONG} Kasota General\nDepression", "HOSPITAL", [f"{LONG} Kasota General", "Depression"]),
        (f"{LONG} Kasota\nHospital", "HOSPITAL", [f"{LONG} Kasota\nHospital"]),
    ],
)
def test_a_span_over_a_short_line_or_two_full_names_is_parted(text: str, label: str, kept: list[str]) -> None:
    assert [text[span.start : span.end] for span in trim_spans([Span(0, len(text), label)], text)] == kept


@pytest.mark.parametrize(
    ("text", "value", "label"),
    [
        ("with Rabbi Lev today", "Rabbi", "DOCTOR"),
        ("statement from Judge Roe", "Judge", "PATIENT"),
        ("Roe, Ann\nS  Slept well.", "S", "PATIENT"),
    ],
)
def test_a_title_or_a_letter_alone_is_no_name(text: str, value: str, label: str) -> None:
    assert trim_spans([ours(text, value, label)], text) == []


@pytest.mark.parametrize(
    ("text", "value", "label"),
    [("RN Pip took report.", "Pip", "DOCTOR"), ("Fill at Stop & Shop Pharmacy", "Stop & Shop Pharmacy", "ORGANIZATION")],
)
def test_plain_words_stay_after_a_role_and_in_the_name_of_a_shop(text: str, value: str, label: str) -> None:
    span = ours(text, value, label, 0.999)
    assert rescore([span], [], text) == [span]


@pytest.mark.parametrize("text", ["Dr. Okafor", "tel 617-555-0199", "MRN: 4471203", "2061-07-02", "July 2", "7/22/2061"])
def test_a_rule_of_an_exact_form_needs_no_model(text: str) -> None:
    batch = Batch((Document("note", text),))
    assert [span for rules in (pattern_rules, identifier_rules, title_rules) for span in rules(batch)[0]]


def test_a_guess_needs_a_model() -> None:
    guess = Span(0, 4, "PATIENT", source="rules.name.field")
    assert support([guess], [], "Will " * 3) == []
    assert support([guess], [Span(0, 4, "DOCTOR", source="model.default")], "Will " * 3) == [guess]


def test_a_model_s_name_stops_at_a_bracket_that_it_did_not_open() -> None:
    text = "case 3 (pt M.T.)."
    assert [text[span.start : span.end] for span in trim_spans([Span(11, 17, "PATIENT")], text)] == ["M.T."]


@pytest.mark.parametrize("text", ["interp #40418 used", "PCCM #40418"])
def test_the_mark_before_a_number_is_no_part_of_it(text: str) -> None:
    at = text.index("#")
    assert [text[span.start : span.end] for span in trim_spans([Span(at, at + 6, "PHONE")], text)] == ["40418"]


def test_the_sex_in_the_next_column_is_no_part_of_a_rule_s_name() -> None:
    text = "PT: Earl Haygood  M  DOB"
    assert [text[span.start : span.end] for span in trim_names([Span(4, 19, "PATIENT")], text)] == ["Earl Haygood"]


@pytest.mark.parametrize(
    "text", ["(dispatcher, Yuma Towing)", "Mother (Neha Patel, endodontist) asks", "I've been a dental hygienist for years"]
)
def test_work_in_brackets_or_of_the_writer_is_told(text: str) -> None:
    assert [span.source for span in find_professions(Reading(text))] == ["rules.profession.sure"]


def test_more_must_speak_for_a_span_of_a_long_note() -> None:
    text = "Interpreter Rokhaya, seen, warm."
    doubted = [ours(text, value, "PATIENT", score) for value, score in (("Rokhaya", 0.9), ("warm", 0.75))]
    kept = [len(rescore(doubted, [], f"{text}{' ' * more}")) for more in (0, 5000)]
    assert kept == [2, 1]
