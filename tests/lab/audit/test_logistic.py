import numpy as np
import pytest

from incognote.lab.audit.logistic import fit_head

rng = np.random.default_rng(0)


@pytest.mark.parametrize(("classes", "penalty"), [(2, 0.01), (4, 0.001), (4, 0.1)])
def test_the_head_is_that_of_scikit_learn(classes: int, penalty: float) -> None:
    from sklearn import linear_model

    features = rng.normal(size=(150, 7)).astype(np.float32)
    targets = np.arange(150) % classes
    features[:, :classes] += np.eye(classes, dtype=np.float32)[targets]
    ours = fit_head(features, targets, classes=classes, penalty=penalty)
    theirs = linear_model.LogisticRegression(C=1 / (penalty * len(features)), max_iter=2000, tol=1e-8).fit(features, targets)
    scores = ours.score(features)
    parts = np.exp(scores - scores.max(axis=1, keepdims=True))
    # Two classes: scikit-learn has one row of weights, whose penalty is twice that of our two.
    if classes > 2:
        np.testing.assert_allclose(parts / parts.sum(axis=1, keepdims=True), theirs.predict_proba(features), atol=2e-3)
    assert (ours.classify(features) == theirs.predict(features)).mean() > 0.98


def test_the_slope_is_flat_where_the_search_ends() -> None:
    features, targets, penalty = rng.normal(size=(80, 5)).astype(np.float32), np.arange(80) % 3, 0.05
    head = fit_head(features, targets, classes=3, penalty=penalty)
    scores = head.score(features).astype(np.float64)
    parts = np.exp(scores - scores.max(axis=1, keepdims=True))
    rest = (parts / parts.sum(axis=1, keepdims=True) - np.eye(3)[targets]) / len(features)
    assert np.abs(features.T @ rest + penalty * head.weights).max() < 1e-4
    assert np.abs(rest.sum(axis=0)).max() < 1e-4


def test_a_class_that_was_never_seen_is_never_said() -> None:
    features = rng.normal(size=(40, 3)).astype(np.float32)
    assert 2 not in fit_head(features, np.arange(40) % 2, classes=3, penalty=0.01).classify(features)


def test_more_features_than_examples_give_the_same_head_as_the_long_way() -> None:
    wide = rng.normal(size=(30, 50)).astype(np.float32)
    wide[7] = wide[3]  # two examples that are the same
    targets = np.arange(30) % 3
    head = fit_head(wide, targets, classes=3, penalty=0.02)
    scores = head.score(wide).astype(np.float64)
    parts = np.exp(scores - scores.max(axis=1, keepdims=True))
    rest = (parts / parts.sum(axis=1, keepdims=True) - np.eye(3)[targets]) / len(wide)
    assert np.abs(wide.T @ rest + 0.02 * head.weights).max() < 1e-3
