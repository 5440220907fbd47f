from pathlib import Path

import pytest

from incognote.document import Document
from incognote.errors import CorpusError
from incognote.lab.audit.alignment import Aligned, align
from incognote.lab.audit.answers import Question, as_dict, measure_answers, read_questions


def make_notes(count: int = 12) -> Aligned:
    original = [Document(f"n{at}", f"Ann has gout since {at} May.", patient=f"p{at}") for at in range(count)]
    redact = [Document(f"n{at}", "*** has gout since *****.", patient=f"p{at}") for at in range(count)]
    return align(original, {"redact": redact})


def write(path: Path, *rows: str) -> Path:
    path.write_text("\n".join(["id,question,answer", *rows]) + "\n")
    return path


def test_answers_that_are_no_phi_survive(tmp_path: Path) -> None:
    notes = make_notes()
    rows = [f"n{at},what illness,gout" for at in range(12)] + ["n0,since when,0 May"]
    audit = measure_answers(notes, read_questions(notes, write(tmp_path / "q.csv", *rows)), resamples=50)
    assert audit.kept["redact"].value == pytest.approx(12 / 13)
    assert (audit.questions, audit.notes, audit.trials) == (13, 12, ())
    assert "gout" not in str(as_dict(audit))


def test_a_trained_reader_is_compared_on_the_same_questions() -> None:
    notes = make_notes()
    questions = [Question(at, "what illness", "gout") for at in range(12)] + [Question(at, "since when", f"{at} May") for at in range(12)]

    def learn(form, asked, tests, seed):
        if form == "redact":
            assert {answer for _, question, answer in asked if question == "since when"} == {""}
        assert not {place for place, *_ in asked} & {place for each in tests.values() for place, _ in each}
        known = {question: bool(answer) for _, question, answer in asked}
        right = {"what illness": lambda place: "gout", "since when": lambda place: f"{place} May"}
        return {
            other: [right[question](place) if known[question] and right[question](place) in notes.texts[other][place] else ""
                    for place, question in each]
            for other, each in tests.items()
        }  # fmt: skip

    audit = measure_answers(notes, questions, learn, seeds=(0, 1), folds=3, resamples=100)
    found = {(trial.trained, trial.tested): trial for trial in audit.trials}
    assert found["original", "original"].scores["exact"].value == 1.0
    for way in (("redact", "redact"), ("original", "redact"), ("redact", "original")):
        assert found[way].scores["f1"].value == 0.5
        assert found[way].changes["exact"].interval.high < 0


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("n1,what,lupus", r"1 answers are not in their original note \(line 2 for n1\)"),
        ("zz,what,gout", r"1 questions are about notes that are not in the corpora \(zz\)"),
        ("n1,what,", "document n1, line 2: the question or its answer is empty"),
    ],
)
def test_bad_questions_are_refused_without_telling_the_answer(row: str, fault: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=fault) as caught:
        read_questions(make_notes(), write(tmp_path / "q.csv", row))
    assert "lupus" not in str(caught.value)
