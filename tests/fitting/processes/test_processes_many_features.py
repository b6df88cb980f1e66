"""Screening of many features: densities, calibration under no effect, what is found, and the machines."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import chi2, multivariate_normal

from pauca import SparseGPClassifier, SparseGPRegressor
from pauca.basis import RBF
from pauca.fitting import Limits, training_rows
from pauca.fitting.processes import Process, ProcessProblem, ProcessTrial
from pauca.fitting.processes.many_features import Narrow, group_significance, relevant_groups
from pauca.fitting.processes.many_features.statistics import Residuals
from pauca.likelihoods import Gaussian


def residuals(n=40, n_targets=1, seed=0, rank=1):
    """Targets drawn from a process, and what their density says."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, 2))
    covariance = 2 * RBF(0.3)(rows, rows)
    C = covariance + 0.5 * np.eye(n)
    targets = np.linalg.cholesky(C) @ rng.normal(size=(n, n_targets))
    precision = np.linalg.inv(C)
    return C, targets, Residuals(precision, precision @ targets, None, rank), covariance


def test_main_effects_have_the_score_test_of_the_density():
    C, targets, found, _ = residuals()
    u = np.sign(np.random.default_rng(1).normal(size=40))
    u[:20] = -u[20:]  # mean zero, variance one, and a square that is constant
    significance = group_significance(u[:, None], np.zeros(1, dtype=int), found)
    step = 1e-6

    def density(variance):
        return multivariate_normal(np.zeros(40), C + variance * np.outer(u, u)).logpdf(targets[:, 0])

    derivative = (density(step) - density(-step)) / (2 * step)
    information = u @ np.linalg.solve(C, u)
    statistic = (2 * derivative + information) / information
    np.testing.assert_allclose(significance, -chi2.logsf(statistic, 1), rtol=1e-3)


@pytest.mark.parametrize("size", [1, 3])
def test_groups_without_effect_are_significant_as_often_as_chance_says(size):
    _, _, found, covariance = residuals(n=150, n_targets=2, rank=2)
    X, groups = np.random.default_rng(3).normal(size=(150, 600 * size)), np.repeat(np.arange(600), size)
    main = group_significance(X, groups, found)
    # Minus log p is exponential; its mean has the standard error 600^-1/2 = .04.
    assert abs(main.mean() - 1) < 0.15
    joint = group_significance(X, groups, found._replace(covariance=covariance))
    assert (joint > np.log(10 * 600)).sum() <= 2


def test_interactions_with_the_process_are_seen():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 60))
    targets = (X[:, :1] * X[:, 1:2]) + 0.3 * rng.normal(size=(400, 1))
    seen = X[:, :1]
    covariance = RBF(0.1)(seen, seen)
    precision = np.linalg.inv(covariance + np.eye(400))
    found = group_significance(X, np.arange(60), Residuals(precision, precision @ targets, covariance, 1))
    assert found[1] > 2 * found[2:].max()


def few_of_many(n=300, d=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 3] + np.square(X[:, 7]) + 2 * np.sin(X[:, 11]) * (X[:, 3] + 0.7)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_the_groups_that_matter_are_found(as_sparse):
    X, f = few_of_many()
    y = ((f - f.mean()) / f.std())[:, None]
    rows = sparse.csr_array(X) if as_sparse else X
    assert set(relevant_groups(rows, np.arange(120), y, 0)[0]) >= {3, 7, 11}
    assert set(relevant_groups(rows, np.arange(120) // 4, y, 0)[0]) >= {0, 1, 2}


def test_targets_without_signal_have_no_groups():
    rng = np.random.default_rng(0)
    kept, scales = relevant_groups(rng.normal(size=(200, 300)), np.arange(300), rng.normal(size=(200, 1)), 0)
    assert len(kept) == len(scales) <= 1


@pytest.mark.parametrize("groups", [None, np.arange(12) // 2])
def test_a_narrow_process_is_the_same_among_all_features(groups):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 12)) * np.arange(1, 13)
    data = training_rows(X, rng.normal(size=30), np.ones(30))
    problem = ProcessProblem(data, Gaussian(), [RBF(1.0)], Limits(), groups=groups)
    narrow = Narrow.of(problem, np.array([1, 4]))
    scales = np.array([0.5, 2.0])
    process = Process(RBF(0.1), 2.0, scales=scales, groups=narrow.problem.groups)
    trial = ProcessTrial(process, Gaussian(), 0.0, 0.0)
    wide, rows = narrow.widened(trial), narrow.problem.data.X
    np.testing.assert_allclose(
        wide.process.covariance(data.X, data.X[:5]), process.covariance(rows, rows[:5]), rtol=1e-12
    )
    np.testing.assert_allclose(narrow.narrowed(wide).process.scales, scales)
    np.testing.assert_allclose(narrow.rows(data.X), rows)
    flat = replace(trial, process=replace(process, scales=None))
    assert (narrow.widened(flat).process.factors[narrow.columns] > 0).all()


def test_a_classifier_of_many_features_sees_few():
    X, f = few_of_many(350, 70)
    y = f > np.median(f)
    machine = SparseGPClassifier("rbf").fit(X[:250], y[:250])
    seen = np.flatnonzero(machine.feature_scales_)
    assert set(seen) >= {3, 7}
    assert len(seen) <= 20
    assert machine.score(X[250:], y[250:]) > 0.75
    shares = machine.feature_importances_
    np.testing.assert_allclose(shares.sum(), 1)
    assert (shares[machine.feature_scales_ == 0] == 0).all()


def test_classes_and_numbers_of_many_features():
    X, f = few_of_many(300, 70)
    classes = np.digitize(f, np.quantile(f, [1 / 3, 2 / 3]))
    machine = SparseGPClassifier("rbf").fit(X[:200], classes[:200])
    assert 0 < np.count_nonzero(machine.feature_scales_) <= 10
    assert machine.score(X[200:], classes[200:]) > 0.5
    numbers = SparseGPRegressor("rbf").fit(X[:200], f[:200])
    assert 0 < np.count_nonzero(numbers.feature_scales_) <= 10
    assert numbers.score(X[200:], f[200:]) > 0.8
