"""``pauca speedup``: members asked and agreement for every kind of ensemble."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB

import pauca
from pauca.datasets import make_friedman1, make_twonorm


@pytest.fixture
def twonorm(tmp_path):
    X, y = make_twonorm(600, random_state=0)
    pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])]).to_csv("t.csv", index=False)
    return X, y


@pytest.mark.parametrize(
    ("ensemble", "words", "least"),
    [
        (RandomForestClassifier(60, random_state=0), (), 0.97),
        (RandomForestClassifier(60, random_state=0), ("--confidence", "1"), 1.0),
        (GradientBoostingClassifier(n_estimators=30, random_state=0), (), 1.0),
        (GradientBoostingClassifier(n_estimators=30, random_state=0), ("--confidence", "0.95"), 0.93),
        (AdaBoostClassifier(n_estimators=20, random_state=0), (), 1.0),
        (VotingClassifier([("a", LogisticRegression()), ("b", GaussianNB()), ("c", GaussianNB())]), (), 1.0),
    ],
)
def test_classifiers(run_json, twonorm, ensemble, words, least):
    X, y = twonorm
    pauca.save(ensemble.fit(X, y), "model")
    document = run_json("speedup", "model", "t.csv", *words)
    assert document["agreement"] >= least
    assert document["members_asked"] < document["members"]
    assert min(document["one_row_before_us"], document["one_row_after_us"], document["batch_after_ms"]) > 0
    assert document["rows"] == (300 if words == ("--confidence", "0.95") else 600)


def test_regressors_and_the_report(run, run_json, tmp_path):
    X, y = make_friedman1(300, random_state=0)
    pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])]).to_csv("t.csv", index=False)
    pauca.save(RandomForestRegressor(60, random_state=0).fit(X, y), "model")
    document = run_json("speedup", "model", "t.csv", "--tolerance", "0.8")
    assert document["tolerance"] == 0.8
    assert document["within_tolerance"] > 0.9
    result = run("speedup", "model", "t.csv", "--tolerance", "0.8")
    assert result.exit_code == 0
    assert "of 60 members asked on average, within 0.8 on" in result.stdout
    assert "times as fast" in result.stdout


@pytest.mark.parametrize(("confidence", "rows", "least"), [("1", 900, 1.0), ("0.9", 450, 0.85)])
def test_boosted_regressors(run_json, tmp_path, confidence, rows, least):
    X, y = make_friedman1(900, random_state=0)
    pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])]).to_csv("t.csv", index=False)
    pauca.save(HistGradientBoostingRegressor(max_iter=40).fit(X, y), "model")
    document = run_json("speedup", "model", "t.csv", "--tolerance", "0.8", "--confidence", confidence)
    assert document["within_tolerance"] >= least
    assert document["members_asked"] < document["members"] == 40
    assert document["rows"] == rows


def test_models_without_members_are_refused(run, refused):
    X, y = np.arange(20.0)[:, None], np.arange(20.0)
    pauca.save(Ridge().fit(X, y), "ridge")
    pd.DataFrame({"x": X[:, 0]}).to_csv("t.csv", index=False)
    refused(run("speedup", "ridge", "t.csv"), 2, "ensemble must be a RandomForestRegressor")
