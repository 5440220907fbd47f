"""A number of weeks is told from a pressure, and days of an American note stay days."""

import pytest

from incognote.document import Span
from incognote.lexicon.fractions import is_british
from tests.judged import guard_spans


@pytest.mark.parametrize("pressure", ["98/52", "118/52", "104/52"])
@pytest.mark.parametrize("day", ["3/12", "3/24", "5/7"])
def test_a_pressure_does_not_make_days_spans_of_time(pressure: str, day: str) -> None:
    text = f"BP {pressure}, afebrile. Extubated {day}, CT chest clear."
    assert not is_british(text)
    start = text.index(day)
    assert guard_spans([Span(start, start + len(day), "DATE", source="model.default")], text)


@pytest.mark.parametrize("text", ["Rev 6/52 with bloods, BP 118/52", "physio 2/52", "r/v GP 12/52"])
def test_weeks_do(text: str) -> None:
    assert is_british(text)
