"""The pipeline as a value: it prints itself, has a fingerprint, and treats every finder by its role."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from incognote import Deidentifier, Document, Span
from incognote.errors import ConfigError
from incognote.find.finder import Batch, Finder
from incognote.merge import Role
from incognote.pipeline import Pipeline
from incognote.shipped import build_pipeline
from incognote.thresholds import Thresholds
from tests.fakes import tiny_checkpoint

SHIPPED = build_pipeline(runtime="onnx")


@dataclass(frozen=True)
class Wards:
    """A finder as a user writes one: the names of a hospital's wards."""

    names: Sequence[str]
    label: str = "DEPARTMENT"
    score: float = 0.5

    def __call__(self, batch: Batch) -> list[list[Span]]:
        return [[self._place(text, name) for name in self.names if name in text] for text in batch.texts]

    def _place(self, text: str, name: str) -> Span:
        start = text.index(name)
        return Span(start, start + len(name), self.label, score=self.score)

    def __str__(self) -> str:
        return f"wards {', '.join(self.names)}"


def find(pipeline: Pipeline, text: str) -> list[tuple[str, str]]:
    (spans,) = pipeline.tag([text])
    return [(text[span.start : span.end], span.label) for span in spans]


def test_a_pipeline_prints_its_finders_with_their_roles_its_filters_and_its_thresholds() -> None:
    shown = str(SHIPPED)
    for finder in SHIPPED.finders:
        assert f"{finder.name:<12} {finder.role.name}" in shown
    for part in ("drop_clinical_terms", "require_support", "find_known_mentions", "recall_bias 0", "sha256:"):
        assert part in shown


@pytest.mark.parametrize(
    "other",
    [
        replace(SHIPPED, thresholds=Thresholds.at("high")),
        replace(SHIPPED, filters=SHIPPED.filters[:-1]),
        replace(SHIPPED, finders=SHIPPED.finders[:-1]),
        replace(SHIPPED, priorities={"rules.dates.slash": None}),
        SHIPPED.with_finder(Finder("wards", Wards(("Juniper",)), Role.EXACT)),
        build_pipeline(runtime="onnx-fp32"),
    ],
)
def test_whatever_changes_what_is_found_changes_the_fingerprint(other: Pipeline) -> None:
    assert other.fingerprint != SHIPPED.fingerprint


def test_the_same_pipeline_has_the_same_fingerprint() -> None:
    assert build_pipeline(runtime="onnx").fingerprint == SHIPPED.fingerprint


def test_a_finder_of_a_user_is_one_more_row() -> None:
    text = "Moved to Juniper today."
    assert ("Juniper", "DEPARTMENT") in find(SHIPPED.with_finder(Finder("wards", Wards(("Juniper",)), Role.EXACT)), text)


def test_labels_of_another_scheme_are_renamed_by_the_map_of_the_row() -> None:
    row = Finder("wards", Wards(("Juniper",), label="WARD"), Role.EXACT, labels={"WARD": "DEPARTMENT"})
    assert ("Juniper", "DEPARTMENT") in find(SHIPPED.with_finder(row), "Moved to Juniper today.")


@pytest.mark.parametrize(("role", "label"), [(Role.KNOWN, "DEPARTMENT"), (Role.EXACT, "DEPARTMENT"), (Role.GUESS, "PATIENT")])
def test_the_role_decides_who_wins_where_spans_overlap(role: Role, label: str) -> None:
    text = "Mr. Kowalczyk was seen."
    found = find(SHIPPED.with_finder(Finder("wards", Wards(("Kowalczyk",)), role)), text)
    assert found == [("Kowalczyk", label)]


def test_a_guess_near_the_model_goes_where_the_model_saw_nothing_and_leaves_a_decision() -> None:
    row = Finder("wards", Wards(("gravity",)), Role.GUESS, near="model")
    (trace,) = SHIPPED.with_finder(row).trace([Document("n", "Foley to gravity.")])
    assert [(name, decision.by, decision.kept) for name, decision in trace.decisions if name == "wards"] == [("wards", "support", False)]
    assert not trace.merged


def test_every_candidate_is_merged_or_has_a_decision_that_tells_why_not() -> None:
    text = "Patient: Don Carter, 67yo. Seen for Wegener 3/4/2061 by Officer Ruiz; see S. Murphy et al., NEJM 2011; pain 8/10."
    (trace,) = SHIPPED.trace([Document("n", text)])
    hidden = {at for span in trace.merged for at in range(span.start, span.end)}
    explained = {at for _, decision in trace.decisions for at in range(decision.span.start, decision.span.end)}
    for layer in trace.candidates.values():
        for span in layer.spans:
            assert set(range(span.start, span.end)) <= hidden | explained
    assert all(decision.reason for _, decision in trace.decisions)


def test_two_finders_of_one_name_and_a_finder_near_nobody_are_faults() -> None:
    with pytest.raises(ConfigError) as caught:
        Pipeline((Finder("a", Wards(()), Role.EXACT), Finder("a", Wards(()), Role.EXACT, near="b")))
    assert len(caught.value.faults) == 2


def test_a_model_of_another_scheme_speaks_the_labels_of_the_rules(tmp_path: Path) -> None:
    labels = ("FECHAS", "NOMBRE_SUJETO_ASISTENCIA", "TERRITORIO")
    folder = tiny_checkpoint(tmp_path / "model", labels=labels, spread=8.0)
    pipeline = build_pipeline(str(folder), runtime="onnx-fp32")
    texts = ["Ann Lee was seen by Dr. Omar Diaz on 3 May 2021 in Boston, aged 47."] * 2
    found = {span.label for spans in pipeline.tag(texts) for span in spans}
    assert found
    assert not found & set(labels)
    assert pipeline.finders[0].labels is not None
    assert pipeline.finders[0].labels["FECHAS"] == "DATE"


def test_another_model_has_neither_support_filter_nor_rescorer(tiny: Callable[..., Path]) -> None:
    pipeline = build_pipeline(str(tiny()), runtime="onnx-fp32")
    assert not any(finder.near for finder in pipeline.finders)
    assert "rescore(model)" not in str(pipeline)


@pytest.mark.parametrize(("low", "high"), [("low", "default"), ("default", "high"), (-3, 3.5)])
def test_a_higher_level_of_recall_hides_at_least_as_much(low: str | float, high: str | float) -> None:
    notes = [Document("n", "ella says Kimura in our lab, per lorna, saw Wexley re: 12-14 and Tarn 4. JF notified, then Brandt Ostrow.")]
    less, more = (Deidentifier.default(mode="redact", recall=recall, runtime="onnx").tag(notes)[0].spans for recall in (low, high))
    assert {at for span in less for at in range(span.start, span.end)} <= {at for span in more for at in range(span.start, span.end)}


@pytest.mark.parametrize("recall", ["highest", "nan", 11])
def test_a_level_of_recall_that_is_none_is_refused(recall: str | float) -> None:
    with pytest.raises(ConfigError):
        Thresholds.at(recall)
