"""Trials of one estimator on one split."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import BayesianRidge, LinearRegression, LogisticRegression
from sklearn.metrics import brier_score_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pauca.evaluation import (
    evaluate,
    repeated_splits,
)

LOGISTIC = make_pipeline(StandardScaler(), LogisticRegression())


def test_evaluation_of_a_classifier():
    X, y = load_breast_cancer(return_X_y=True)
    train, test = repeated_splits(y, 1)[0]
    record = evaluate(LOGISTIC, X, y, train, test)
    p = LOGISTIC.fit(X[train], y[train]).predict_proba(X[test])
    assert record["error"] == np.mean(p.argmax(axis=1) != y[test])
    assert record["probability_rmse"] ** 2 == pytest.approx(brier_score_loss(y[test], p[:, 1]))
    assert record["risk_coverage"][-1] == record["error"]
    assert record["risk_coverage"][9] <= record["error"]
    assert sum(record["calibration"]["rows"]) == len(test)
    assert record["vectors"] is None
    assert record["fit_seconds"] > 0


def test_evaluation_of_regressors():
    X, y = load_diabetes(return_X_y=True)
    train, test = repeated_splits(y, 1)[0]
    bayesian = evaluate(BayesianRidge(), X, y, train, test, "regression")
    assert bayesian["calibration"]["observed"][-1] / len(test) == pytest.approx(bayesian["coverage"])
    plain = evaluate(LinearRegression(), X, y, train, test, "regression")
    assert plain["calibration"] is None
    largest = np.abs(y[test] - LinearRegression().fit(X[train], y[train]).predict(X[test])).max()
    assert plain["risk_coverage"][-1] == pytest.approx(largest)
