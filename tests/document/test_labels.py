"""Label schemes: complete, consistent with the papers they come from, and mapped to one another without gaps."""

import pytest

from incognote.document import Document, Span, bio_tags, relabel, scheme, scheme_names, translate
from incognote.errors import LabelError


def test_the_shipped_schemes_have_the_sizes_of_their_papers() -> None:
    sizes = {name: (len(scheme(name).labels), len(set(scheme(name).categories.values()))) for name in scheme_names()}
    assert sizes == {"i2b2-2014": (31, 8), "i2b2-2006": (8, 6), "meddocan": (29, 8), "meaney-2022": (23, 7), "coarse": (8, 8)}


def test_the_paper_has_41_tags_some_without_their_twin() -> None:
    tags = scheme("meaney-2022").tags
    assert len(tags) == len(set(tags)) == 41
    assert tags[-1] == "O"
    begins, insides = ({tag[2:] for tag in tags if tag.startswith(prefix)} for prefix in ("B-", "I-"))
    assert (len(begins), len(insides)) == (22, 18)
    assert insides - begins == {"STREET"}
    assert begins - insides == {"BIOID", "DEVICE", "EMAIL", "USERNAME", "ZIP"}
    assert begins | insides == set(scheme("meaney-2022").labels) <= set(scheme("i2b2-2014").labels)


def test_the_hipaa_subset_of_i2b2_2014_is_the_official_scorers() -> None:
    hipaa = scheme("i2b2-2014").hipaa
    assert len(hipaa) == 18
    assert not hipaa & {"DOCTOR", "HOSPITAL", "PROFESSION", "STATE", "COUNTRY", "USERNAME", "IDNUM", "URL", "IPADDR"}


@pytest.mark.parametrize("name", scheme_names())
def test_hipaa_labels_and_tags_are_of_the_scheme(name: str) -> None:
    labels = scheme(name)
    assert labels.hipaa <= set(labels.labels)
    assert {tag[2:] for tag in labels.tags} - {""} == set(labels.labels)
    if name != "meaney-2022":
        assert labels.tags == bio_tags(labels.labels)


@pytest.mark.parametrize("name", [name for name in scheme_names() if name != "coarse"])
@pytest.mark.parametrize("target", ["i2b2-2014", "coarse"])
def test_every_label_maps_to_i2b2_2014_and_to_the_coarse_scheme(name: str, target: str) -> None:
    mapping = scheme(name).mapping(target)
    assert set(mapping) == set(scheme(name).labels)
    assert set(mapping.values()) <= set(scheme(target).labels)


@pytest.mark.parametrize("name", ["meddocan", "i2b2-2006", "meaney-2022"])
def test_a_map_keeps_the_category(name: str) -> None:
    labels, target = scheme(name), scheme("i2b2-2014")
    assert {label: target.categories[new] for label, new in labels.mapping("i2b2-2014").items()} == dict(labels.categories)


def test_an_unknown_label_is_answered_with_the_nearest() -> None:
    with pytest.raises(LabelError, match="label FECHA is not in scheme meddocan; nearest: FECHAS"):
        scheme("meddocan").check("FECHA")
    with pytest.raises(LabelError, match="a label is not in scheme i2b2-2006; it has: PATIENT, DOCTOR"):
        scheme("i2b2-2006").check("XQ")


def test_unknown_schemes_and_maps_are_answered_with_the_known_ones() -> None:
    with pytest.raises(LabelError, match="label scheme icd is not known; there are: coarse, i2b2-2006"):
        scheme("icd")
    with pytest.raises(LabelError, match="scheme i2b2-2014 has no map to i2b2-2006; it has: coarse, meddocan"):
        scheme("i2b2-2014").mapping("i2b2-2006")


def test_every_label_of_the_rules_has_a_name_in_meddocan() -> None:
    names = scheme("i2b2-2014").mapping("meddocan")
    assert set(names) == set(scheme("i2b2-2014").labels)
    assert set(names.values()) <= set(scheme("meddocan").labels)


def test_translate_changes_labels_only() -> None:
    note = Document("n", "2067 Ana", patient="p", spans=(Span(0, 4, "FECHAS"), Span(5, 8, "NOMBRE_SUJETO_ASISTENCIA")))
    new = translate(note, scheme("meddocan"), "i2b2-2014")
    assert new.spans == (Span(0, 4, "DATE"), Span(5, 8, "PATIENT"))
    assert (new.id, new.patient, new.text) == (note.id, note.patient, note.text)
    with pytest.raises(LabelError, match="nearest"):
        translate(note.with_spans([Span(0, 4, "FECHA")]), scheme("meddocan"), "i2b2-2014")


def test_relabel_leaves_labels_that_the_map_lacks() -> None:
    assert relabel([Span(0, 1, "A"), Span(1, 2, "B")], {"A": "X"}) == (Span(0, 1, "X"), Span(1, 2, "B"))
