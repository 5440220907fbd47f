"""The i2b2 2014 definitions on notes worked by hand."""

import pytest

from incognote.document import Document, Span, parse_markup, scheme
from incognote.evaluate.counts import Counts
from incognote.evaluate.i2b2 import LEVELS, SUBSETS, count_i2b2
from incognote.evaluate.report import Score, evaluate

SCHEME = scheme("i2b2-2014")
HIT, NONE = Counts(1, 0, 0), Counts()
WRONG = Counts(0, 1, 1)

# What the note is about, gold, predicted, and the counts that must come out.
WORKED = [
    ("exact", "<DATE>May 3</DATE>", "<DATE>May 3</DATE>", {"strict.all": HIT, "relaxed.all": HIT, "token.all": Counts(2, 0, 0)}),
    (
        "end one too far",
        "<DATE>May 3</DATE>.",
        "<DATE>May 3.</DATE>",
        {"strict.all": WRONG, "relaxed.all": HIT, "token.all": Counts(2, 0, 0)},
    ),
    (
        "end two too far",
        "<DATE>May 3</DATE>rd.",
        "<DATE>May 3rd</DATE>.",
        {"strict.all": WRONG, "relaxed.all": HIT, "token.all": Counts(1, 1, 1)},
    ),
    ("end three too far", "<DATE>May 3</DATE>, x", "<DATE>May 3, x</DATE>", {"relaxed.all": WRONG, "token.all": Counts(2, 1, 0)}),
    (
        "end two short",
        "<DATE>May 31</DATE>",
        "<DATE>May 3</DATE>1",
        {"strict.all": WRONG, "relaxed.all": HIT, "token.all": Counts(1, 1, 1)},
    ),
    ("end two short, to the space", "<DATE>May 3</DATE>", "<DATE>May</DATE> 3", {"relaxed.all": HIT, "token.all": Counts(1, 0, 1)}),
    ("end three short", "<DATE>May 31</DATE>", "<DATE>May</DATE> 31", {"relaxed.all": WRONG}),
    (
        "start one late",
        "<DATE>May 3</DATE>",
        "M<DATE>ay 3</DATE>",
        {"strict.all": WRONG, "relaxed.all": WRONG, "relaxed.all.binary": WRONG},
    ),
    (
        "wrong type, right category",
        "<PATIENT>Ann</PATIENT>",
        "<DOCTOR>Ann</DOCTOR>",
        {
            "strict.all": WRONG,
            "relaxed.all": WRONG,
            "token.all": WRONG,
            "strict.all.binary": HIT,
            "token.all.binary": HIT,
            "relaxed.all.binary": HIT,
            "strict.hipaa": Counts(0, 0, 1),
            "strict.hipaa.binary": Counts(0, 0, 1),
        },
    ),
    (
        "IDNUM is outside the official subset",
        "<IDNUM>X-7</IDNUM>",
        "<IDNUM>X-7</IDNUM>",
        {
            "strict.all": HIT,
            "strict.hipaa": NONE,
            "strict.hipaa-idnum": HIT,
            "token.hipaa": NONE,
            "token.hipaa-idnum": Counts(2, 0, 0),
            "relaxed.hipaa": NONE,
            "relaxed.hipaa-idnum": HIT,
        },
    ),
    (
        "IDNUM called a record number",
        "<IDNUM>77</IDNUM>",
        "<MEDICALRECORD>77</MEDICALRECORD>",
        {"strict.hipaa": Counts(0, 1, 0), "strict.hipaa-idnum": WRONG, "strict.hipaa-idnum.binary": HIT},
    ),
    (
        "DOCTOR, HOSPITAL and PROFESSION are not HIPAA",
        "<DOCTOR>Lee</DOCTOR> <HOSPITAL>MGH</HOSPITAL> <PROFESSION>cook</PROFESSION>",
        "Lee MGH cook",
        {"strict.all": Counts(0, 0, 3), "strict.hipaa": NONE, "strict.hipaa-idnum": NONE},
    ),
    (
        "AGE, ZIP and BIOID are",
        "<AGE>41</AGE> <ZIP>02139</ZIP> <BIOID>b1</BIOID>",
        "<AGE>41</AGE> 02139 <BIOID>b1</BIOID>",
        {"strict.hipaa": Counts(2, 0, 1)},
    ),
    (
        "one gold span found as two",
        "<PATIENT>Ann Lee</PATIENT>",
        "<PATIENT>Ann</PATIENT> <PATIENT>Lee</PATIENT>",
        {"strict.all": Counts(0, 2, 1), "token.all": Counts(2, 0, 0), "relaxed.all": Counts(0, 2, 1)},
    ),
    (
        "an accent splits the official tokens",
        "<CITY>Córdoba</CITY>",
        "<CITY>Córdoba</CITY>",
        {"token.all": Counts(2, 0, 0), "strict.all": HIT},
    ),
    ("a span without letter or digit has no token", "<OTHER>--</OTHER>", "<OTHER>--</OTHER>", {"token.all": NONE, "strict.all": HIT}),
    ("empty note", "", "", {"strict.all": NONE, "token.all": NONE, "relaxed.all": NONE}),
    ("nothing found", "<AGE>41</AGE>", "41", {"strict.all": Counts(0, 0, 1), "token.all": Counts(0, 0, 1), "relaxed.all": Counts(0, 0, 1)}),
    (
        "only a false alarm",
        "41",
        "<AGE>41</AGE>",
        {"strict.all": Counts(0, 1, 0), "token.all": Counts(0, 1, 0), "relaxed.all": Counts(0, 1, 0)},
    ),
]


