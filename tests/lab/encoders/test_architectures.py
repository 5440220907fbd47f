import json
import re
from pathlib import Path

import pytest

from incognote.errors import CheckpointError
from incognote.lab.encoders.architectures import config_for, find_architecture, known_architectures
from incognote.lab.encoders.pages import make_page, modules_markdown, page_html, page_json, page_markdown, rank_rows
from tests.fakes import tiny_config, tiny_encoder

PUBLISHED = json.loads((Path(__file__).parent / "fixtures" / "published.json").read_text())
SEEDS = Path(__file__).parents[4] / "shared" / "seeds"
APPENDIX = ("bert-base", "bert-large", "roberta-base", "roberta-large", "albert-base", "albert-xxlarge")
NAMES = [known.name for known in known_architectures()]


def _seed(number: str) -> str:
    found = sorted(SEEDS.glob(f"{number}_*.txt"))
    if not found:
        pytest.skip("the published pages are not beside the repository")
    return found[0].read_text()


def _page(name: str, head: str = "tags", labels: int = 41):
    return make_page(find_architecture(name), head=head, labels=labels)


@pytest.mark.parametrize("name", PUBLISHED["totals_with_41_tags"])
def test_totals_with_the_41_tags_of_the_paper_are_the_papers(name):
    page = _page(name)
    assert page.total == PUBLISHED["totals_with_41_tags"][name]
    assert len(page.rows) == PUBLISHED["rows_with_41_tags"][name]


@pytest.mark.parametrize(("table", "name"), list(enumerate(APPENDIX, 7)))
def test_every_row_of_the_papers_appendix_is_reproduced(table, name):
    parts = re.split(r"^Table (\d+): \S+ model description and parameter counts\.$", _seed("000"), flags=re.M)
    text = parts[parts.index(str(table)) + 1]
    theirs = re.findall(r"^((?:bert|roberta|albert|classifier)\.\S+)\t(\d+)$", text, re.M)
    # The paper prints its names with a full stop for every underscore.
    assert [(row.name.replace("_", "."), str(row.count)) for row in _page(name).rows] == theirs


@pytest.mark.parametrize(("seed", "name"), [("001", "roberta-base"), ("003", "albert-large-v2")])
def test_the_published_pages_are_reproduced_row_by_row(seed, name):
    ours = page_markdown(_page(name, "classes", 2))
    theirs = [re.sub(r"\s*\|\s*", "|", line) for line in _seed(seed).splitlines() if line.startswith("|")]
    assert [re.sub(r"\s*\|\s*", "|", line) for line in ours.splitlines() if line.startswith("|")] == theirs
    for line in ("# {} parameter information", "**Number of layers: [ {layers} ]**", "**Number of trainable parameters: [ {mib} MiB ]**"):
        assert line.format(name, **PUBLISHED["pages"][name]) in ours


@pytest.mark.parametrize("name", PUBLISHED["pages"])
def test_the_figures_of_the_published_pages_are_reproduced(name):
    page, published = _page(name, "classes", 2), PUBLISHED["pages"][name]
    assert len(page.rows) == published["layers"]
    assert f"{page.mib:.3f}" == published["mib"]
    assert [f"{share:.2f}" for share in page.shares(by_parameters=False).values()] == published["forms"]
    assert [f"{share:.2f}" for share in page.shares(by_parameters=True).values()] == published["parameters_by_form"]


def test_the_rows_of_albert_large_and_bert_base_are_as_published():
    ours = page_markdown(_page("albert-large-v2", "classes", 2)).splitlines()
    assert [line for line in ours if line.startswith(("| albert", "| classifier"))] == PUBLISHED["albert_large_rows"]
    rows = [[row.name, list(row.shape), row.count] for row in _page("bert-base").rows]
    assert rows[: len(PUBLISHED["bert_base_rows"])] == PUBLISHED["bert_base_rows"]


