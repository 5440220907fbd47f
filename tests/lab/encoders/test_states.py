from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from incognote.document import Document
from incognote.errors import ConfigError, CorpusError, OutputError
from incognote.find.model.quiet import quiet
from incognote.lab.encoders.states import StateReader, load_states, pool_states
from incognote.lab.encoders.vectors import write_vectors
from tests.fakes import random_texts, tiny_encoder


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    made: dict[str, Path] = {}
    torch.set_num_threads(1)

    def make(family: str = "bert") -> Path:
        if family not in made:
            made[family] = tiny_encoder(tmp_path_factory.mktemp("states") / family, family)
        return made[family]

    return make


@pytest.mark.parametrize("family", ["bert", "roberta", "albert", "distilbert", "mpnet", "modernbert", "deberta-v2", "xlnet"])
def test_states_are_those_of_transformers(family: str, encoder: Callable[[str], Path]) -> None:
    from transformers import AutoModel

    texts = ["Ann Lee was seen by Dr. Omar Diaz", "fever", "Call 555-0199 on 3 May 2021\nin Boston"]
    reader = load_states(encoder(family), layers=(-1, 0, 1))
    with quiet():
        model = AutoModel.from_pretrained(encoder(family), local_files_only=True).eval()
    for text, states in zip(texts, reader.read(texts), strict=True):
        before, after = reader.tokenizer.before, reader.tokenizer.after
        ids = [*before, *states.tokens.ids.tolist(), *after]
        with torch.inference_mode():
            theirs = model(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states
        expected = torch.stack([theirs[layer][0] for layer in (-1, 0, 1)], dim=1).numpy()
        own = expected[len(before) : len(ids) - len(after)]
        np.testing.assert_allclose(states.each, own, atol=2e-5)
        np.testing.assert_allclose(pool_states(states, "first"), expected[0 if before else -1], atol=2e-5)
        np.testing.assert_allclose(pool_states(states, "mean"), own.mean(axis=0), atol=2e-5)
        np.testing.assert_allclose(pool_states(states, "max"), own.max(axis=0), atol=2e-5)
        assert text[states.tokens.starts[0] : states.tokens.ends[0]]


def test_a_long_text_is_read_whole_each_token_where_it_has_most_context(encoder: Callable[[str], Path]) -> None:
    reader = load_states(encoder("bert"), window=24)
    (text,) = random_texts(1, [60])
    (states,) = reader.read([text])
    count = len(states.tokens)
    assert count > 2 * reader.room
    assert np.abs(states.each).sum(axis=(1, 2)).all()
    # The first window ends before the text does: its first tokens are those of a text that ends there.
    ids = states.tokens.ids[: reader.room].tolist()
    alone = next(iter(reader.runtime.run([_whole(reader, ids)])))[0]
    half = reader.room // 2
    np.testing.assert_allclose(states.each[:half, 0], alone[1 : 1 + half], atol=2e-5)
    assert not np.allclose(states.each[reader.room - 1, 0], alone[reader.room], atol=1e-3)


def _whole(reader: StateReader, ids: list[int]) -> tuple[np.ndarray, np.ndarray]:
    row = np.array([[*reader.tokenizer.before, *ids, *reader.tokenizer.after]])
    return row, np.ones_like(row)


def test_a_text_reads_the_same_alone_and_among_others(encoder: Callable[[str], Path]) -> None:
    reader = load_states(encoder("roberta"))
    texts = random_texts(5, [3, 40, 0, 200, 1])
    together = reader.read(texts)
    for text, states in zip(texts, together, strict=True):
        np.testing.assert_allclose(reader.read([text])[0].each, states.each, atol=2e-5)
    assert len(together[2].tokens) == 0
    again = reader.read(texts)
    assert all(np.array_equal(one.each, two.each) for one, two in zip(together, again, strict=True))


def test_a_layer_that_is_not_there_is_named_with_how_many_there_are(encoder: Callable[[str], Path]) -> None:
    with pytest.raises(ConfigError, match="the encoder has 2"):
        load_states(encoder("bert"), layers=(-1, 5))
    with pytest.raises(ConfigError, match="each layer once"):
        load_states(encoder("bert"), layers=(-1, 2))


def test_a_window_the_encoder_cannot_read_is_an_error(encoder: Callable[[str], Path]) -> None:
    with pytest.raises(ConfigError, match="at most 64"):
        load_states(encoder("bert"), window=65)
    with pytest.raises(ConfigError, match="no room"):
        load_states(encoder("bert"), window=3)


def notes() -> list[Document]:
    return [Document(f"n{9 - number}", text) for number, text in enumerate(random_texts(7, [4, 90, 2, 30, 1]))]


def test_parquet_keeps_ids_in_order_and_a_column_for_each_layer(encoder: Callable[[str], Path], tmp_path: Path) -> None:
    from pyarrow import parquet

    reader = load_states(encoder("bert"), layers=(-1, 1))
    assert write_vectors(reader, notes(), tmp_path / "v.parquet") == 5
    table = parquet.read_table(tmp_path / "v.parquet")
    assert table.column_names == ["id", "layer_2", "layer_1"]
    assert table["id"].to_pylist() == [note.id for note in notes()]
    expected = [pool_states(states, "mean")[0] for states in reader.read([note.text for note in notes()])]
    np.testing.assert_allclose(np.array(table["layer_2"].to_pylist()), expected, atol=2e-5)
    assert table.schema.metadata[b"incognote.pool"] == b"mean"


def test_numpy_files_hold_the_same_numbers(encoder: Callable[[str], Path], tmp_path: Path) -> None:
    reader = load_states(encoder("bert"), layers=(-1, 1))
    write_vectors(reader, notes(), tmp_path / "v.npy", pool="max")
    write_vectors(reader, notes(), tmp_path / "v.npz", pool="max")
    array, archive = np.load(tmp_path / "v.npy"), np.load(tmp_path / "v.npz")
    assert array.shape == (5, 2, 32)
    assert archive["id"].tolist() == [note.id for note in notes()]
    np.testing.assert_array_equal(array[:, 0], archive["layer_2"])


@pytest.mark.parametrize("pool", ["tokens", "none"])
def test_tokens_come_with_their_note_and_their_characters(pool: str, encoder: Callable[[str], Path], tmp_path: Path) -> None:
    from pyarrow import parquet

    reader = load_states(encoder("bert"))
    write_vectors(reader, notes(), tmp_path / "t.parquet", pool=pool)
    table = parquet.read_table(tmp_path / "t.parquet")
    states = reader.read([note.text for note in notes()])
    assert table.num_rows == sum(len(each.tokens) for each in states)
    assert table["id"].to_pylist() == [note.id for note, each in zip(notes(), states, strict=True) for _ in range(len(each.tokens))]
    assert table["end"].to_pylist()[: len(states[0].tokens)] == states[0].tokens.ends.tolist()
    np.testing.assert_allclose(np.array(table["layer_2"].to_pylist()), np.concatenate([each.each[:, 0] for each in states]), atol=2e-5)
    write_vectors(reader, notes(), tmp_path / "t.npz", pool=pool)
    assert np.load(tmp_path / "t.npz")["token"].tolist() == table["token"].to_pylist()


def test_an_empty_text_is_an_error_and_nothing_is_written(encoder: Callable[[str], Path], tmp_path: Path) -> None:
    reader = load_states(encoder("bert"))
    faults: list[CorpusError] = []
    for name in ("v.parquet", "v.npz"):
        with pytest.raises(CorpusError, match="document blank: has no token"):
            write_vectors(reader, [*notes(), Document("blank", "  ")], tmp_path / name)
        assert list(tmp_path.iterdir()) == []
    assert write_vectors(reader, [Document("blank", ""), *notes()], tmp_path / "v.npz", refuse=faults.append) == 5
    assert len(faults) == 1
    with pytest.raises(CorpusError, match="no document with text"):
        write_vectors(reader, [Document("blank", "")], tmp_path / "w.parquet", refuse=faults.append)
    assert not (tmp_path / "w.parquet").exists()


def test_documents_are_read_as_they_come(encoder: Callable[[str], Path], tmp_path: Path) -> None:
    from pyarrow import parquet

    def stream() -> Iterator[Document]:
        for number in range(150):
            yield Document(f"n{number}", "Ann was seen")

    assert write_vectors(load_states(encoder("bert")), stream(), tmp_path / "v.parquet") == 150
    assert parquet.read_metadata(tmp_path / "v.parquet").num_row_groups == 3


@pytest.mark.parametrize(("name", "pool", "fault"), [("v.txt", "mean", "must end in"), ("v.npy", "tokens", "one vector for each text")])
def test_a_file_that_cannot_hold_it_is_an_error(name: str, pool: str, fault: str, encoder: Callable[[str], Path], tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=fault):
        write_vectors(load_states(encoder("bert")), notes(), tmp_path / name, pool=pool)


def test_a_place_that_cannot_be_written_is_an_error(encoder: Callable[[str], Path], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="is a file, not a folder"):
        write_vectors(load_states(encoder("bert")), notes(), tmp_path / "file" / "v.npz")


def test_the_shipped_model_gives_states() -> None:
    from incognote.models import find_model

    reader = load_states(find_model(), layers=(-1,))
    (states,) = reader.read(["Ann Lee was seen"])
    assert states.each.shape == (len(states.tokens), 1, reader.width)
