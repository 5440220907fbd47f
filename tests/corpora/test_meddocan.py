"""All of MEDDOCAN goes through every format and comes back the same; skipped where the data is not beside the repository."""

from pathlib import Path

import pytest

from incognote.corpora import read_corpus, write_corpus
from incognote.document import Document

DATA = Path(__file__).parents[3] / "shared/data/meddocan"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="MEDDOCAN is not here")

Row = tuple[str, str, tuple[object, ...]]


def rows(documents: list[Document]) -> list[Row]:
    return [(document.id, document.text, document.spans) for document in sorted(documents, key=lambda document: document.id)]


@pytest.fixture(scope="module")
def gold() -> list[Document]:
    return [document for part in ("train", "dev") for document in read_corpus(DATA / part / "xml")]


def test_every_document_is_read(gold: list[Document]) -> None:
    assert len(gold) == 750
    assert sum(len(document.spans) for document in gold) == 17134


def test_brat_and_xml_of_the_release_agree(gold: list[Document]) -> None:
    brat = [document for part in ("train", "dev") for document in read_corpus(DATA / part / "brat", scheme="meddocan")]
    assert rows(brat) == rows(gold)


def test_xml_brat_jsonl_parquet_xml_is_the_identity(gold: list[Document], tmp_path: Path) -> None:
    steps = [("meddocan", "1"), ("brat", "2"), ("jsonl", "3.jsonl"), ("parquet", "4.parquet"), ("csv", "5.csv"), ("meddocan", "6")]
    documents = iter(gold)
    for format, name in steps:
        assert write_corpus(documents, tmp_path / name, format=format) == 750
        documents = read_corpus(tmp_path / name)
    assert rows(list(documents)) == rows(gold)


def test_spans_come_back_from_conll(gold: list[Document], tmp_path: Path) -> None:
    write_corpus(gold, tmp_path / "a.conll", format="conll")
    back = list(read_corpus(tmp_path / "a.conll", scheme="meddocan"))
    assert [(note.id, note.spans) for note in back] == [(note.id, note.spans) for note in gold]
