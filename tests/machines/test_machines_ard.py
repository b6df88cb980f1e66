"""Predictive automatic relevance determination."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from pauca import ARDClassifier
from pauca.inference import ep
from pauca.likelihoods import Probit
from pauca.priors import ARD
from pauca.selection import CRITERIA


def wide(n_rows=40, n_features=300, seed=0):
    """Few rows, many features, two of which matter."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    return X, np.where(2 * X[:, 5] - 2 * X[:, 11] + 0.2 * rng.normal(size=n_rows) > 0, "yes", "no")


@pytest.mark.parametrize("criterion", CRITERIA)
def test_finds_the_features_that_matter(criterion):
    X, y = wide(60)
    machine = ARDClassifier(criterion=criterion).fit(X, y)
    assert {5, 11} <= set(machine.relevance_)
    strongest = np.argsort(-np.abs(machine.coef_[0]) * X.std(axis=0))[:2]
    assert set(strongest) == {5, 11}
    X_test, y_test = wide(2000, seed=1)
    assert machine.score(X_test, y_test) > 0.85


@pytest.mark.parametrize("criterion", CRITERIA)
def test_keeps_the_first_of_the_best_models_of_the_path(criterion):
    machine = ARDClassifier(criterion=criterion).fit(*wide())
    path, chosen = machine.path_, machine.chosen_rounds_[0]
    score = path["log_evidence"] if criterion == "evidence" else -path[criterion]
    assert chosen == np.argmax(score)
    assert len(machine.relevance_) == path["n_terms"][chosen]
    assert machine.log_evidence_ == path["log_evidence"][chosen]


def test_the_path_is_that_of_the_evidence_whatever_the_criterion():
    X, y = wide()
    paths = [ARDClassifier(criterion=criterion).fit(X, y).path_ for criterion in CRITERIA]
    assert len(paths[0]) > 5
    for path in paths[1:]:
        np.testing.assert_array_equal(path, paths[0])
    assert (np.diff(paths[0]["log_evidence"]) > -0.1 * 10).all()


def test_leave_one_out_on_the_path_is_near_that_of_refits():
    X, y = wide()
    machine = ARDClassifier(tail_scale=1.0, initial=1e-9, max_iter=1)
    with pytest.warns(ConvergenceWarning):
        machine.fit(X, y)
    target = np.where(y == "yes", 1.0, -1.0)
    best = X[:, np.argmax(np.abs((X - X.mean(axis=0)).T @ target) / X.std(axis=0))]
    Phi, prior = (
        np.column_stack([np.ones(len(y)), (best - best.mean()) / best.std()]),
        ARD(np.array([1e-3, 1])),
    )
    wrong = []
    for n in range(len(y)):
        others = np.arange(len(y)) != n
        refit = ep(Probit(), prior, Phi[others], target[others], np.ones(len(y) - 1))
        mean, var = refit.latent(Phi[n : n + 1])
        wrong.append(Probit().predict(-target[n] * mean, var)[0])
    assert machine.path_["n_terms"][0] == 1
    assert machine.path_["loo_probability"][0] == pytest.approx(np.mean(wrong), abs=0.01)
    assert machine.path_["loo_error"][0] == pytest.approx(np.mean(np.array(wrong) >= 0.5), abs=0.03)


def test_selects_features_like_a_selector():
    X, y = wide()
    machine = ARDClassifier().fit(X, y)
    np.testing.assert_array_equal(machine.get_support(indices=True), machine.relevance_)
    np.testing.assert_array_equal(machine.transform(X), X[:, machine.get_support()])
    assert machine.coef_.shape == (1, X.shape[1])
    np.testing.assert_array_equal(np.flatnonzero(machine.coef_), machine.relevance_)
    linear = X @ machine.coef_[0] + machine.intercept_[0]
    np.testing.assert_allclose(machine._latent(X)[0][:, 0], linear, atol=1e-10)


def test_frames_keep_the_names_of_features():
    pandas = pytest.importorskip("pandas")
    X, y = wide()
    frame = pandas.DataFrame(X, columns=[f"gene {j}" for j in range(X.shape[1])])
    machine = ARDClassifier().set_output(transform="pandas").fit(frame, y)
    assert list(machine.transform(frame).columns) == [f"gene {j}" for j in machine.relevance_]


def test_kernel_columns_use_all_features():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.square(X).sum(axis=1) > 1.4
    machine = ARDClassifier(kernel="rbf", gamma=0.5).fit(X, y)
    assert machine.score(X, y) > 0.95
    assert machine.get_support().all()
    assert machine.relevance_vectors_.shape == (len(machine.relevance_), 2)
    with pytest.raises(AttributeError, match="linear"):
        _ = machine.coef_


def test_sparse_input_gives_the_same_machine():
    X, y = wide()
    X[np.abs(X) < 1] = 0
    dense, thin = ARDClassifier().fit(X, y), ARDClassifier().fit(sparse.csr_matrix(X), y)
    np.testing.assert_array_equal(dense.relevance_, thin.relevance_)
    np.testing.assert_allclose(dense.predict_proba(X), thin.predict_proba(sparse.csr_matrix(X)), atol=1e-9)


def test_units_and_order_of_features_do_not_matter():
    X, y = wide()
    order = np.random.default_rng(1).permutation(X.shape[1])
    scale = 10.0 ** np.random.default_rng(2).uniform(-3, 3, X.shape[1])
    plain, other = ARDClassifier().fit(X, y), ARDClassifier().fit((X * scale + 7)[:, order], y)
    assert set(order[other.relevance_]) == set(plain.relevance_)
    np.testing.assert_allclose(
        other.predict_proba((X * scale + 7)[:, order]), plain.predict_proba(X), atol=1e-6
    )


def test_many_classes_and_repeated_features():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 60))
    y = np.argmax(X[:, :3] + 0.1 * rng.normal(size=(90, 3)), axis=1)
    X = np.hstack([X, X[:, :5], np.ones((90, 2))])
    machine = ARDClassifier().fit(X, y)
    assert machine.chosen_rounds_.shape == (3,)
    assert machine.score(X, y) > 0.8
    assert not np.isin([65, 66], machine.relevance_).any()
    np.testing.assert_allclose(machine.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"criterion": "best"}, "criterion"),
        ({"tail_scale": 0}, "tail_scale"),
        ({"initial": 2}, "initial"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        ARDClassifier(**arguments).fit(*wide())


def test_thousands_of_features_take_seconds():
    import time

    X, y = wide(36, 7129)
    began = time.process_time()
    machine = ARDClassifier().fit(X, y)
    assert time.process_time() - began < 60
    assert machine.converged_
