"""Latent means of many classes are as large as makes labels left out most probable."""

import numpy as np
import pytest

from pauca import SparseGPClassifier
from pauca.fitting.processes.many_classes import fit as module


def three_classes(n, noise):
    """Rows around a triangle, and their classes."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    corners = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 1.7]])
    return corners[y] + noise * rng.normal(size=(n, 2)), y


def fitted_with_and_without(monkeypatch, X, y, **options):
    """Machine, and machine whose means have the factor one."""
    machine = SparseGPClassifier("rbf", **options).fit(X, y)
    monkeypatch.setattr(module, "sharpness", lambda *parts: 1.0)
    return machine, SparseGPClassifier("rbf", **options).fit(X, y)


def test_new_labels_of_classes_that_separate_are_more_probable(monkeypatch):
    X, y = three_classes(240, 0.35)
    sharp, plain = fitted_with_and_without(monkeypatch, X[:60], y[:60])
    losses = [-np.log(m.predict_proba(X[60:])[np.arange(180), y[60:]]).mean() for m in (sharp, plain)]
    assert losses[0] < losses[1]
    far = np.array([[1e4, -1e4]])
    np.testing.assert_allclose(sharp.predict_proba(far), plain.predict_proba(far), atol=1e-9)


@pytest.mark.parametrize("case", ["copies", "given"])
def test_copies_and_given_kernels_have_no_factor(monkeypatch, case):
    X, y = three_classes(30, 0.35)
    if case == "copies":
        X, y = np.vstack([X, X]), np.append(y, y)
    options = {"gamma": 0.5} if case == "given" else {}
    machine, plain = fitted_with_and_without(monkeypatch, X, y, **options)
    np.testing.assert_array_equal(machine.predict_proba(X), plain.predict_proba(X))
