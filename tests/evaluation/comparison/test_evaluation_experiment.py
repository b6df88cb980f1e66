"""Comparisons: every estimator on every split, once, and what the tests make of it."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import BayesianRidge, LinearRegression, LogisticRegression
from sklearn.metrics import brier_score_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from pauca.evaluation import (
    SHARES,
    Contest,
    RunStore,
    Workers,
    analyse,
    classification_scores,
    compare,
    corrected_t,
    evaluate,
    mean_ranks,
    pooled_calibration,
    repeated_splits,
)
from pauca.evaluation.curves import classification_curves, regression_curves

LOGISTIC = make_pipeline(StandardScaler(), LogisticRegression())
CLASSIFIERS = {
    "naive Bayes": GaussianNB(),
    "logistic": LOGISTIC,
    "stump": DecisionTreeClassifier(max_depth=1, random_state=0),
}


def contest(load=load_breast_cancer, n_splits=4, estimators=CLASSIFIERS):
    X, y = load(return_X_y=True)
    return Contest(X, y, repeated_splits(y, n_splits, stratify=True), estimators)


def values(comparison):
    """What must not depend on the run: everything but the seconds."""
    seconds = [name for name in comparison.results if name.endswith("seconds")]
    return comparison.results.drop(columns=seconds).to_dict("records")


def test_results_are_tidy_and_means_are_over_splits():
    comparison = compare({"cancer": contest(), "iris": contest(load_iris)})
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
        first = compare({"iris": contest(load_iris, 2)}, store)
        assert len(store) == 6
        compare({"iris": contest(load_iris, 3)}, store)
        assert len(store) == 9
        changed = {**CLASSIFIERS, "stump": DecisionTreeClassifier(max_depth=2, random_state=0)}
        compare({"iris": contest(load_iris, 3, changed)}, store)
        assert len(store) == 12
    with RunStore(tmp_path / "store.sqlite") as store:
        again = compare({"iris": contest(load_iris, 2)}, store)
        assert len(store) == 12
    assert again.results.to_dict("records") == first.results.to_dict("records")


@pytest.mark.slow
def test_processes_give_the_same_results():
    contests = {"cancer": contest(n_splits=2)}
    serial, parallel = compare(contests), compare(contests, workers=Workers(2))
    assert values(parallel) == values(serial)


def test_an_estimator_that_fails_is_named():
    X, y = load_iris(return_X_y=True)
    X[0, 0] = np.nan
    broken = Contest(X, y, repeated_splits(y, 2), {"logistic": LOGISTIC, "prior": DummyClassifier()})
    comparison = compare({"iris": broken})
    assert len(comparison.failures) == 1
    assert comparison.failures[0].startswith("logistic on iris: ValueError: Input X contains NaN")
    assert set(comparison.results["method"]) <= {"prior", "logistic"}


def test_evaluation_of_a_classifier():
    X, y = load_breast_cancer(return_X_y=True)
    train, test = repeated_splits(y, 1)[0]
    record = evaluate(LOGISTIC, X, y, train, test)
    p = LOGISTIC.fit(X[train], y[train]).predict_proba(X[test])
    assert record["error"] == np.mean(p.argmax(axis=1) != y[test])
    assert record["probability_rmse"] ** 2 == pytest.approx(brier_score_loss(y[test], p[:, 1]))
    assert record["error_curve"][-1] == record["error"]
    assert record["error_curve"][9] <= record["error"]
    assert sum(record["calibration"]["rows"]) == len(test)
    assert record["vectors"] is None
    assert record["fit_seconds"] > 0


def test_evaluation_of_regressors():
    X, y = load_diabetes(return_X_y=True)
    train, test = repeated_splits(y, 1)[0]
    bayesian = evaluate(BayesianRidge(), X, y, train, test, "regression")
    assert bayesian["calibration"]["happened"][-1] / len(test) == pytest.approx(bayesian["coverage"])
    plain = evaluate(LinearRegression(), X, y, train, test, "regression")
    assert plain["calibration"] is None
    largest = np.abs(y[test] - LinearRegression().fit(X[train], y[train]).predict(X[test])).max()
    assert plain["error_curve"][-1] == pytest.approx(largest)


def test_probability_rmse_of_many_classes():
    p = np.array([[0.7, 0.2, 0.1], [0.0, 1.0, 0.0]])
    expected = np.sqrt((0.09 + 0.04 + 0.01) / 2 / 2)
    assert classification_scores([0, 1], p, labels=[0, 1, 2])["probability_rmse"] == pytest.approx(expected)


def test_error_curve_goes_from_the_surest_rows_to_all():
    p = np.column_stack([np.linspace(0, 0.49, 20), 1 - np.linspace(0, 0.49, 20)])
    y = np.r_[np.ones(15), np.zeros(5)]
    curve = classification_curves(y, p, np.array([0.0, 1.0]))["error_curve"]
    np.testing.assert_allclose(curve, np.maximum(0, SHARES * 20 - 15) / (SHARES * 20), atol=1e-12)


def test_calibrated_predictions_lie_on_the_diagonal():
    rng = np.random.default_rng(0)
    parts = []
    for _ in range(5):
        p = rng.random(4000)
        y = (rng.random(4000) < p).astype(int)
        parts.append(classification_curves(y, np.column_stack([1 - p, p]), np.array([0, 1])))
    stated, happened, rows = pooled_calibration([part["calibration"] for part in parts])
    assert rows.sum() == 20000
    np.testing.assert_allclose(stated, happened, atol=0.04)
    mean, std = rng.normal(size=4000), np.full(4000, 2.0)
    curve = regression_curves(mean + std * rng.normal(size=4000), mean, std)["calibration"]
    stated, happened, _ = pooled_calibration([curve])
    np.testing.assert_allclose(stated, happened, atol=0.03)


@pytest.fixture(scope="module")
def three_tables():
    rng = np.random.default_rng(0)
    contests = {}
    for k in range(3):
        X = rng.normal(size=(80, 3))
        y = (X[:, k] + 0.5 * rng.normal(size=80) > 0).astype(int)
        contests[f"table {k}"] = Contest(X, y, repeated_splits(y, 3), CLASSIFIERS)
    return compare(contests)


def test_analysis_over_tables(three_tables):
    analysis = analyse(three_tables, "error", control="logistic")
    assert analysis.friedman["test"].tolist() == ["Friedman", "Iman-Davenport"]
    assert len(analysis.nemenyi) == len(analysis.wilcoxon) == 3
    assert set(analysis.control["control"]) == {"logistic"}
    assert analysis.mean_ranks.equals(mean_ranks(three_tables.scores("error")))
    assert analysis.critical_difference < analyse(three_tables, "error").critical_difference


def test_direction_of_measures(three_tables):
    best = {name: analyse(three_tables, name).mean_ranks["method"][0] for name in ("auc", "log_loss")}
    assert best == {"auc": three_tables.scores("auc").mean().idxmax(), "log_loss": best["log_loss"]}
    assert three_tables.scores("log_loss").mean().idxmin() == best["log_loss"]


def test_analysis_over_the_splits_of_one_table():
    comparison = compare({"cancer": contest()})
    analysis = analyse(comparison, "log_loss", test_over_train=1.0)
    assert analysis.nemenyi is None
    assert analysis.friedman is None
    assert len(analysis.splits) == 3
    scores = comparison.split_scores("cancer", "log_loss")
    expected = corrected_t(scores["stump"], scores["logistic"], 1.0).iloc[0]
    row = analysis.splits.set_index(["method_1", "method_2"]).loc[("logistic", "stump")]
    assert row["p_value"] == pytest.approx(expected["p_value"])
    assert row["p_holm"] >= row["p_value"]
    assert row["gain"] == pytest.approx(expected["difference"])
    assert row["gain"] > 0


def test_a_control_is_compared_with_the_others_only(three_tables):
    pairs = analyse(three_tables, "error", control="stump").splits
    assert set(pairs["method_1"]) == {"stump"}
    assert len(pairs) == 3 * 2


def test_rows_of_a_series_are_counted_not_looked_up():
    X, y = load_iris(return_X_y=True, as_frame=True)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X.iloc[order], y.iloc[order]
    splits = repeated_splits(y, 3)
    errors = [
        compare({"iris": Contest(X, labels, splits, {"logistic": LOGISTIC})}).scores("error").iloc[0, 0]
        for labels in (y, y.to_numpy(), y.set_axis(np.arange(1000, 1150)), list(y))
    ]
    assert errors[0] < 0.1
    assert len(set(errors)) == 1


def test_nothing_measured_says_why():
    X, y = load_iris(return_X_y=True)
    nothing = compare({"iris": Contest(X, y, repeated_splits(y, 2), {"none": LinearRegression()})})
    with pytest.raises(ValueError, match="nothing could be measured: none on iris"):
        nothing.scores("error")


def test_measures_without_a_direction_rank_nothing(three_tables):
    with pytest.raises(ValueError, match="neither large nor small"):
        analyse(three_tables, "coverage")
