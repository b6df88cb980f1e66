"""Peers that choose their parameters, and sparse logistic regression."""

import numpy as np
import pytest
from benchmarks.harness.peers import Searched, SparseLogistic
from benchmarks.harness.problems import half
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from pauca.evaluation import n_vectors


def test_sparse_logistic_is_the_penalised_regression_on_kernel_columns():
    problem = half("wdbc", 0)
    machine = SparseLogistic(C=3.0, gamma=0.02).fit(problem.X, problem.y)
    K = rbf_kernel(problem.X, gamma=0.02)
    whole = LogisticRegression(l1_ratio=1, solver="liblinear", C=3.0, max_iter=200, random_state=0)
    whole.fit(K, problem.y)
    K_test = rbf_kernel(problem.X_test, problem.X, gamma=0.02)
    np.testing.assert_allclose(machine.predict_proba(problem.X_test), whole.predict_proba(K_test))
    assert 0 < n_vectors(machine) < len(problem.y) / 2


def test_sparse_logistic_without_a_vector_predicts_the_intercept():
    problem = half("wdbc", 0)
    machine = SparseLogistic(C=1e-4, gamma=0.02).fit(problem.X, problem.y)
    assert n_vectors(machine) == 0
    np.testing.assert_allclose(machine.predict_proba(problem.X_test), 0.5)


def test_a_search_takes_the_better_parameter_and_calibrates():
    problem = half("wdbc", 0)
    machine = Searched(SVC(), {"gamma": [0.01, 1000.0]}, max_rows=100).fit(problem.X, problem.y)
    assert machine.best_estimator_.estimator.gamma == 0.01
    assert machine.predict_proba(problem.X_test).sum(axis=1) == pytest.approx(1.0)
