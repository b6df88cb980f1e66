"""Labels drawn at random: machines that choose few of many columns predict the base rates."""

import numpy as np
import pytest

from pauca import ARDClassifier, EPCVMClassifier, RVMClassifier


def random_labels(seed, n=40, d=30):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.integers(0, 2, n), rng.normal(size=(200, d))


def excess(machine, seed):
    """Mean log-loss of new rows above log 2, in nats."""
    X, y, new = random_labels(seed)
    p = machine.fit(X, y).predict_proba(new)
    return -0.5 * np.log(p).sum(axis=1).mean() - np.log(2)


@pytest.mark.parametrize("cls", [ARDClassifier, RVMClassifier, EPCVMClassifier])
def test_random_labels_are_given_the_base_rates(cls):
    found = [excess(cls(), seed) for seed in range(1000, 1008)]
    assert np.mean(found) < 0.03
    assert max(found) < 0.1


def test_without_shrinkage_random_labels_are_believed():
    found = [excess(ARDClassifier(shrinkage=False), seed) for seed in range(1000, 1008)]
    assert np.mean(found) > 0.2


def test_what_is_not_believed_is_still_told():
    X, y, new = random_labels(1000)
    machine = ARDClassifier().fit(X, y)
    assert len(machine.relevance_) > 0
    np.testing.assert_array_equal(machine.dual_coef_, 0)
    p = machine.predict_proba(new)
    np.testing.assert_allclose(p, np.broadcast_to(p[0], p.shape))
    np.testing.assert_allclose(p[0], [np.mean(y == 0), np.mean(y == 1)], atol=0.02)


def test_what_the_labels_do_say_is_believed():
    X, _, new = random_labels(0)
    machine = ARDClassifier().fit(X, np.where(X[:, 3] > 0, "b", "a"))
    assert np.mean((machine.predict(new) == "b") == (new[:, 3] > 0)) > 0.9
