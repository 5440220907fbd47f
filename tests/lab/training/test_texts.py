from pathlib import Path

import pytest

from incognote.errors import ConfigError, CorpusError
from incognote.lab.training.recipe import Recipe, Source, SplitSettings
from incognote.lab.training.texts import Example, Examples, load_examples, read_examples


def write(path: Path, *rows: str) -> Path:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text("\n".join(rows) + "\n")
    return path


def recipe(*sources: Source, task: str = "classes", split: SplitSettings | None = None) -> Recipe:
    return Recipe(model="m", task=task, data=sources, split=split)


def test_columns_become_examples(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,patient,text,question,answer,start", "n1,p1,Left knee.,Which?,knee,5", "n2,,Left knee.,Who?,,")
    one, two = read_examples(path, "answers")
    assert one == Example("n1", "Left knee.", question="Which?", answer="knee", start=5, patient="p1")
    assert two == Example("n2", "Left knee.", question="Who?")
    assert one.place == "a.csv line 2"


def test_a_number_can_be_a_class_and_a_map_renames_it(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"text": "x", "label": 1}', '{"text": "y", "label": "b"}')
    assert [one.label for one in read_examples(path, "classes", labels={"1": "yes"})] == ["yes", "b"]


def test_unknown_and_missing_columns_are_all_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "text,lable,patiant", "secret,b,c")
    with pytest.raises(ConfigError) as error:
        read_examples(path, "classes")
    assert error.value.faults == (
        "label: no such column (line 2)",
        "lable: not a column of classes; nearest: label (line 2)",
        "patiant: not a column of classes; nearest: patient (line 2)",
    )
    assert "secret" not in str(error.value)


def test_a_table_without_a_header_is_refused_and_its_first_row_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("Ann Lee came.,1\nBob Lee left.,0\n")
    with pytest.raises(ConfigError) as error:
        read_examples(path, "classes")
    assert "text: no such column" in str(error.value)
    assert "Ann" not in str(error.value)


@pytest.mark.parametrize(
    ("row", "fault"), [('{"text": 3, "label": "a"}', "column text does not hold text"), ('{"text": null, "label": "a"}', "")]
)
def test_a_text_is_a_text(row: str, fault: str, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", row)
    if fault:
        with pytest.raises(CorpusError, match=fault):
            read_examples(path, "classes")
    else:
        assert read_examples(path, "classes")[0].text == ""


@pytest.mark.parametrize("start", ["-4", "x", "1.5"])
def test_a_start_is_a_whole_number(start: str, tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "text,question,answer,start", f"x,y,x,{start}")
    with pytest.raises(CorpusError, match="line 2: column start wants a whole number"):
        read_examples(path, "answers")


def test_an_id_in_two_rows_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="document n1: an id is in two rows"):
        read_examples(write(tmp_path / "a.csv", "id,text,label", "n1,x,a", "n1,y,b"), "classes")


def test_parts_come_from_file_names_sources_or_a_split(tmp_path: Path) -> None:
    for name in ("train", "dev", "test"):
        write(tmp_path / "parts" / f"{name}.tsv", "text\tlabel", f"{name}\ta")
    by_name = load_examples(recipe(Source(str(tmp_path / "parts"))))
    assert [one.text for part in ("train", "validation", "test") for one in by_name.of(part)] == ["train", "dev", "test"]
    assert load_examples(recipe(Source(str(tmp_path / "parts"), part="learn"))).test == ()
    files = [Source(str(tmp_path / "parts" / f"{name}.tsv"), part=part) for name, part in (("dev", "train"), ("test", "validation"))]
    assert [one.text for one in load_examples(recipe(*files)).train] == ["dev"]
    rows = [f"p{number // 2},text {number},{'ab'[number % 2]}" for number in range(40)]
    whole = Source(str(write(tmp_path / "all.csv", "patient,text,label", *rows)))
    dealt = load_examples(recipe(whole, split=SplitSettings()))
    assert (len(dealt.train), len(dealt.validation), len(dealt.test)) == (20, 4, 16)
    homes = [{one.patient for one in dealt.of(part)} for part in ("train", "validation", "test")]
    assert sum(map(len, homes)) == len(set().union(*homes))


def test_a_table_named_for_two_splits_is_an_error(tmp_path: Path) -> None:
    path = str(write(tmp_path / "a.csv", "text,label", "x,a", "y,b"))
    with pytest.raises(CorpusError, match=r"document a\.csv line 2: is in the splits train and validation"):
        load_examples(recipe(Source(path, part="train"), Source(path, part="validation")))


def test_a_table_without_a_split_or_data_says_what_to_do(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "text,label", "x,a")
    with pytest.raises(CorpusError, match="has no split"):
        load_examples(recipe(Source(str(path))))
    with pytest.raises(CorpusError, match="no validation example"):
        load_examples(recipe(Source(str(path), part="train")))
    with pytest.raises(ConfigError, match="data: missing"):
        load_examples(recipe())


def test_the_digest_hangs_on_all_that_is_learned() -> None:
    one = Example("n", "text", label="a")
    digests = {
        Examples((each,), ()).digest
        for each in (one, Example("n", "text", label="b"), Example("n", "text", other="x", label="a"), Example("m", "text", label="a"))
    }
    assert len({*digests, Examples((), (one,)).digest}) == 5
    assert Examples((one,), ()).digest == Examples((one,), ()).digest


def test_texts_are_in_no_repr() -> None:
    assert "secret" not in repr(Example("n", "secret", other="secret", question="secret", answer="secret"))
    assert "secret" not in repr(Examples((Example("n", "secret"),), ()))
