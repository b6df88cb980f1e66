"""Experiments evaluate every estimator on every split once."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from pauca.evaluation import (
    Benchmark,
    RunStore,
    Workers,
    compare,
    repeated_splits,
)

LOGISTIC = make_pipeline(StandardScaler(), LogisticRegression())
CLASSIFIERS = {
    "naive Bayes": GaussianNB(),
    "logistic": LOGISTIC,
    "stump": DecisionTreeClassifier(max_depth=1, random_state=0),
}


def benchmark(load=load_breast_cancer, n_splits=4, estimators=CLASSIFIERS):
    X, y = load(return_X_y=True)
    return Benchmark(X, y, repeated_splits(y, n_splits, stratify=True), estimators)


def values(comparison):
    """Results that must not depend on the run: all columns but the seconds."""
    seconds = [name for name in comparison.results if name.endswith("seconds")]
    return comparison.results.drop(columns=seconds).to_dict("records")


def test_results_are_tidy_and_means_are_over_splits():
    comparison = compare({"cancer": benchmark(), "iris": benchmark(load_iris)})
    assert len(comparison.results) == 2 * 4 * 3
    assert comparison.failures == []
    scores = comparison.scores("error")
    assert list(scores.index) == ["cancer", "iris"]
    assert list(scores.columns) == list(CLASSIFIERS)
    mine = comparison.split_scores("iris", "error")
    assert mine.shape == (4, 3)
    assert scores.loc["iris", "stump"] == pytest.approx(mine["stump"].mean())


def test_only_what_is_new_is_computed(tmp_path):
    with RunStore(tmp_path / "store.sqlite") as store:
        first = compare({"iris": benchmark(load_iris, 2)}, store)
        assert len(store) == 6
        compare({"iris": benchmark(load_iris, 3)}, store)
        assert len(store) == 9
        changed = {**CLASSIFIERS, "stump": DecisionTreeClassifier(max_depth=2, random_state=0)}
        compare({"iris": benchmark(load_iris, 3, changed)}, store)
        assert len(store) == 12
    with RunStore(tmp_path / "store.sqlite") as store:
        again = compare({"iris": benchmark(load_iris, 2)}, store)
        assert len(store) == 12
    assert again.results.to_dict("records") == first.results.to_dict("records")


@pytest.mark.slow
def test_processes_give_the_same_results():
    benchmarks = {"cancer": benchmark(n_splits=2)}
    serial, parallel = compare(benchmarks), compare(benchmarks, workers=Workers(2))
    assert values(parallel) == values(serial)


def test_an_estimator_that_fails_is_named():
    X, y = load_iris(return_X_y=True)
    X[0, 0] = np.nan
    broken = Benchmark(X, y, repeated_splits(y, 2), {"logistic": LOGISTIC, "prior": DummyClassifier()})
    comparison = compare({"iris": broken})
    assert len(comparison.failures) == 1
    assert comparison.failures[0].startswith("logistic on iris: ValueError: Input X contains NaN")
    assert set(comparison.results["method"]) <= {"prior", "logistic"}


def test_rows_of_a_series_are_counted_not_looked_up():
    X, y = load_iris(return_X_y=True, as_frame=True)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X.iloc[order], y.iloc[order]
    splits = repeated_splits(y, 3)
    errors = [
        compare({"iris": Benchmark(X, labels, splits, {"logistic": LOGISTIC})}).scores("error").iloc[0, 0]
        for labels in (y, y.to_numpy(), y.set_axis(np.arange(1000, 1150)), list(y))
    ]
    assert errors[0] < 0.1
    assert len(set(errors)) == 1


def test_nothing_measured_says_why():
    X, y = load_iris(return_X_y=True)
    nothing = compare({"iris": Benchmark(X, y, repeated_splits(y, 2), {"none": LinearRegression()})})
    with pytest.raises(ValueError, match="nothing could be measured: none on iris"):
        nothing.scores("error")
