"""The active set: low-rank algebra against dense, the greedy choice against a hand-run."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from pauca.datasets import make_circle
from pauca.inference.ep import dual_ep
from pauca.likelihoods import LabelNoise
from pauca.selection import ActiveFactor, select_active_set
from pauca.selection.active_set import REFRESH


def gram_of(C):
    return SimpleNamespace(columns=lambda rows: C[:, rows], diagonal=np.diag(C).copy())


def circle(n=120, flipped=0.0, seed=0, gamma=1.0):
    X, y = make_circle(n, label_noise=flipped, random_state=seed)
    y = 2.0 * y - 1
    return rbf_kernel(X, gamma=gamma) * np.outer(y, y) + 1e-8 * np.eye(n)


def dense(C, rows, sites):
    """Posterior mean and variance of all rows from the sites of some."""
    inner = np.linalg.inv(C[np.ix_(rows, rows)] + np.diag(1 / sites[:, 0]))
    cov = C - C[:, rows] @ inner @ C[rows]
    return cov[:, rows] @ sites[:, 1], np.diag(cov).copy(), inner


@pytest.mark.parametrize("seed", range(3))
def test_factor_equals_the_dense_one_after_hundreds_of_random_exchanges(seed):
    rng = np.random.default_rng(seed)
    C, size = circle(seed=seed, gamma=8.0) + 0.05 * np.eye(120), 15
    factor, sites = ActiveFactor(gram_of(C), 4), []
    for step in range(1, 8 * REFRESH):
        if len(sites) == size:
            slack = 1 - np.array(sites)[:, 0] * factor.var[factor.rows]
            place = int(rng.choice(np.flatnonzero(slack > 0.2)))
            precision, shift = sites[place]
            sites[place] = sites[-1]
            sites.pop()
            factor.remove(place, precision, shift)
        row = int(rng.choice(np.setdiff1d(np.arange(len(C)), factor.rows)))
        # Every third site has a negative precision, which no removal of others makes improper.
        mean, var = factor.mean[row], factor.var[row]
        precision = -0.1 / C[row, row] if step % 3 == 0 else rng.uniform(0.2, 3) / var
        shift = rng.normal() / np.sqrt(var)
        curvature = precision / (1 + precision * var)
        factor.add(row, curvature, (shift - precision * mean) / (1 + precision * var))
        sites.append((precision, shift))
        if step % REFRESH == 0:  # errors grow tenfold in so many exchanges
            factor.rebuild(*np.array(sites).T)
    mean, var, inner = dense(C, factor.rows, np.array(sites))
    np.testing.assert_allclose(factor.mean, mean, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(factor.var, var, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(factor.inverse, inner, rtol=1e-8, atol=1e-9 * np.abs(inner).max())
    assert (np.array(sites)[:, 0] < 0).any()
    factor.rebuild(*np.array(sites).T)
    np.testing.assert_allclose(factor.mean, mean, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(factor.var, var, rtol=1e-8, atol=1e-10)


def hand_run(C, noise, size, expected):
    """The first pass with dense matrices: the row that moves the posterior most, again and again."""
    rows, sites, path = [], np.zeros((0, 4)), []
    mean, var, evidence = np.zeros(len(C)), np.diag(C).copy(), 0.0
    for _ in range(size):
        gain, log_z = noise.gains(mean, var, np.ones(len(C)), expected)
        gain[rows] = -np.inf
        row = int(np.argmax(np.round(gain, 12)))
        _, flip, slope, spread = noise.tilt(mean[row], var[row])[:, 0]
        after = noise.matched(1.0, flip)
        centre, spread = mean[row] + np.sqrt(var[row]) * slope, spread * var[row]
        site = 1 / spread - 1 / var[row], centre / spread - mean[row] / var[row]
        sites = np.vstack([sites, (*site, after.a - noise.a, after.b - noise.b)])
        rows.append(row)
        noise = after
        evidence += log_z[row]
        path.append(evidence + np.delete(log_z, rows).sum())
        mean, var, _ = dense(C, rows, sites)
    return rows, sites, mean, noise, path


@pytest.mark.parametrize("expected", [True, False])
@pytest.mark.parametrize("flipped", [0.0, 0.1])
def test_first_pass_equals_a_hand_run(expected, flipped):
    C = circle(80, flipped)
    active = select_active_set(gram_of(C), LabelNoise(), np.ones(80), 15, expected=expected, max_passes=0)
    rows, sites, mean, noise, path = hand_run(C, LabelNoise(), 15, expected)
    assert list(active.rows) == rows
    np.testing.assert_allclose(active.sites, sites, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(active.mean, mean, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(active.path, path, rtol=1e-6)
    assert active.noise.a == pytest.approx(noise.a)
    assert active.noise.b == pytest.approx(noise.b)


def predicted(C, active):
    """Log probability of all labels, each row without its own site."""
    rows, sites = active.rows, active.sites
    mean, var, _ = dense(C, rows, sites)
    slack = 1 - sites[:, 0] * var[rows]
    mean[rows] = (mean[rows] - var[rows] * sites[:, 1]) / slack
    var[rows] /= slack
    return active.noise.tilt(mean, var)[0].sum()


@pytest.mark.parametrize("seed", range(3))
def test_exchanges_predict_all_labels_better(seed):
    C = circle(150, 0.05, seed)
    options = gram_of(C), LabelNoise(), np.ones(150), 25
    before, after = (select_active_set(*options, max_passes=n) for n in (0, 4))
    assert set(before.rows) != set(after.rows)
    assert predicted(C, after) > predicted(C, before)


def test_all_rows_active_is_the_full_machine():
    C = circle(50)
    active = select_active_set(gram_of(C), LabelNoise(), np.ones(50), 50, max_passes=60)
    full = dual_ep(C, LabelNoise(), np.ones(50), tol=1e-9)
    again = dual_ep(
        C[np.ix_(active.rows, active.rows)], LabelNoise(), np.ones(50), start=active.sites, tol=1e-9
    )
    assert sorted(active.rows) == list(range(50))
    np.testing.assert_allclose(again.mean, full.mean[active.rows], atol=1e-6)


def test_growth_ends_when_rows_no_longer_help():
    C = circle(200)
    grown = select_active_set(gram_of(C), LabelNoise(), np.ones(200), 200, max_passes=0, growth=0.2)
    more = select_active_set(gram_of(C), LabelNoise(), np.ones(200), 200, max_passes=0, growth=0.02)
    assert 10 < len(grown.rows) < len(more.rows) <= 200
    assert grown.path[-1] - grown.path[-11] < 0.2 * 10


def test_wrong_labels_are_rarely_chosen_before_they_are_seen():
    C = circle(300, flipped=0.1, seed=3)
    wrong = make_circle(300, label_noise=0.1, random_state=3)[1] != make_circle(300, random_state=3)[1]
    shares = [
        wrong[
            select_active_set(gram_of(C), LabelNoise(), np.ones(300), 30, expected=rule, max_passes=0).rows
        ].mean()
        for rule in (True, False)
    ]
    assert shares[0] < shares[1]


def test_a_surrounding_class_does_not_fill_the_active_set():
    # The rows of the outer class are the more uncertain ones, one by one, and there are enough of them.
    rng = np.random.default_rng(0)
    X = np.vstack([2 * rng.normal(size=(150, 20)), rng.normal(size=(150, 20)) + 0.5])
    y = np.repeat([1.0, -1.0], 150)
    C = np.exp(-0.01 * np.square(X[:, None] - X[None]).sum(axis=2)) * np.outer(y, y) + 1e-9 * np.eye(300)
    plain = select_active_set(gram_of(C), LabelNoise(), np.ones(300), 40, max_passes=0)
    fair = select_active_set(gram_of(C), LabelNoise(), np.ones(300), 40, max_passes=0, strata=y)
    assert np.mean(y[fair.rows] < 0) > 0.2
    assert np.mean(y[plain.rows] < 0) < 0.2
    right = [np.mean(active.mean > 0) for active in (plain, fair)]
    assert right[1] > right[0]
