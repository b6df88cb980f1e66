"""Members chosen by the evidence: few, of positive weight, and the right ones."""

import numpy as np
import pytest
from scipy.optimize import nnls

from pauca import PrunedEnsembleClassifier, PrunedEnsembleRegressor
from pauca.ensembles import evidence_pruning


def mixture(seed, n_rows=300, noise=0.1):
    """Twelve members of which 2, 5 and 9 make the target, with weights 0.5, 0.3 and 0.2."""
    rng = np.random.default_rng(seed)
    outputs = rng.normal(size=(12, n_rows)) + rng.normal(size=n_rows)
    y = 0.5 * outputs[2] + 0.3 * outputs[5] + 0.2 * outputs[9] + noise * rng.normal(size=n_rows)
    return outputs, y


@pytest.mark.parametrize("seed", range(5))
def test_the_true_members_and_their_weights_are_found(seed):
    found = evidence_pruning(*mixture(seed))
    assert set(found.selected) >= {2, 5, 9}
    assert len(found.selected) <= 5
    weights = dict(zip(found.selected, found.weights, strict=True))
    assert [weights[i] for i in (2, 5, 9)] == pytest.approx([0.5, 0.3, 0.2], abs=0.05)


def test_weights_are_near_those_of_non_negative_least_squares():
    outputs, y = mixture(0)
    found, reference = evidence_pruning(outputs, y), nnls(outputs.T, y)[0]
    np.testing.assert_allclose(found.weights, reference[found.selected], atol=0.03)


def test_a_member_that_helps_only_with_a_negative_weight_is_left_out():
    rng = np.random.default_rng(0)
    signal, nuisance = rng.normal(size=(2, 200))
    outputs = np.stack([signal + nuisance, nuisance])
    found = evidence_pruning(outputs, signal)
    assert found.selected.tolist() == [0]
    assert (found.weights > 0).all()


def test_units_do_not_matter():
    outputs, y = mixture(1)
    found, scaled = evidence_pruning(outputs, y), evidence_pruning(1e4 * outputs + 7, 1e4 * y + 7)
    assert scaled.selected.tolist() == found.selected.tolist()
    np.testing.assert_allclose(scaled.weights, found.weights, rtol=1e-4)


def test_weights_are_repetitions():
    outputs, y = mixture(2, 150)
    weights = np.random.default_rng(0).integers(0, 3, 150)
    repeated = np.repeat(np.arange(150), weights)
    found = evidence_pruning(outputs, y, sample_weight=weights)
    again = evidence_pruning(outputs[:, repeated], y[repeated])
    assert found.selected.tolist() == again.selected.tolist()
    np.testing.assert_allclose(found.weights, again.weights, rtol=0.02)


def test_several_targets():
    outputs, y = mixture(3)
    stacked = np.stack([outputs, outputs[:, ::-1]], axis=-1)
    found = evidence_pruning(stacked, np.column_stack([y, y[::-1]]))
    assert set(found.selected) >= {2, 5, 9}


def voters(n_classes, seed=0, n_rows=400):
    """Ten voters, of whom the first three are right far more often than chance."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    right = rng.random((10, n_rows)) < np.r_[0.8, 0.8, 0.8, [1 / n_classes] * 7][:, None]
    return np.where(right, y, (y + rng.integers(1, n_classes, (10, n_rows))) % n_classes), y


@pytest.mark.parametrize("n_classes", [2, 4])
def test_good_voters_are_found(n_classes):
    found = evidence_pruning(*voters(n_classes), task="classification")
    assert set(found.selected) >= {0, 1, 2}
    assert len(found.selected) <= 6
    assert (found.weights > 0).all()


def test_useless_members_leave_nothing():
    rng = np.random.default_rng(0)
    outputs, y = np.ones((4, 50)), rng.normal(size=50)
    assert len(evidence_pruning(outputs, y).selected) == 0


def test_estimators_choose_their_size(bagging, forest, friedman, waveform):
    pruned = PrunedEnsembleRegressor(bagging, "evidence", size="auto").fit(*friedman)
    assert 1 < len(pruned.selected_) < 24
    capped = PrunedEnsembleRegressor(bagging, "evidence", size=3).fit(*friedman)
    assert len(capped.selected_) == 3
    assert set(capped.selected_) < set(pruned.selected_)
    voting = PrunedEnsembleClassifier(forest, "evidence", size="auto").fit(*waveform)
    assert voting.score(*waveform) > 0.8


def test_one_member_is_kept_at_least(friedman):
    class Constant:
        def predict(self, X):
            return np.zeros(len(X))

    assert len(PrunedEnsembleRegressor([Constant(), Constant()], "evidence").fit(*friedman).selected_) == 1


def test_rows_left_out_are_not_for_the_evidence(bagging, friedman):
    with pytest.raises(ValueError, match="needs the outputs of all members for all rows"):
        PrunedEnsembleRegressor(bagging, "evidence", selection="oob").fit(*friedman)
