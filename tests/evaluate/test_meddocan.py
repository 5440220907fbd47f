"""The MEDDOCAN definitions on notes worked by hand."""

import pytest

from incognote.document import Document, Span, parse_markup
from incognote.evaluate.counts import Counts, Ratio
from incognote.evaluate.meddocan import count_meddocan, count_sentences
from incognote.evaluate.report import evaluate

A, F = "CALLE", "FECHAS"

# What the note is about, gold, predicted, and: ner, spans, merged, joined.
WORKED = [
    ("exact", f"<{F}>3 mayo</{F}>", f"<{F}>3 mayo</{F}>", (1, 0, 0), (1, 0, 0), (1, 0, 0), (1, 0, 0)),
    ("wrong type", f"<{F}>3 mayo</{F}>", f"<{A}>3 mayo</{A}>", (0, 1, 1), (1, 0, 0), (1, 0, 0), (1, 0, 0)),
    ("end off by one", f"<{F}>3 mayo</{F}>.", f"<{F}>3 mayo.</{F}>", (0, 1, 1), (0, 1, 1), (0, 1, 1), (0, 1, 1)),
    ("two gold found as one", f"<{F}>3</{F}>-<{F}>5</{F}>", f"<{F}>3-5</{F}>", (0, 1, 2), (0, 1, 2), (1, 0, 0), (1, 0, 0)),
    ("one gold found as two", f"<{F}>3, 5</{F}>", f"<{F}>3</{F}>, <{F}>5</{F}>", (0, 2, 1), (0, 2, 1), (1, 0, 0), (1, 0, 0)),
    ("types do not stop a join", f"<{F}>3</{F}> (<{A}>Sol</{A}>", f"<{F}>3 (Sol</{F}>", (0, 1, 2), (0, 1, 2), (1, 0, 0), (1, 0, 0)),
    ("a letter stops a join", f"<{F}>3</{F}> y <{F}>5</{F}>", f"<{F}>3 y 5</{F}>", (0, 1, 2), (0, 1, 2), (0, 1, 2), (0, 1, 2)),
    ("a digit stops a join", f"<{F}>a</{F}> 7 <{F}>b</{F}>", f"<{F}>a 7 b</{F}>", (0, 1, 2), (0, 1, 2), (0, 1, 2), (0, 1, 2)),
    (
        "a run that agrees alone and joined is three official hits",
        f"<{F}>3</{F}>/<{F}>5</{F}>",
        f"<{F}>3</{F}>/<{F}>5</{F}>",
        (2, 0, 0),
        (2, 0, 0),
        (3, 0, 0),
        (1, 0, 0),
    ),
    ("half of a run", f"<{F}>3</{F}>/<{F}>5</{F}>", f"<{F}>3</{F}>/5", (1, 0, 1), (1, 0, 1), (1, 0, 1), (0, 1, 1)),
    (
        "a run of three cut elsewhere",
        f"<{A}>x</{A}> <{A}>y</{A}> <{A}>z</{A}>",
        f"<{A}>x y</{A}> <{A}>z</{A}>",
        (1, 1, 2),
        (1, 1, 2),
        (2, 0, 0),
        (1, 0, 0),
    ),
    ("nothing found", f"<{F}>3</{F}>", "3", (0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 0, 1)),
    ("only a false alarm", "3", f"<{F}>3</{F}>", (0, 1, 0), (0, 1, 0), (0, 1, 0), (0, 1, 0)),
    ("empty note", "", "", (0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0)),
]


@pytest.mark.parametrize(
    ("gold", "predicted", "ner", "spans", "merged", "joined"), [case[1:] for case in WORKED], ids=[case[0] for case in WORKED]
)
def test_worked_notes(gold: str, predicted: str, ner: tuple, spans: tuple, merged: tuple, joined: tuple) -> None:
    counts = count_meddocan(parse_markup(gold), parse_markup(predicted))
    expected = {"ner": Counts(*ner), "spans": Counts(*spans), "merged": Counts(*merged), "joined": Counts(*joined)}
    assert {name: counts[name] for name in expected} == expected


LEAKS = [
    ("none missed", f"Alta.\nEl <{F}>3</{F}>.", f"Alta.\nEl <{F}>3</{F}>.", Ratio(0, 2)),
    ("one missed in two sentences", f"Alta.\nEl <{F}>3</{F}>.", "Alta.\nEl 3.", Ratio(1, 2)),
    ("a wrong type is a miss, as the script counts", f"El <{F}>3</{F}>", f"El <{A}>3</{A}>", Ratio(1, 1)),
    ("more than one a sentence", f"<{F}>3</{F}> y <{F}>5</{F}>", "3 y 5", Ratio(2, 1)),
    ("empty note", "", "", Ratio(0, 0)),
]


@pytest.mark.parametrize(("gold", "predicted", "leak"), [case[1:] for case in LEAKS], ids=[case[0] for case in LEAKS])
def test_leak_score_is_missed_spans_per_sentence(gold: str, predicted: str, leak: Ratio) -> None:
    assert count_meddocan(parse_markup(gold), parse_markup(predicted))["leak"] == leak


SENTENCES = [
    ("", 0),
    ("  \n \n", 0),
    ("Una frase", 1),
    ("Una. Dos. Tres", 3),
    ("Una.\nDos\n\nTres.", 3),
    ("Vio al Dr. Ruiz.", 1),
    ("D. Juan Pérez. Ingresa.", 2),
    ("Peso 3.5 kg. 2 días", 2),
    ("¿Dolor? ¡Sí! Mucho… Ayer", 4),
    ("aprox. tres", 1),
]


@pytest.mark.parametrize(("text", "count"), SENTENCES)
def test_sentences(text: str, count: int) -> None:
    assert count_sentences(text) == count


def test_duplicates_collapse() -> None:
    gold = Document("n", "3 mayo", spans=(Span(0, 1, F), Span(0, 1, F)))
    assert count_meddocan(gold, gold)["ner"] == Counts(1, 0, 0)


def test_a_missing_document_counts_as_empty() -> None:
    gold = [parse_markup(f"<{F}>3</{F}>", id="a"), parse_markup(f"<{F}>5</{F}>. Alta", id="b")]
    report = evaluate(gold, gold[:1])
    assert (report.missing, report.counts("meddocan.ner"), report.ratio("meddocan.leak")) == (("b",), Counts(1, 0, 1), Ratio(1, 3))
