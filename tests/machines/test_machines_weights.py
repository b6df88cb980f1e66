"""A weight means what it says: rows written out, and rows merged into weights, give the same machine."""

import inspect

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning

from pauca import BayesMachineClassifier, SparseBayesMachineClassifier, machines
from pauca.datasets import load, make_circle
from pauca.inference.ep import MODES, dual_ep
from pauca.likelihoods import LabelNoise

EVERY = [getattr(machines, name) for name in machines.__all__ if name.endswith(("ifier", "essor"))]
MACHINES = [machine for machine in EVERY if "sample_weight" in inspect.signature(machine.fit).parameters]
NOISY = [BayesMachineClassifier, SparseBayesMachineClassifier]


def few_places(seed, kind):
    """Counted rows of a table with few distinct x, many of which come with several targets."""
    rng = np.random.default_rng(seed)
    if kind == "continuous":
        X, weights = rng.normal(size=(40, 3)), rng.integers(1, 5, 40)
    else:
        X, weights = rng.integers(0, 2, (24, 4)).astype(float), rng.integers(1, 30, 24)
    f = 2 * X[:, 0] - X[:, 1] - 0.5 + 0.6 * rng.normal(size=len(X))
    return X, f, weights


def test_every_machine_takes_weights():
    assert MACHINES == EVERY


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", ["continuous", "few places"])
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("Machine", MACHINES, ids=lambda machine: machine.__name__)
def test_weights_are_rows_written_out(Machine, seed, kind):
    X, f, weights = few_places(seed, kind)
    y = (f > 0).astype(int) if is_classifier(Machine()) else f
    # Written out, and partly merged already: a part of each count as rows, the rest as a weight.
    part = weights // 2
    mixed = np.repeat(X, part, axis=0), np.repeat(y, part), np.ones(part.sum())
    mixed = (np.vstack([mixed[0], X]), np.append(mixed[1], y), np.append(mixed[2], weights - part))
    weighted = Machine().fit(X, y, sample_weight=weights)
    repeated = Machine().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    half = Machine().fit(*mixed[:2], sample_weight=mixed[2])
    new = np.vstack([X, np.random.default_rng(9).normal(size=(200, X.shape[1]))])
    for other in (repeated, half):
        if hasattr(weighted, "log_evidence_"):
            assert other.log_evidence_ == pytest.approx(weighted.log_evidence_, abs=1e-3)
        if is_classifier(weighted):
            assert np.mean(weighted.predict(new) != other.predict(new)) < 0.005
        else:
            np.testing.assert_allclose(weighted.predict(new), other.predict(new), atol=1e-3)


@pytest.mark.parametrize("rate", [0.1, 0.3])
def test_contradicting_labels_of_one_row_are_one_factor(rate):
    # One u with s labels +1 and t labels -1: the posterior probability of its sign is elementary.
    votes = np.array([[7.0, 4.0]])
    fit = dual_ep(np.array([[3.0]]), LabelNoise.fixed(rate), votes, tol=1e-10)
    right, wrong = (1 - rate) ** 7 * rate**4, rate**7 * (1 - rate) ** 4
    assert fit.flip[0] == pytest.approx(wrong / (right + wrong), rel=1e-6)
    assert fit.log_evidence == pytest.approx(np.log((right + wrong) / 2), rel=1e-6)
    assert fit.converged


@pytest.mark.parametrize("seed", range(3))
def test_rows_nearly_equal_are_rows_with_weights(seed):
    # Copies at a tiny distance have factors of their own; the machine must not depend on which it sees.
    rng = np.random.default_rng(seed)
    X = few_places(seed, "few places")[0]
    X = np.unique(X, axis=0)
    y = (2 * X[:, 0] - X[:, 1] - 0.5 > 0).astype(int)
    counts = rng.integers(3, 9, len(X))
    wrong = np.repeat(y, counts)
    wrong = np.where(rng.random(len(wrong)) < 0.15, 1 - wrong, wrong)
    rows = np.repeat(X, counts, axis=0)
    merged = BayesMachineClassifier(gamma=0.5).fit(rows, wrong)
    apart = BayesMachineClassifier(gamma=0.5).fit(rows + 0.02 * rng.normal(size=rows.shape), wrong)
    assert merged.converged_
    assert np.mean(merged.predict(X) == y) >= np.mean(apart.predict(X) == y) - 0.1
    assert merged.noise_ == pytest.approx(apart.noise_, abs=0.06)


@pytest.mark.parametrize("Machine", NOISY)
def test_no_improper_posterior_passes_as_converged(Machine):
    X, _ = make_circle(60, random_state=0)
    with pytest.warns(ConvergenceWarning, match="one class"):
        # A kernel that is nearly constant cannot tell the rows apart.
        machine = Machine(gamma=1e-9, noise=0.45).fit(X, np.where(np.arange(60) % 5, 0, 1))
    assert not machine.converged_
    sites = np.full((60, 4), -1e3)
    fit = dual_ep(np.eye(60), LabelNoise(), np.ones(60), MODES[0], start=sites, max_iter=0)
    assert np.isfinite(fit.log_evidence) or not fit.converged


@pytest.mark.parametrize("Machine", NOISY)
@pytest.mark.parametrize(("name", "split", "most"), [("flare-solar", 0, 0.36), ("titanic", 7, 0.26)])
def test_tables_of_few_distinct_rows(Machine, name, split, most, data_directory):
    data = load(name)
    train, test = data.half_splits[split]
    machine = Machine().fit(data.X[train], data.y[train])
    assert machine.converged_
    assert np.isfinite(machine.trials_["log_evidence"]).any()
    assert np.mean(machine.predict(data.X[test]) != data.y[test]) < most
