"""Generators follow their formulas: Bayes errors, moments, exact functions."""

import numpy as np
import pytest
from scipy.stats import kstest, multivariate_normal, norm
from sklearn import datasets as sklearn_datasets

from pauca.datasets import (
    make_bumpy,
    make_circle,
    make_friedman1,
    make_friedman2,
    make_friedman3,
    make_overlap,
    make_peak,
    make_relevance,
    make_ringnorm,
    make_ripley,
    make_sinc,
    make_sparse_linear,
    make_spiral,
    make_threenorm,
    make_twonorm,
    make_waveform,
    ripley_posterior,
    sinc_function,
)

N = 40_000


def error_rate(score, y):
    """Error rate of the classifier that predicts 1 where the score is positive."""
    return np.mean((score > 0) != y)


def test_ripley_posterior_is_the_ratio_of_the_class_densities():
    X = np.random.default_rng(0).uniform(-1.5, 1.5, size=(50, 2))
    centres = [[(-0.7, 0.3), (0.3, 0.3)], [(-0.3, 0.7), (0.4, 0.7)]]
    density = [sum(multivariate_normal(m, 0.03 * np.eye(2)).pdf(X) for m in pair) for pair in centres]
    np.testing.assert_allclose(ripley_posterior(X), density[1] / (density[0] + density[1]), rtol=1e-9)


def test_ripley_posterior_far_away_and_bad_shape():
    assert np.isfinite(ripley_posterior([[1e3, -1e3]])).all()
    with pytest.raises(ValueError, match=r"X must have shape \(n_samples, 2\)"):
        ripley_posterior(np.zeros((3, 3)))


def test_ripley_bayes_error_and_calibration():
    X, y = make_ripley(N, random_state=0)
    probability = ripley_posterior(X)
    assert error_rate(probability - 0.5, y) == pytest.approx(0.0893, abs=0.005)
    assert np.mean(np.minimum(probability, 1 - probability)) == pytest.approx(0.0893, abs=0.005)
    middle = (probability > 0.4) & (probability < 0.6)
    assert y[middle].mean() == pytest.approx(0.5, abs=0.04)


@pytest.mark.parametrize("n_features", [2, 20])
def test_twonorm_bayes_error(n_features):
    X, y = make_twonorm(N, n_features=n_features, random_state=1)
    assert error_rate(X.sum(axis=1), y) == pytest.approx(norm.cdf(-2), abs=0.003)


@pytest.mark.parametrize(("shift", "error"), [(1.0, 0.0151), (2.0, 0.0124)])
def test_ringnorm_bayes_error(shift, error):
    X, y = make_ringnorm(N, shift=shift, random_state=2)
    a = shift / np.sqrt(20)
    score = norm.logpdf(X, a, 1).sum(axis=1) - norm.logpdf(X, 0, 2).sum(axis=1)
    assert error_rate(score, y) == pytest.approx(error, abs=0.0025)


def test_threenorm_bayes_error():
    X, y = make_threenorm(N, random_state=3)
    c = 2 / np.sqrt(20)
    alternating = c * np.where(np.arange(20) % 2 == 0, 1, -1)
    both = np.logaddexp(norm.logpdf(X, c).sum(axis=1), norm.logpdf(X, -c).sum(axis=1)) - np.log(2)
    score = norm.logpdf(X, alternating).sum(axis=1) - both
    assert error_rate(score, y) == pytest.approx(0.104, abs=0.006)


def test_overlap_bumpy_and_relevance_bayes_errors():
    X, y = make_overlap(N, separation=3, random_state=4)
    assert error_rate(X.sum(axis=1), y) == pytest.approx(norm.cdf(-1.5), abs=0.006)
    X, y = make_bumpy(N, length=1.0, width=0.3, random_state=4)
    assert error_rate(abs(X[:, 1]) - abs(X[:, 0]), y) == pytest.approx(2 / np.pi * np.arctan(0.3), abs=0.006)
    X, y = make_relevance(N, n_features=5, random_state=4)
    assert error_rate(X[:, 0], y) == pytest.approx(norm.cdf(-2), abs=0.003)
    assert error_rate(X[:, 3], y) == pytest.approx(0.5, abs=0.01)


def test_circle_labels_and_exact_number_of_flips():
    X, y = make_circle(1000, label_noise=0.05, random_state=5)
    outside = (X**2).sum(axis=1) >= 0.5
    assert np.count_nonzero(y != outside) == 50
    assert np.abs(X).max() <= 1
    _, y = make_circle(N, random_state=5)
    assert y.mean() == pytest.approx(1 - np.pi / 8, abs=0.01)


def test_spiral_arms_are_the_curves_of_the_formula():
    X, y = make_spiral(500, turns=2.0, noise=0.0, random_state=6)
    radius = np.hypot(*X.T)
    angle = 4 * np.pi * radius + np.pi * y
    np.testing.assert_allclose(
        X, radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), atol=1e-12
    )
    assert kstest(radius**2, "uniform").pvalue > 0.01


def test_waveform_class_means_and_two_class_form():
    X, y = make_waveform(N, random_state=7)
    i = np.arange(1, 22)
    h1, h2, h3 = (np.maximum(6 - abs(i - peak), 0) for peak in (11, 15, 7))
    for label, waves in enumerate([(h1, h2), (h1, h3), (h2, h3)]):
        np.testing.assert_allclose(X[y == label].mean(axis=0), sum(waves) / 2, atol=0.08)
    X_two, y_two = make_waveform(N, n_classes=2, random_state=7)
    np.testing.assert_array_equal(X_two, X)
    np.testing.assert_array_equal(y_two, y == 1)


def test_sparse_linear_is_separated_by_its_own_weights():
    X, y, w = make_sparse_linear(500, 40, 7, coef=True, random_state=8)
    assert np.count_nonzero(w) == 7
    np.testing.assert_array_equal(y, X @ w > 0)
    weights = [make_sparse_linear(1, 10, 10, coef=True, random_state=seed)[2] for seed in range(300)]
    assert np.mean(weights) == pytest.approx(-0.5, abs=0.08)
    assert np.std(weights) == pytest.approx(1.0, abs=0.06)


def test_sinc_truth_and_noise():
    np.testing.assert_allclose(sinc_function([0.0, np.pi, 2.0]), [1.0, 0.0, np.sin(2.0) / 2.0], atol=1e-15)
    X, y = make_sinc(N, random_state=9)
    assert np.std(y - sinc_function(X[:, 0])) == pytest.approx(0.1, abs=0.002)
    assert kstest(X[:, 0], "uniform", args=(-10, 20)).pvalue > 0.01
    X, y = make_sinc(5, grid=True, noise=0.0)
    np.testing.assert_allclose(X[:, 0], [-10, -5, 0, 5, 10])
    np.testing.assert_allclose(y, sinc_function(X[:, 0]))


def test_peak_is_a_function_of_the_distance():
    X, y = make_peak(5000, random_state=10)
    r = np.linalg.norm(X, axis=1)
    np.testing.assert_allclose(y, 25 * np.exp(-(r**2) / 2))
    assert kstest(r / 3, "uniform").pvalue > 0.01
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=0.03)


@pytest.mark.parametrize("make", [make_friedman1, make_friedman2, make_friedman3])
def test_friedman_is_scikit_learns(make):
    X, y = make(50, noise=0.5, random_state=11)
    X_theirs, y_theirs = getattr(sklearn_datasets, make.__name__)(50, noise=0.5, random_state=11)
    np.testing.assert_array_equal(X, X_theirs)
    np.testing.assert_array_equal(y, y_theirs)
