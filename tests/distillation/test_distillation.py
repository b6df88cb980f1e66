"""Students learn soft labels exactly, stay within their limits, and say how they agree with the teacher."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from pauca import SparseGPClassifier, distil, load, save
from pauca.datasets import make_friedman1, make_ripley
from pauca.distillation.report import agreement_of_classes, wilson_interval
from pauca.distillation.rows import extra_rows, soft_labelled
from pauca.export import c_bytes

FAST = {"extra_rows": 0, "n_folds": 0}


@pytest.fixture(scope="module")
def ripley():
    return make_ripley(120, random_state=0)


@pytest.fixture(scope="module")
def forest(ripley):
    return RandomForestClassifier(25, min_samples_leaf=3, random_state=0).fit(*ripley)


def test_soft_labels_are_weights_of_all_classes(ripley):
    """Probabilities in quarters, four times: the fit is that on every row copied by its counts."""
    X = ripley[0][:40]
    quarters = np.random.default_rng(0).integers(5, size=40)
    p = np.column_stack([1 - quarters / 4, quarters / 4])
    rows, codes, counts = soft_labelled(X, p, weights=np.full(40, 4.0))
    soft = SparseGPClassifier(gamma=2.0, feature_scales=None).fit(rows, codes, counts)
    copies = np.repeat(X, 4, axis=0)
    labels = np.concatenate([np.arange(4) < quarter for quarter in quarters]).astype(int)
    hard = SparseGPClassifier(gamma=2.0, feature_scales=None).fit(copies, labels)
    assert soft.log_evidence_ == pytest.approx(hard.log_evidence_, rel=1e-5)
    np.testing.assert_allclose(soft.predict_proba(X), hard.predict_proba(X), atol=1e-4)


def test_soft_labels_maximise_the_cross_entropy(ripley):
    """Weights of a logistic regression on soft rows have a zero gradient of the cross entropy."""
    X, _ = ripley
    p = np.random.default_rng(1).dirichlet([1, 1, 1], size=len(X))
    rows, codes, weights = soft_labelled(X, p)
    assert weights.sum() == pytest.approx(len(X), rel=1e-4)
    model = LogisticRegression(C=1e6, tol=1e-9, max_iter=5000).fit(rows, codes, weights)
    gradient = (model.predict_proba(X) - p).T @ np.column_stack([np.ones(len(X)), X])
    assert np.abs(gradient).max() < 1e-2


def test_the_student_agrees_and_is_small(ripley, forest):
    X_test, y_test = make_ripley(400, random_state=1)
    found = distil(forest, *ripley, held_out=(X_test, y_test), n_folds=3)
    low, high = found.agreement_interval
    assert 0.85 < low < found.agreement < high <= 1
    assert found.n_held_out == 400
    assert found.agreement == np.mean(found.student.predict(X_test) == forest.predict(X_test))
    assert found.scores["student"]["auc"] > 0.97 * found.scores["teacher"]["auc"]
    assert found.n_bytes["student"] == c_bytes(found.student) < 0.1 * found.n_bytes["teacher"]
    assert set(found.microseconds) == {"teacher", "student", "compiled"}
    assert "agreement on 400 held-out rows" in str(found)


@pytest.mark.slow
def test_limits_of_vectors_and_bytes_hold():
    X, _ = make_ripley(150, random_state=3)
    y = (np.sin(5 * X[:, 0]) + np.cos(5 * X[:, 1]) > 0).astype(int)
    teacher = RandomForestClassifier(25, random_state=0).fit(X, y)
    free = distil(teacher, X, **FAST, max_bytes=None).student
    limit = 2 * c_bytes(free) // 3
    small = distil(teacher, X, **FAST, max_bytes=limit).student
    assert c_bytes(small) <= limit
    assert len(distil(teacher, X, **FAST, max_vectors=3).student.relevance_) <= 3
    with pytest.raises(ValueError, match="raise max_bytes"):
        distil(teacher, X, **FAST, max_bytes=60)


@pytest.mark.slow
def test_regressors_become_regressors():
    X, y = make_friedman1(150, random_state=0)
    teacher = GradientBoostingRegressor(random_state=0).fit(X, y)
    found = distil(teacher, X, y, n_folds=3, extra_rows=0)
    low, high = found.agreement_interval
    assert 0.5 < low < found.agreement < high
    assert found.n_held_out == 30
    assert found.scores["student"]["r2"] > 0.6
    assert "compiled" in found.microseconds


def test_functions_teach(ripley):
    X, _ = ripley

    def probabilities(rows):
        p = 1 / (1 + np.exp(-4 * (rows[:, :1] - 0.2)))
        return np.hstack([1 - p, p])

    found = distil(probabilities, X, classes=["no", "yes"], **FAST)
    assert set(found.student.classes_) == {"no", "yes"}
    assert found.agreement > 0.85
    assert found.scores == {}
    number = distil(lambda rows: rows[:, 0] ** 2, X, **FAST)
    assert number.agreement > 0.95


class Remembers(ClassifierMixin, BaseEstimator):
    """Teacher that is sure of the rows that it has seen, and knows nothing of others."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen_ = {row.tobytes(): label for row, label in zip(X, y, strict=True)}
        return self

    def predict_proba(self, X):
        known = [self.seen_.get(row.tobytes()) for row in np.ascontiguousarray(X)]
        p = np.array([0.5 if label is None else float(label) for label in known])
        return np.column_stack([1 - p, p])


