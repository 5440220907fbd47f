import numpy as np

from incognote.lab.audit.word_features import Weights, count_all, count_hashed, list_words


def test_hashed_rows_keep_the_inner_products_of_the_words() -> None:
    rng = np.random.default_rng(0)
    vocabulary = [f"word{at}" for at in range(300)]
    texts = [list(rng.choice(vocabulary, size=60, replace=False)) for _ in range(30)]
    hashed = count_all(texts)
    exact = np.array([[float(len(set(one) & set(two))) for two in texts] for one in texts])
    assert np.abs(hashed @ hashed.T - exact).max() < 8


def test_counts_are_damped_and_the_same_on_every_machine() -> None:
    row = count_hashed(["fever"] * 3)
    assert np.isclose(np.abs(row).sum(), 1 + np.log(3))
    assert row[2513] < 0  # the crc32 of fever is 710273489
    assert not count_hashed([]).any()


def test_rows_have_length_one_and_rare_columns_weigh_more() -> None:
    counts = count_all([list_words("fever and cough"), list_words("fever and chills"), list_words("fever")])
    weights = Weights.of(counts)
    rows = weights.apply(np.vstack([counts, np.zeros_like(counts[:1])]))
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1, 1, 1, 0], rtol=1e-5)
    fever, cough = (int(np.flatnonzero(count_hashed([word]))[0]) for word in ("fever", "cough"))
    assert weights.columns[cough] > weights.columns[fever]