@pytest.mark.parametrize("head", ["tags", "classes"])
@pytest.mark.parametrize("name", NAMES)
def test_every_row_equals_that_of_the_model_transformers_builds(name, head):
    import torch
    from transformers import AutoConfig, AutoModelForSequenceClassification, AutoModelForTokenClassification

    from incognote.find.model.quiet import quiet

    config = config_for(name)
    model_class = AutoModelForTokenClassification if head == "tags" else AutoModelForSequenceClassification
    with torch.device("meta"), quiet():
        model = model_class.from_config(AutoConfig.for_model(config.pop("model_type"), **config, num_labels=7))
    theirs = {parameter: tuple(value.shape) for parameter, value in model.named_parameters()}
    ours = [(row.name, row.shape) for row in _page(name, head, 7).rows]
    assert dict(ours) == theirs
    assert len(ours) == len(theirs)
    # transformers 5 moved RoBERTa's positions behind the norm and XLM-RoBERTa's head to the front; the rest keeps its order.
    if find_architecture(name).family not in ("roberta", "xlm-roberta"):
        assert [parameter for parameter, _ in ours] == list(theirs)


@pytest.mark.parametrize("family", ["bert", "roberta", "albert", "distilbert", "mpnet", "xlnet", "deberta-v2", "modernbert", "electra"])
def test_a_folder_is_described_from_its_config_alone(tmp_path, family):
    import torch
    from transformers import AutoModelForTokenClassification

    from incognote.find.model.quiet import quiet

    config = tiny_config(family, 100, 0)
    config.save_pretrained(tmp_path)
    config.num_labels = 5
    with torch.device("meta"), quiet():
        theirs = {name: tuple(value.shape) for name, value in AutoModelForTokenClassification.from_config(config).named_parameters()}
    page = make_page(find_architecture(str(tmp_path)), head="tags", labels=5)
    assert {row.name: row.shape for row in page.rows} == theirs


def test_names_aliases_and_hub_names_find_the_same_encoder():
    assert find_architecture("BERT-base") == find_architecture("google-bert/bert-base-uncased") == find_architecture("bert-base-uncased")
    assert len(NAMES) == len(set(NAMES)) >= 20
    wanted = ("distilbert", "albert-large", "biobert", "scibert", "clinicalbert", "xlnet", "mpnet", "deberta-v3-base", "modernbert")
    assert all(find_architecture(name).hub for name in wanted)


def test_an_unknown_name_or_a_strange_config_is_said_plainly(tmp_path):
    with pytest.raises(CheckpointError, match="nearest: roberta"):
        find_architecture("rberta-base")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(CheckpointError, match="not the config of a model"):
        find_architecture(str(tmp_path))


def test_forms_are_named_by_the_sides_that_are_not_one():
    rows = {row.name: row for row in _page("xlnet").rows}
    assert rows["transformer.mask_emb"].form == "Vector"
    assert rows["transformer.layer.0.rel_attn.q"].form == "Tensor"
    assert list(_page("xlnet").shares(by_parameters=True)) == ["Vector", "Matrix", "Tensor"]


def test_the_page_has_all_rows_in_every_layout():
    page = _page("albert-base")
    value = page_json(page)
    assert value["parameters"] == sum(row["parameters"] for row in value["rows"]) == 11_124_521
    assert "| classifier.bias | 41 |" in modules_markdown(page)
    html = page_html(page)
    assert all(row.name in html for row in page.rows)
    assert "http" not in html


def test_ranks_fall_with_size():
    rows = rank_rows(make_page(known, head="tags", labels=41) for known in known_architectures())
    assert [row["rank"] for row in rows] == list(range(1, len(NAMES) + 1))
    sizes = [row["parameters"] for row in rows]
    assert sizes == sorted(sizes, reverse=True)


def test_the_tiny_encoders_of_the_tests_are_described_too(tmp_path):
    folder = tiny_encoder(tmp_path / "tiny", "roberta")
    assert make_page(find_architecture(str(folder)), head="tags", labels=3).total > 0
