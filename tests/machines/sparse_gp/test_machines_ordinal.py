"""SparseGPOrdinalClassifier: learned thresholds, order of the classes, far from the data."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss
from sklearn.utils.estimator_checks import parametrize_with_checks

from pauca import SparseGPClassifier, SparseGPOrdinalClassifier
from pauca.persistence import load, save

THRESHOLDS = np.array([-1.0, 0.0, 2.0])


def ratings(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(n, 2))
    f = 2 * np.sin(X[:, 0]) + 0.7 * X[:, 1]
    return X, np.digitize(f + 0.5 * rng.normal(size=n), THRESHOLDS)


def truth(X):
    """Probabilities of the classes that draw `ratings`."""
    from scipy.stats import norm

    f = 2 * np.sin(X[:, 0]) + 0.7 * X[:, 1]
    return np.diff(norm.cdf((THRESHOLDS - f[:, None]) / 0.5), axis=1, prepend=0, append=1)


def test_thresholds_and_probabilities_are_found():
    X, y = ratings(400)
    new, labels = ratings(400, seed=1)
    machine = SparseGPOrdinalClassifier("rbf").fit(X, y)
    gaps = np.diff(machine.thresholds_)
    assert machine.thresholds_[0] == 0
    # In units of the noise of 0.5: one is two, two are four.
    np.testing.assert_allclose(gaps, [2.0, 4.0], rtol=0.3)
    probabilities = machine.predict_proba(new)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert np.sqrt(np.mean(np.square(probabilities - truth(new)))) < 0.08
    assert log_loss(labels, probabilities) < log_loss(labels, truth(new)) + 0.06


def test_order_is_worth_more_than_unordered_classes():
    X, y = ratings(100)
    new, labels = ratings(400, seed=2)
    ours, unordered = (cls("rbf").fit(X, y) for cls in (SparseGPOrdinalClassifier, SparseGPClassifier))
    assert log_loss(labels, ours.predict_proba(new)) < log_loss(labels, unordered.predict_proba(new))


def test_names_of_classes_in_their_order():
    X, y = ratings(80)
    names = np.array(["poor", "fair", "good", "excellent"])
    plain = SparseGPOrdinalClassifier("rbf").fit(X, y)
    named = SparseGPOrdinalClassifier("rbf", classes=names).fit(X, names[y])
    np.testing.assert_array_equal(named.classes_, names)
    np.testing.assert_allclose(named.predict_proba(X), plain.predict_proba(X), rtol=1e-9)
    np.testing.assert_array_equal(named.predict(X), names[plain.predict(X)])
    turned = SparseGPOrdinalClassifier("rbf", classes=names[::-1]).fit(X, names[y])
    np.testing.assert_allclose(turned.predict_proba(X)[:, ::-1], plain.predict_proba(X), atol=0.08)
    for wrong, message in ((names[:3], "'excellent' is missing"), (["a", "a"], "each class once")):
        with pytest.raises(ValueError, match=message):
            SparseGPOrdinalClassifier("rbf", classes=wrong).fit(X, names[y])


def test_log_probabilities_and_uncertainty():
    X, y = ratings(80)
    machine = SparseGPOrdinalClassifier("rbf", trend=False).fit(X, y)
    far = np.array([[1e4, 0.0], [50.0, -50.0]])
    np.testing.assert_allclose(np.exp(machine.predict_log_proba(X)), machine.predict_proba(X), atol=1e-12)
    assert np.isfinite(machine.predict_log_proba(far)).all()
    shares = np.bincount(y) / len(y)
    assert np.abs(machine.predict_proba(far) - shares).max() < 0.25
    (noise, ignorance), (_, there) = machine.predict_uncertainty(X), machine.predict_uncertainty(far)
    entropy = -(machine.predict_proba(X) * machine.predict_log_proba(X)).sum(axis=1)
    np.testing.assert_allclose(noise + ignorance, entropy, rtol=1e-6)
    assert there.min() > np.median(ignorance)
    np.testing.assert_allclose(machine.novelty(far), 1, atol=1e-6)
    assert machine.feature_importances_.sum() == pytest.approx(1)


def test_weights_are_repetitions():
    X, y = ratings(60)
    count = np.random.default_rng(0).integers(1, 4, size=60)
    machine = SparseGPOrdinalClassifier("rbf")
    weighted = clone(machine).fit(X, y, count)
    repeated = clone(machine).fit(np.repeat(X, count, axis=0), np.repeat(y, count))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-5)


def test_two_classes_and_saved(tmp_path):
    X, y = ratings(60)
    machine = SparseGPOrdinalClassifier("rbf").fit(X, y > 1)
    assert machine.thresholds_.tolist() == [0.0]
    assert machine.score(X, y > 1) > 0.85
    save(machine, tmp_path / "model.pauca")
    np.testing.assert_array_equal(load(tmp_path / "model.pauca").predict_proba(X), machine.predict_proba(X))


@pytest.mark.slow
@parametrize_with_checks([SparseGPOrdinalClassifier("rbf", feature_scales=None)])
def test_estimator_checks(estimator, check):
    check(estimator)
