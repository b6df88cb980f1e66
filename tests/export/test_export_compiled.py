"""Compiled predictors say what the machines say, from threads and after pickling, too."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from time import process_time

import numpy as np
import pytest
from exported_machines import NAMES, fitted, predictions
from sklearn.exceptions import NotFittedError

import pauca


def outputs(predictor, X):
    """Predictions in the columns of `predictions`."""
    if predictor.classes_ is not None:
        return predictor.predict_proba(X)
    return np.column_stack(predictor.predict(X, return_std=True))


@pytest.mark.parametrize("name", NAMES)
def test_single_rows_are_predicted_as_by_the_machine(name):
    machine, X = fitted(name)
    predictor = machine.compiled()
    assert predictor.is_compiled == ("draws" not in name)
    rows = np.vstack([outputs(predictor, row) for row in X])
    np.testing.assert_allclose(rows, predictions(machine, X), atol=1e-9, rtol=1e-6)
    few = outputs(predictor, X[:20])
    np.testing.assert_allclose(few, rows[:20], rtol=1e-12)


@pytest.mark.parametrize("name", ["rvm, four classes", "sparse gp regressor", "epcvm, draws"])
def test_pickled_predictors_predict_the_same(name):
    machine, X = fitted(name)
    predictor = machine.compiled()
    again = pickle.loads(pickle.dumps(predictor))
    assert again.is_compiled == predictor.is_compiled
    np.testing.assert_array_equal(outputs(again, X), outputs(predictor, X))


def test_threads_share_a_predictor():
    machine, X = fitted("sparse gp, three classes")
    predictor, expected = machine.compiled(), machine.predict_proba(X)
    places = np.random.default_rng(0).integers(len(X), size=4000)
    with ThreadPoolExecutor(8) as pool:
        found = np.vstack(list(pool.map(lambda place: predictor.predict_proba(X[place]), places)))
    np.testing.assert_allclose(found, expected[places], atol=1e-9)


@pytest.mark.parametrize(
    "make", [lambda X: X[:3].tolist(), np.asfortranarray, lambda X: X.astype(np.float32)]
)
def test_rows_of_other_layouts_are_taken(make):
    machine, X = fitted("rvm")
    X = X.astype(np.float32).astype(float)
    found = machine.compiled().predict_proba(make(X))
    np.testing.assert_allclose(found, machine.predict_proba(X)[: len(found)], atol=1e-9)


def test_labels_means_and_latent_moments():
    machine, X = fitted("rvm, four classes")
    predictor = machine.compiled()
    assert (predictor.predict(X) == machine.predict(X)).all()
    for rows in (X, X[:5]):
        for found, expected in zip(predictor.latent(rows), machine._latent(rows), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
    regressor, X = fitted("sparse gp regressor")
    np.testing.assert_allclose(regressor.compiled().predict(X[:3]), regressor.predict(X[:3]))
    with pytest.raises(AttributeError, match="classifiers only"):
        regressor.compiled().predict_proba(X)


def test_machines_that_are_not_fitted_say_so():
    with pytest.raises(NotFittedError):
        pauca.RVMClassifier().compiled()


@pytest.mark.slow
def test_a_row_takes_a_small_share_of_the_time_of_the_machine():
    machine, X = fitted("sparse gp")
    predictor, row = machine.compiled(), np.ascontiguousarray(X[:1])
    seconds = []
    for predict in (predictor.predict_proba, machine.predict_proba):
        predict(row)
        start = process_time()
        for _ in range(1000):
            predict(row)
        seconds.append(process_time() - start)
    assert seconds[0] < seconds[1] / 4
