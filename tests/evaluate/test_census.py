"""The census of a corpus."""

from incognote.document import parse_markup
from incognote.evaluate.census import Census, census_dict, list_labels, take_census

TRAIN = [
    parse_markup("<PATIENT>Ann Lee</PATIENT> is <AGE>41</AGE>", id="a", patient="1"),
    parse_markup("<DATE>3/5</DATE> <DATE>May</DATE>", id="b", patient="1"),
]
TEST = [parse_markup("<AGE>7</AGE>y ok", id="c", patient="2"), parse_markup("", id="d")]


def test_tokens_entities_and_patients_are_counted() -> None:
    census = take_census(TRAIN)
    assert (census.notes, len(census.patients), census.tokens.total(), census.phi_tokens) == (2, 1, 8, 7)
    assert census.tokens == {"Non-PHI": 1, "PATIENT": 2, "AGE": 1, "DATE": 4}
    assert census.entities == {"PATIENT": 1, "AGE": 1, "DATE": 2}
    assert census.percent("DATE") == 50.0


def test_censuses_add_and_count_a_patient_once() -> None:
    assert take_census(TRAIN) + take_census(TEST) == take_census([*TRAIN, *TEST])
    assert len((take_census(TRAIN) + take_census(TRAIN)).patients) == 1


def test_non_phi_comes_first_then_types_by_the_first_split() -> None:
    assert list_labels({"train": take_census(TRAIN), "test": take_census(TEST)}) == ("Non-PHI", "DATE", "PATIENT", "AGE")


def test_an_empty_corpus_has_no_percentages_to_stumble_over() -> None:
    assert take_census([]) == Census()
    assert Census().percent("AGE") == 0.0


def test_the_json_has_each_split_and_the_total() -> None:
    value = census_dict({"train": take_census(TRAIN), "test": take_census(TEST)})
    assert list(value) == ["train", "test", "total"]
    assert value["total"]["types"]["AGE"] == {"tokens": 2, "percent": 100 * 2 / 11, "entities": 2}