@pytest.mark.slow
def test_labels_out_of_fold_are_those_of_copies_that_did_not_see_the_row(ripley):
    X, y = ripley
    teacher = Remembers().fit(X, y)
    options = {"true_share": 0.0, "extra_rows": 0, "held_out": (X, y)}
    unsure = distil(teacher, X, y, **options).student
    sure = distil(teacher, X, y, n_folds=0, **options).student
    assert np.abs(unsure.predict_proba(X) - 0.5).max() < 0.1
    assert np.abs(sure.predict_proba(X) - 0.5).max() > 0.4


def test_frames_with_texts_and_gaps(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=120), "colour": rng.choice(["red", "blue"], 120)})
    y = np.where(frame["x"] + (frame["colour"] == "red") > 0.5, "yes", "no")
    frame.loc[::9, "x"] = np.nan

    def teacher(rows):
        p = 1 / (1 + np.exp(-4 * (rows["x"].fillna(0.0) + (rows["colour"] == "red") - 0.5)))
        return np.column_stack([1 - p, p])

    found = distil(teacher, frame, y, classes=["no", "yes"], extra_rows=30)
    assert found.agreement > 0.8
    save(found.student, tmp_path / "student.skops")
    again = load(tmp_path / "student.skops")
    np.testing.assert_array_equal(again.predict(frame), found.student.predict(frame))


def test_frames_of_every_type():
    """Dates, truth values, categories and whole numbers with gaps, and extra rows of them."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"yes": rng.random(100) < 0.5, "whole": pd.array(rng.integers(0, 5, 100), "Int64")})
    frame["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, 100), unit="D")
    frame["kind"], frame["empty"] = pd.Categorical(rng.choice(["a", "b", "c"], 100)), np.nan
    frame.loc[::9, ["whole", "kind"]] = None

    def teacher(rows):
        p = 1 / (1 + np.exp(3 - 4 * rows["yes"].astype(float) - 2 * (rows["kind"] == "a")))
        return np.column_stack([1 - p, p])

    found = distil(teacher, frame, extra_rows=30)
    assert found.agreement > 0.8
    assert found.n_bytes["student"] <= 20_000
    assert "compiled" in found.microseconds
    assert found.settings["extra_rows"] == 30


def test_extra_rows_lie_between_near_rows():
    X = np.vstack([np.zeros((20, 2)), 100 + np.zeros((20, 2))]) + np.random.default_rng(0).random((40, 2))
    rows = extra_rows(X, 500, np.random.default_rng(1))
    assert rows.shape == (500, 2)
    low = rows[rows[:, 0] < 50]
    assert 100 < len(low) < 400
    assert low.max() <= 1.0
    assert rows[rows[:, 0] > 50].min() >= 100.0
    frame = pd.DataFrame({"a": X[:, 0], "text": np.where(X[:, 0] < 50, "low", "high")})
    mixed = extra_rows(frame, 100, np.random.default_rng(2))
    assert list(mixed.columns) == ["a", "text"]
    assert ((mixed["a"] < 50) == (mixed["text"] == "low")).all()


def test_intervals_and_divergences():
    expected = binomtest(83, 100).proportion_ci(method="wilson")
    np.testing.assert_allclose(wilson_interval(0.83, 100), (expected.low, expected.high), rtol=1e-9)
    p, q = np.array([[0.2, 0.8], [0.6, 0.4]]), np.array([[0.3, 0.7], [0.4, 0.6]])
    share, _, divergence = agreement_of_classes(p, q)
    assert share == 0.5
    assert divergence == pytest.approx((p * np.log(p / q)).sum() / 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_bytes": 0}, "max_bytes"),
        ({"max_vectors": 1.5}, "max_vectors"),
        ({"extra_rows": "many"}, "extra_rows"),
        ({"true_share": 2}, "true_share"),
        ({"n_folds": -1}, "n_folds"),
        ({"test_size": 1.0}, "test_size"),
        ({"classes": ["a"]}, "classes must be the labels of the 2 probabilities"),
    ],
)
def test_bad_arguments_name_themselves(ripley, forest, options, message):
    with pytest.raises(ValueError, match=message):
        distil(forest, *ripley, **options)


def test_teachers_that_cannot_teach(ripley):
    X, y = ripley
    with pytest.raises(ValueError, match="predict_proba"):
        distil(LinearSVC().fit(X, y), X, y)
    with pytest.raises(ValueError, match="fitted estimator, or a function"):
        distil("forest", X, y)
    with pytest.raises(ValueError, match="finite and not negative"):
        distil(lambda rows: np.full((len(rows), 2), np.nan), X)
    with pytest.raises(ValueError, match="y must have classes of the teacher"):
        distil(lambda rows: np.full((len(rows), 2), 0.5), X, y + 7)
