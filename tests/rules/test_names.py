"""The name rules against golden lines, and what they must never do."""

import pytest
from hypothesis import given

from incognote.rules.names import find_names
from incognote.tagging import merge
from tests.rules.golden import GoldenLine, check_golden, count_golden, golden_params
from tests.strategies import texts


@pytest.mark.parametrize("line", golden_params("names"))
def test_golden_names(line: GoldenLine) -> None:
    check_golden(line, find_names)


def test_there_are_enough_golden_names() -> None:
    positive, negative = count_golden("names")
    assert positive >= 40
    assert negative >= 20


@given(texts)
def test_any_text_gives_spans_inside_it(text: str) -> None:
    assert all(0 <= span.start < span.end <= len(text) for span in find_names(text))


def test_a_weakly_found_name_takes_the_label_it_has_elsewhere() -> None:
    text = "Dr. Ngozi Okafor saw him. Later, Ngozi Okafor returned."
    spans = merge([tuple(find_names(text))], text)
    assert [span.label for span in spans] == ["DOCTOR", "DOCTOR"]


@pytest.mark.parametrize(
    "text",
    [
        "Lives at 4 Elm Street, Boston, MA 02139.",
        "4 Elm St, Boston, MA 02139",
        "22 Elm Street, Atlanta, PA",
        "Elm Street, Boston, MA 02139",
        "12 Mill Lane, Jackson, MD 20650",
    ],
)
def test_a_street_and_its_town_are_no_name_and_their_state_no_degree(text: str) -> None:
    assert not list(find_names(text))


@pytest.mark.parametrize("text", ["Seen by Lane, Jackson, MD", "4. Lane, Jackson, MD 33451", "Jane Lane, MD 33451"])
def test_a_surname_that_also_ends_streets_is_still_a_name(text: str) -> None:
    assert any("Lane" in text[span.start : span.end] and span.label == "DOCTOR" for span in find_names(text))


def test_every_source_names_its_rule() -> None:
    text = (
        "Name: Ana Ruiz\nSeen by Dr. Roe with her niece Ileana. I spoke with Jose Martinez. Ngozi Okafor\nElectronically signed by Jane Roe"
    )
    rules = {"title", "field", "relation", "speech", "list", "signature"}
    assert {span.source for span in find_names(text)} == {f"rules.name.{rule}" for rule in rules}


def test_time_grows_with_length_not_faster() -> None:
    from time import perf_counter

    # One line, so that nothing may look back to its start.
    note = "Seen by Dr. Roe. Patient A. B. C. D. States he Is A Jane, Roe, MD, and OTHERS WERE SEEN per mother Ana; cc: Lim. "
    seconds = []
    for times in (200, 1600):
        start = perf_counter()
        list(find_names(note * times))
        seconds.append(perf_counter() - start)
    assert seconds[1] < 8 * seconds[0] * 3


@pytest.mark.parametrize("mark", ["A. ", "Aa ", "Aa-", "A'", "AAAA", "van ", ", ", "Dr. ", "Dr.", "a/b:", "\n"])
def test_repeated_marks_are_read_in_no_time(mark: str) -> None:
    from time import perf_counter

    start = perf_counter()
    list(find_names(mark * 20000))
    assert perf_counter() - start < 3