@pytest.mark.parametrize(("gold", "predicted", "expected"), [case[1:] for case in WORKED], ids=[case[0] for case in WORKED])
def test_worked_notes(gold: str, predicted: str, expected: dict[str, Counts]) -> None:
    counts = count_i2b2(parse_markup(gold), parse_markup(predicted), SCHEME)
    assert {name: counts[name] for name in expected} == expected


def test_all_eighteen_scores_are_there() -> None:
    names = count_i2b2(parse_markup(""), parse_markup(""), SCHEME).keys()
    assert names == {f"{level}.{subset}{binary}" for level in LEVELS for subset in SUBSETS for binary in ("", ".binary")}


def test_no_hipaa_subset_without_a_scheme_that_has_one() -> None:
    assert {name.split(".")[1] for name in count_i2b2(parse_markup(""), parse_markup(""), scheme("meddocan"))} == {"all"}
    assert {name.split(".")[1] for name in count_i2b2(parse_markup(""), parse_markup(""))} == {"all"}


def test_duplicates_collapse() -> None:
    span = Span(0, 2, "AGE")
    gold = Document("n", "41 y", spans=(span, Span(0, 2, "AGE")))
    predicted = Document("n", "41 y", spans=(span, span, Span(0, 2, "AGE", score=0.4)))
    assert count_i2b2(gold, predicted, SCHEME)["strict.all"] == HIT


def test_missing_documents_count_as_empty_and_macro_is_over_documents() -> None:
    gold = [
        parse_markup("<AGE>41</AGE> <DATE>May</DATE>", id="1"),
        parse_markup("<AGE>7</AGE>", id="2"),
        parse_markup("no PHI here", id="3"),
    ]
    report = evaluate(gold, [parse_markup("<AGE>41</AGE> May", id="1"), parse_markup("no PHI here", id="3")], scheme=SCHEME)
    assert report.missing == ("2",)
    assert report.counts("i2b2.strict.all") == Counts(1, 0, 2)
    macro = report.macro("i2b2.strict.all")
    # Document 1: P 1, R 1/2; document 2: missing, P 0, R 0; document 3: empty, P 0, R 0.
    assert (macro.precision, macro.recall) == pytest.approx((1 / 3, 1 / 6))
    assert macro.f1 == pytest.approx(2 * (1 / 3) * (1 / 6) / (1 / 2))
    assert (macro.precision_sd, macro.recall_sd) == pytest.approx((2**0.5 / 3, (((1 / 3) ** 2 + 2 * (1 / 6) ** 2) / 3) ** 0.5))
    assert report.value(Score("i2b2.strict.all", "macro-f1")) == pytest.approx(macro.f1)
