"""Bayes machines that average over the posterior of the kernel parameter, against a fine grid of it."""

import warnings

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from pauca import BayesMachineClassifier, SparseBayesMachineClassifier, load, save
from pauca.basis import RBF
from pauca.datasets import make_circle, make_twonorm, make_waveform
from pauca.export import CannotExport

every_machine = pytest.mark.parametrize("Machine", [BayesMachineClassifier, SparseBayesMachineClassifier])


def by_brute_force(X, y, new, noise, n_values=81):
    """Machines at a fine grid of log gamma over the whole range, weighted by their evidence."""
    centred = X - X.mean(axis=0)
    low, high = np.log(RBF().reference_gamma(centred)) + np.log(10) * np.array([-2.5, 1.5])
    grid = np.exp(np.linspace(low, high, n_values))
    with warnings.catch_warnings():  # the widest kernels find one class
        warnings.simplefilter("ignore", ConvergenceWarning)
        machines = [BayesMachineClassifier(gamma=gamma, noise=noise).fit(X, y) for gamma in grid]
    assert len({machine.ep_mode_ for machine in machines}) == 1  # evidences of one kind
    weights = softmax([machine.log_evidence_ for machine in machines])
    predictions = np.array([machine.predict_proba(new) for machine in machines])
    return np.tensordot(weights, predictions, 1), weights @ np.log(grid), machines, weights


def test_average_over_a_fine_grid():
    noise = 0  # all values of gamma settle in one mode of expectation propagation
    X, y = make_circle(60, random_state=0)
    new = make_circle(200, random_state=1)[0]
    expected, log_gamma, machines, weights = by_brute_force(X, y, new, noise)
    machine = BayesMachineClassifier(gamma="posterior", noise=noise).fit(X, y)
    p = machine.predict_proba(new)
    np.testing.assert_allclose(p, expected, atol=0.01)
    posterior = machine.gamma_posterior_
    assert posterior["probability"].sum() == pytest.approx(1)
    assert posterior["probability"] @ np.log(posterior["gamma"]) == pytest.approx(log_gamma, abs=0.05)
    # The average is another prediction than that of the best value.
    best = machines[int(np.argmax(weights))].predict_proba(new)
    assert np.abs(expected - best).max() > 3 * np.abs(expected - p).max()
    np.testing.assert_allclose(np.exp(machine.predict_log_proba(new)), p)
    np.testing.assert_allclose(machine.decision_function(new), np.log(p[:, 1] / p[:, 0]), atol=1e-8)


def test_the_probabilities_are_those_of_the_evidence():
    X, y = make_circle(100, label_noise=0.1, random_state=0)
    machine = BayesMachineClassifier(gamma="posterior").fit(X, y)
    posterior = machine.gamma_posterior_
    steps = np.diff(np.log(posterior["gamma"]))
    np.testing.assert_allclose(steps, steps[0])
    np.testing.assert_allclose(posterior["probability"], softmax(posterior["log_evidence"]))
    assert 0.05 < machine.noise_ < 0.15
    a, b = machine.noise_posterior_
    assert a / (a + b) == pytest.approx(machine.noise_)


def test_flips_of_new_rows_by_bayes_rule():
    X, y = make_circle(60, random_state=2)
    new, labels = make_circle(60, label_noise=0.3, random_state=3)
    machine = BayesMachineClassifier(gamma="posterior").fit(X, y)
    joint = total = 0.0
    for gamma, _, probability in machine.gamma_posterior_:
        each = BayesMachineClassifier(gamma=gamma).fit(X, y)
        label = each.predict_proba(new)[np.arange(60), labels]
        joint = joint + probability * label * each.flip_probability(new, labels)
        total = total + probability * label
    np.testing.assert_allclose(machine.flip_probability(new, labels), joint / total, atol=2e-3)


@every_machine
def test_many_classes_and_averages_of_the_attributes(Machine):
    X, y = make_waveform(120, random_state=0)
    machine = Machine(gamma="posterior").fit(X, y)
    p = machine.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(machine.predict_log_proba(X)), p)
    odds = machine.decision_function(X)
    np.testing.assert_allclose(1 / (1 + np.exp(-odds)), p, atol=1e-8)
    assert machine.noise_.shape == (3,)
    mean = machine.noise_posterior_[:, 0] / machine.noise_posterior_.sum(axis=1)
    np.testing.assert_allclose(mean, machine.noise_)
    assert (
        machine.gamma_ == machine.gamma_posterior_["gamma"][machine.gamma_posterior_["probability"].argmax()]
    )


def test_saved_machines_predict_the_same_and_have_no_portable_form(tmp_path):
    X, y = make_circle(60, random_state=0)
    machine = BayesMachineClassifier(gamma="posterior").fit(X, y)
    save(machine, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(X), machine.predict_proba(X))
    with pytest.raises(CannotExport, match="gamma='evidence'"):
        machine.compiled()


def test_kernels_without_gamma_have_nothing_to_average():
    X, y = make_twonorm(60, random_state=0)
    averaged = BayesMachineClassifier("linear", "posterior").fit(X, y)
    np.testing.assert_array_equal(
        averaged.predict_proba(X), BayesMachineClassifier("linear").fit(X, y).predict_proba(X)
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [BayesMachineClassifier(gamma="posterior"), SparseBayesMachineClassifier(gamma="posterior")]
)
def test_estimator_checks(estimator, check):
    check(estimator)
