"""Bayes machines that learn a matrix of confusion between classes."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from pauca import BayesMachineClassifier, SparseBayesMachineClassifier, load, save
from pauca.datasets import make_circle

every_machine = pytest.mark.parametrize("Machine", [BayesMachineClassifier, SparseBayesMachineClassifier])
CONFUSION = np.array([[0.95, 0.05, 0.0], [0.35, 0.65, 0.0], [0.0, 0.0, 1.0]])


def sectors(n, seed=0):
    """Three classes in three sectors of the plane, and their true names."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.minimum((np.arctan2(X[:, 1], X[:, 0]) + np.pi) // (2 * np.pi / 3), 2).astype(int)


def confused(n, seed=0):
    X, truth = sectors(n, seed)
    rng = np.random.default_rng(seed + 100)
    labels = np.array([rng.choice(3, p=CONFUSION[code]) for code in truth])
    return X, truth, labels


@every_machine
def test_recovers_the_matrix_and_the_true_classes(Machine):
    X, truth, labels = confused(400)
    machine = Machine(confusion=True).fit(X, np.array(["a", "b", "c"])[labels])
    np.testing.assert_allclose(machine.confusion_, CONFUSION, atol=0.09)
    np.testing.assert_allclose(machine.confusion_.sum(axis=1), 1)
    found = machine.true_class_probability_
    assert np.mean(found.argmax(axis=1) == truth) > 0.95
    np.testing.assert_allclose(machine.flip_probability_, 1 - found[np.arange(400), labels])
    new, new_truth, _ = confused(600, seed=1)
    assert np.mean(machine.predict(new) == np.array(["a", "b", "c"])[new_truth]) > 0.95
    wrong = machine.flip_probability(new, np.array(["a", "b", "c"])[(new_truth + 1) % 3])
    assert wrong.mean() > 0.8
    np.testing.assert_allclose(machine.noise_, 1 - np.diag(machine.confusion_))
    mean = machine.noise_posterior_[:, 0] / machine.noise_posterior_.sum(axis=1)
    np.testing.assert_allclose(mean, machine.noise_)
    assert machine.converged_


@pytest.mark.slow
def test_probabilities_of_true_classes_are_calibrated():
    X, truth, labels = confused(300, seed=3)
    machine = BayesMachineClassifier(confusion=True, gamma=0.5).fit(X, labels)
    p = machine.true_class_probability_
    own = p[np.arange(300), truth]
    for low, high in ((0.0, 0.3), (0.7, 1.0)):
        rows, classes = np.nonzero((p >= low) & (p <= high))
        assert np.mean(truth[rows] == classes) == pytest.approx(p[rows, classes].mean(), abs=0.04)
    assert np.log(own).mean() > -0.15


def test_two_classes_may_have_different_shares_of_errors():
    X, truth = make_circle(300, random_state=0)
    rng = np.random.default_rng(0)
    labels = np.where((truth == 1) & (rng.random(300) < 0.3), 0, truth)
    machine = BayesMachineClassifier(confusion=True).fit(X, labels)
    wrong = np.mean(labels[truth == 1] == 0)
    np.testing.assert_allclose(machine.confusion_, [[1, 0], [wrong, 1 - wrong]], atol=0.08)
    assert machine.predict_proba(X).shape == (300, 2)
    assert machine.decision_function(X).shape == (300,)


@every_machine
def test_weights_are_repetitions_of_rows(Machine):
    X, _, labels = confused(60)
    weights = np.random.default_rng(0).integers(0, 3, 60)
    weighted = Machine(gamma=0.5, confusion=True).fit(X, labels, sample_weight=weights)
    repeated = Machine(gamma=0.5, confusion=True).fit(
        np.repeat(X, weights, axis=0), np.repeat(labels, weights)
    )
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-8)
    np.testing.assert_allclose(
        np.repeat(weighted.true_class_probability_, weights, axis=0),
        repeated.true_class_probability_,
        atol=1e-8,
    )
    np.testing.assert_allclose(weighted.true_class_probability_.sum(axis=1), 1)


def test_all_rows_active_is_the_machine_of_all_rows():
    X, _, labels = confused(45)
    new = sectors(50, seed=5)[0]
    full = BayesMachineClassifier(gamma=0.5, confusion=True).fit(X, labels)
    sparse_one = SparseBayesMachineClassifier(gamma=0.5, confusion=True, n_active=45).fit(X, labels)
    np.testing.assert_allclose(sparse_one.predict_proba(new), full.predict_proba(new), atol=1e-3)


def test_saved_machines_predict_the_same(tmp_path):
    X, _, labels = confused(30)
    for options in ({"gamma": 0.5}, {"gamma": "posterior"}):
        machine = SparseBayesMachineClassifier(confusion=True, **options).fit(X, labels)
        save(machine, tmp_path / "model")
        np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(X), machine.predict_proba(X))
        np.testing.assert_array_equal(load(tmp_path / "model").confusion_, machine.confusion_)


def test_arguments_that_contradict_each_other():
    X, _, labels = confused(30)
    with pytest.raises(ValueError, match="noise must be None"):
        BayesMachineClassifier(confusion=True, noise=0.1).fit(X, labels)
    with pytest.raises(ValueError, match="confusion"):
        BayesMachineClassifier(confusion="yes").fit(X, labels)
    with pytest.raises(AttributeError, match="confusion=True"):
        _ = BayesMachineClassifier(gamma=0.5).fit(X, labels).confusion_


# One of the checks has class weights of 1000 and 1e-4, with which all rows are rightly of one class.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [BayesMachineClassifier(confusion=True, gamma="scale"), SparseBayesMachineClassifier(confusion=True)]
)
def test_estimator_checks(estimator, check):
    check(estimator)
