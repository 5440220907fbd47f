"""The stories of explain, told by the shipped pipeline."""

from incognote import Deidentifier, Document
from incognote.explain import Story, explain

DEIDENTIFIER = Deidentifier.default(key=b"k" * 32, runtime="onnx")
NOTE = (
    "Patient: Mirela Kaczmarek. Seen for Wegener on Mon 3/7/2061.\n"
    "Treated per the protocol of S. Murphy et al., NEJM 2011. Officer Dana Whitlock called. Later kaczmarek slept.\n"
)


def tell(value: str) -> list[Story]:
    return [story for story in explain(DEIDENTIFIER, Document("n", NOTE)) if story.text == value]


def test_an_eponym_is_dropped_by_the_filter_of_clinical_terms_and_stays_in_the_note() -> None:
    stories = tell("Wegener")
    assert [decision.by for story in stories for decision in story.decisions] == ["clinical terms"] * len(stories)
    assert stories
    assert not any(story.kept or story.edits for story in stories)


def test_an_author_read_as_a_name_is_dropped_as_part_of_a_citation() -> None:
    stories = tell("S. Murphy")
    assert "model" in {story.finder for story in stories}
    assert {(story.decisions[0].by, story.kept) for story in stories} == {("citations", False)}


def test_a_title_read_as_part_of_a_name_is_cut() -> None:
    cut = [decision for story in tell("Officer Dana Whitlock") for decision in story.decisions]
    assert {NOTE[span.start : span.end] for decision in cut for span in decision.became} <= {"Dana Whitlock"}
    assert all(decision.by == "boundaries" and decision.kept for decision in cut)


def test_parts_of_a_date_tell_the_date_they_were_merged_into() -> None:
    place = NOTE.index("Mon"), NOTE.index("2061") + 4
    for part in ("Mon", "3/7/2061"):
        (story,) = tell(part)
        assert [(edit.before.start, edit.before.end) for edit in story.edits] == [place]


def test_a_mention_that_only_memory_found_tells_so() -> None:
    stories = tell("kaczmarek")
    assert stories
    assert all(story.edits[0].before.label == "PATIENT" for story in stories)


def test_a_story_is_ready_for_json_and_its_repr_shows_no_text() -> None:
    (story, *_) = tell("Mirela Kaczmarek")
    row = story.as_json()
    assert (row["text"], row["label"], row["kept"]) == ("Mirela Kaczmarek", "PATIENT", True)
    assert row["became"][0]["replacement"]
    assert "Kaczmarek" not in repr(story)
