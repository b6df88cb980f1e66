"""Which model of a path is kept."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import ndtr

from pauca.likelihoods import Probit
from pauca.selection import Barrier, Criterion, Path, loo_estimates
from pauca.selection.criteria import LOOEstimates


def test_counts_and_probabilities_of_errors():
    y, mean, var = np.array([1, 1, -1.0]), np.array([0.5, -0.2, 0.0]), np.array([3.0, 0.0, 1.0])
    weights = np.array([1.0, 2.0, 1.0])
    estimates = loo_estimates(Probit(), y, weights, mean, var)
    assert estimates.loo_error == pytest.approx(3 / 4)  # one wrong row of weight two, one undecided
    z = y * mean / np.sqrt(1 + var)
    assert estimates.loo_probability == pytest.approx(weights @ ndtr(-z) / 4)
    assert estimates.loo_log_density == pytest.approx(weights @ np.log(ndtr(z)) / 4)
    scaled = loo_estimates(Probit(), y, weights, mean, var, tail_scale=50.0)
    assert scaled.loo_probability == pytest.approx(weights @ ndtr(-50 * z) / 4)


@pytest.mark.parametrize(
    ("criterion", "chosen"), [(None, 3), ("evidence", 3), ("loo_error", 1), ("loo_probability", 2)]
)
def test_ties_go_to_the_first(criterion, chosen):
    path = Path(criterion and Criterion(criterion))
    estimates = [(0.5, 0.5), (0.1, 0.3), (0.1, 0.2), (0.4, 0.2)]
    for k, (error, probability) in enumerate(estimates):
        model = SimpleNamespace(log_evidence=float(k), active=np.arange(k), name=k)
        path.add(model, 1, 0, LOOEstimates(error, probability, -1.0))
    assert path.chosen == path.model.name == chosen
    assert len(path.records) == 4


def test_those_tried_in_vain_wait_until_something_changes():
    quiet, busy = SimpleNamespace(add=[], is_quiet=True), SimpleNamespace(add=[3], is_quiet=False)
    barrier = Barrier().after(busy, quiet, True, 0.0)
    np.testing.assert_array_equal(barrier.blocked, [3])
    assert not barrier.is_stale
    barrier = barrier.after(quiet, quiet, False, 0.5)
    np.testing.assert_array_equal(barrier.blocked, [3])
    assert barrier.is_stale
    assert len(barrier.after(quiet, quiet, True, 0.0).blocked) == 0
    assert len(barrier.after(busy, busy, False, 1.0).blocked) == 0
