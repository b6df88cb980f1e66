"""Sparsity and quality factors, and the effect of every action, against dense recomputation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from pauca.basis import CandidatePool, PrecomputedBasis
from pauca.inference import Posterior, exact, gaussian_posterior, laplace
from pauca.likelihoods import Gaussian, Logit
from pauca.priors import ARD, SoftTruncated
from pauca.selection import (
    Actions,
    active_factors,
    best_precision,
    candidate_factors,
    choose_actions,
    evidence_gain,
    log_evidence_term,
    novel,
)

SEEDS = pytest.mark.parametrize("seed", range(4))
ENGINES = pytest.mark.parametrize(("engine", "likelihood"), [(exact, Gaussian(5.0)), (laplace, Logit())])


def fitted(engine, likelihood, seed, n=30, m=4, n_candidates=6):
    """Φ, prior, posterior and candidate columns of a small problem."""
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(n, m - 1 + n_candidates))
    Phi = np.column_stack([np.ones(n), columns[:, : m - 1]])
    y = 0.4 + columns[:, [0, 1, m, m + 1]] @ np.array([1.0, -0.7, 1.5, 0.3]) + 0.4 * rng.normal(size=n)
    y = y if engine is exact else np.where(y > 0, 1.0, -1.0)
    prior = ARD(10.0 ** rng.uniform(-1, 1, size=m))
    posterior = engine(likelihood, prior, Phi, y, rng.uniform(0.5, 2, size=n))
    return Phi, prior, posterior, columns[:, m - 1 :]


def dense(Phi, alpha, posterior):
    """C = B⁻¹ + Φ A⁻¹ Φᵀ and the pseudo-targets B⁻¹h of the sites."""
    b, e = posterior.sites.precision, posterior.sites.residual
    targets = Phi @ posterior.mean + e / b
    return np.diag(1 / b) + (Phi / alpha) @ Phi.T, targets


def site_evidence(Phi, alpha, posterior, targets):
    """Log evidence of the pseudo-data, up to terms that no action changes."""
    C = np.diag(1 / posterior.sites.precision) + (Phi / alpha) @ Phi.T
    return -0.5 * (np.linalg.slogdet(C)[1] + targets @ np.linalg.solve(C, targets))


@ENGINES
@SEEDS
def test_candidate_factors(engine, likelihood, seed):
    Phi, prior, posterior, candidates = fitted(engine, likelihood, seed)
    C, targets = dense(Phi, prior.precision, posterior)
    s, q = candidate_factors(candidates, candidates**2, Phi, posterior)
    np.testing.assert_allclose(s, np.diag(candidates.T @ np.linalg.solve(C, candidates)), rtol=1e-8)
    np.testing.assert_allclose(
        q, candidates.T @ np.linalg.solve(C, targets), atol=1e-3 if engine is laplace else 1e-9
    )


@ENGINES
@SEEDS
def test_active_factors(engine, likelihood, seed):
    Phi, prior, posterior, _ = fitted(engine, likelihood, seed)
    _, targets = dense(Phi, prior.precision, posterior)
    s, q = active_factors(posterior, prior.precision)
    for j in range(Phi.shape[1]):
        others = np.arange(Phi.shape[1]) != j
        C, _ = dense(Phi[:, others], prior.precision[others], _moved(posterior, others))
        np.testing.assert_allclose(s[j], Phi[:, j] @ np.linalg.solve(C, Phi[:, j]), rtol=1e-6)
        np.testing.assert_allclose(
            q[j], Phi[:, j] @ np.linalg.solve(C, targets), atol=2e-3 if engine is laplace else 1e-7
        )


def _moved(posterior, others):
    """A stand-in with as many weights as columns; ``dense`` needs its sites only."""

    class Part:
        sites, mean = posterior.sites, posterior.mean[others]

    return Part


@ENGINES
@SEEDS
def test_gain_of_adding(engine, likelihood, seed):
    Phi, prior, posterior, candidates = fitted(engine, likelihood, seed)
    _, targets = dense(Phi, prior.precision, posterior)
    s, q = candidate_factors(candidates, candidates**2, Phi, posterior)
    before = site_evidence(Phi, prior.precision, posterior, targets)
    for j, alpha in enumerate([0.1, 1.0, 10.0, 0.5, 3.0, 100.0]):
        wider = np.column_stack([Phi, candidates[:, j]])
        after = site_evidence(wider, np.append(prior.precision, alpha), posterior, targets)
        np.testing.assert_allclose(
            evidence_gain(np.inf, alpha, s[j], q[j]), after - before, atol=2e-3 if engine is laplace else 1e-8
        )


@ENGINES
@SEEDS
def test_gain_of_re_estimating_and_deleting(engine, likelihood, seed):
    Phi, prior, posterior, _ = fitted(engine, likelihood, seed)
    _, targets = dense(Phi, prior.precision, posterior)
    s, q = active_factors(posterior, prior.precision)
    before = site_evidence(Phi, prior.precision, posterior, targets)
    for j in range(Phi.shape[1]):
        for factor in (0.1, 0.9, 5.0, np.inf):
            alpha = prior.precision.copy()
            alpha[j] *= factor
            after = site_evidence(Phi, alpha, posterior, targets)
            change = evidence_gain(prior.precision[j], alpha[j], s[j], q[j])
            np.testing.assert_allclose(change, after - before, atol=2e-3 if engine is laplace else 1e-7)


@SEEDS
def test_gain_is_exact_for_the_exact_engine(seed):
    rng = np.random.default_rng(seed)
    Phi, y = np.column_stack([np.ones(20), rng.normal(size=(20, 3))]), rng.normal(size=20)
    alpha, weights, likelihood = np.array([1e-3, 0.5, 2.0, 7.0]), rng.uniform(0.5, 2, size=20), Gaussian(2.0)
    posterior = exact(likelihood, ARD(alpha), Phi, y, weights)
    s, q = active_factors(posterior, alpha)
    new = best_precision(s, q)
    for j in range(1, 4):
        kept = np.arange(4) != j if np.isinf(new[j]) else np.full(4, True)
        changed = np.where(np.arange(4) == j, new, alpha)[kept]
        after = exact(likelihood, ARD(changed), Phi[:, kept], y, weights).log_evidence
        np.testing.assert_allclose(
            evidence_gain(alpha[j], new[j], s[j], q[j]), after - posterior.log_evidence, atol=1e-9
        )


@pytest.mark.parametrize(("s", "q"), [(1.0, 1.5), (3.0, 2.0), (0.2, 5.0), (50.0, 8.0), (1e-6, 1.0)])
def test_best_precision_is_the_maximum(s, q):
    def minus(log_alpha):
        return -float(log_evidence_term(np.exp(log_alpha), s, q))

    found = minimize_scalar(minus, bounds=(-60, 30), method="bounded", options={"xatol": 1e-10})
    np.testing.assert_allclose(best_precision(np.array([s]), np.array([q]))[0], np.exp(found.x), rtol=1e-3)
    assert minus(np.log(best_precision(np.array([s]), np.array([q]))[0])) <= found.fun + 1e-12


@pytest.mark.parametrize(("s", "q"), [(1.0, 1.0), (2.0, 0.1), (0.0, 0.0), (0.0, 3.0), (4.0, -2.0)])
def test_columns_that_do_not_pay_stay_out(s, q):
    assert best_precision(np.array([s]), np.array([q]))[0] == np.inf


def test_term_is_zero_at_infinity_and_tends_to_it():
    s, q = np.array([0.5, 2.0]), np.array([3.0, 0.1])
    np.testing.assert_array_equal(log_evidence_term(np.array([np.inf, np.inf]), s, q), 0)
    np.testing.assert_allclose(log_evidence_term(np.array([1e13, 1e13]), s, q), 0, atol=1e-12)


@pytest.mark.parametrize("size", [1e-60, 1e-10, 1e10, 1e60])
def test_units_of_a_column_change_its_precision_only(size):
    s, q = np.array([1.0, 0.3, 2.0]), np.array([2.0, 5.0, 1.0])
    np.testing.assert_allclose(
        best_precision(size**2 * s, size * q), size**2 * best_precision(s, q), rtol=1e-9
    )
    alpha = best_precision(s, q)
    scaled = log_evidence_term(size**2 * alpha, size**2 * s, size * q)
    np.testing.assert_allclose(scaled, log_evidence_term(alpha, s, q), rtol=1e-9)


def test_columns_in_the_span_have_no_factor():
    Phi, _, posterior, _ = fitted(exact, Gaussian(1e8), 0)
    inside = Phi @ np.array([[1.0, 0.0], [2.0, 1.0], [0.0, -1.0], [0.5, 0.0]])
    s, _ = candidate_factors(inside, inside**2, Phi, posterior)
    np.testing.assert_array_equal(s, 0)


def pool_problem(seed, n=40, cache_bytes=2**20):
    rng = np.random.default_rng(seed)
    basis = PrecomputedBasis(rng.normal(size=(n, 15)))
    columns = basis.columns(np.arange(15))[0]
    y = columns[:, [2, 5, 9]] @ np.array([2.0, -1.5, 1.0]) + 0.2 * rng.normal(size=n)
    active, alpha = np.array([0, 2]), np.array([1e-3, 1.0, 1.0])
    Phi = np.column_stack([np.ones(n), columns[:, active]])
    posterior = exact(Gaussian(5.0), ARD(alpha), Phi, y, np.ones(n))
    return CandidatePool(basis, np.arange(15), cache_bytes), active, Phi, posterior, ARD(alpha)


@SEEDS
def test_choose_offers_the_best_candidates_first(seed):
    pool, active, Phi, posterior, prior = pool_problem(seed)
    actions = choose_actions(pool, active, [], Phi, posterior, prior, min_gain=0.01, max_added=3)
    columns = pool.basis.columns(np.arange(15))[0]
    s, q = candidate_factors(columns, columns**2, Phi, posterior)
    gains = evidence_gain(np.inf, best_precision(s, q), s, q)
    gains[active] = 0
    assert actions.add[0] == np.argmax(gains)
    np.testing.assert_allclose(actions.add_gain, gains[actions.add], rtol=1e-9)
    assert (np.diff(actions.add_gain) <= 0).all()
    assert 1 <= len(actions.add) <= 3
    assert not np.isin(actions.add, active).any()
    assert actions.precision[0] == prior.precision[0]
    np.testing.assert_allclose(actions.gain[0], 0)


def test_precisions_have_a_floor():
    pool, active, Phi, _, prior = pool_problem(0)
    posterior = exact(Gaussian(5.0), prior, Phi, 1e9 * pool.basis.columns([5])[0][:, 0], np.ones(40))
    actions = choose_actions(pool, active, [], Phi, posterior, prior, min_gain=0.01, max_added=3)
    assert actions.add[0] == 5
    assert actions.add_precision[0] == 1e-8
    assert actions.add_gain[0] > 0


@SEEDS
def test_positive_weights_only(seed):
    pool, active, Phi, posterior, prior = pool_problem(seed)
    positive = SoftTruncated(prior.precision)
    free, signed = (
        choose_actions(pool, active, [], Phi, posterior, kind, min_gain=0.01, max_added=10)
        for kind in (prior, positive)
    )
    columns = pool.basis.columns(np.arange(15))[0]
    q = candidate_factors(columns, columns**2, Phi, posterior)[1]
    assert (q[signed.add] > 0).all()
    assert set(free.add[q[free.add] > 0]) <= set(signed.add)
    assert (q[free.add] <= 0).any()
    assert np.isinf(signed.precision[1:][posterior.mean[1:] <= 0]).all()


def test_blocked_candidates_stay_out():
    pool, active, Phi, posterior, prior = pool_problem(1)
    first = choose_actions(pool, active, [], Phi, posterior, prior, min_gain=0.01, max_added=1)
    second = choose_actions(pool, active, first.add, Phi, posterior, prior, min_gain=0.01, max_added=1)
    assert not np.isin(second.add, first.add).any()
    none = choose_actions(pool, active, np.arange(15), Phi, posterior, prior, min_gain=0.01, max_added=5)
    assert len(none.add) == len(none.add_gain) == len(none.add_precision) == 0


def test_min_gain_is_respected():
    pool, active, Phi, posterior, prior = pool_problem(2)
    gains = choose_actions(pool, active, [], Phi, posterior, prior, min_gain=0.0, max_added=10).add_gain
    barrier = gains[0] + 1e-9
    assert (
        len(choose_actions(pool, active, [], Phi, posterior, prior, min_gain=barrier, max_added=10).add) == 0
    )


@pytest.mark.parametrize("seed", range(2))
def test_streamed_and_cached_pools_choose_the_same(seed, monkeypatch):
    here = pool_problem(seed)
    cached = choose_actions(*here[:2], [], *here[2:], min_gain=0.01, max_added=4)
    monkeypatch.setattr("pauca.basis.basis._BLOCK_BYTES", 8 * 40 * 2)
    there = pool_problem(seed, cache_bytes=0)
    streamed = choose_actions(*there[:2], [], *there[2:], min_gain=0.01, max_added=4)
    np.testing.assert_array_equal(streamed.add, cached.add)
    np.testing.assert_allclose(streamed.add_precision, cached.add_precision, rtol=1e-9)


def test_columns_that_are_alike_do_not_enter_together():
    rng = np.random.default_rng(3)
    x, z = rng.normal(size=(2, 50))
    K = np.column_stack([x, x + 0.01 * z, x - 0.01 * z, z])
    basis, Phi = PrecomputedBasis(K), np.ones((50, 1))
    posterior = exact(Gaussian(10.0), ARD(np.array([1e-3])), Phi, x + z, np.ones(50))
    pool = CandidatePool(basis, np.arange(4))
    actions = choose_actions(
        pool, np.empty(0, dtype=int), [], Phi, posterior, ARD(np.array([1e-3])), min_gain=0.01, max_added=4
    )
    assert len(actions.add) == 2
    assert 3 in actions.add


def test_best_only_takes_one_action():
    present = np.array([1e-3, 1.0, 2.0])
    actions = Actions(
        np.array([7, 4]),
        np.array([0.1, 0.2]),
        np.array([3.0, 2.0]),
        np.array([1e-3, np.inf, 9.0]),
        np.array([0, 1.0, 0.5]),
    )
    one = actions.best_only(present)
    np.testing.assert_array_equal(one.add, [7])
    np.testing.assert_array_equal(one.precision, present)
    assert actions.n_removed == 1
    assert one.n_removed == 0
    stronger = Actions(
        actions.add, actions.add_precision, np.array([0.7, 0.6]), actions.precision, actions.gain
    )
    one = stronger.best_only(present)
    assert len(one.add) == 0
    np.testing.assert_array_equal(one.precision, [1e-3, np.inf, 2.0])
    assert one.n_removed == 1


def test_strides_lengthen_the_way_of_precisions():
    none = np.empty(0)
    new = np.array([1e-3, 4.0, 1.0, np.inf])
    actions = Actions(none.astype(int), none, none, new, np.zeros(4))
    assert not actions.is_quiet
    stretched = actions.stretched(np.array([1e-3, 2.0, 2.0, 5.0]), 3)
    np.testing.assert_allclose(stretched.precision, [1e-3, 16.0, 0.25, np.inf])


def test_novel_columns_repeat_nothing():
    rng = np.random.default_rng(0)
    basis = PrecomputedBasis(rng.normal(size=(30, 4)))
    a, b, c, d = basis.columns(np.arange(4))[0].T
    columns = np.column_stack([a, -a, b, np.zeros(30), c, b, d + 1e-9 * a])
    np.testing.assert_array_equal(novel(columns, np.empty((30, 0))), [0, 2, 4, 6])
    np.testing.assert_array_equal(novel(columns, np.column_stack([-c, d])), [0, 2])
    assert len(novel(np.empty((30, 0)), np.column_stack([a, b]))) == 0


def test_choose_with_no_candidates():
    pool, active, Phi, posterior, prior = pool_problem(0)
    empty = CandidatePool(pool.basis, np.empty(0, dtype=int))
    actions = choose_actions(empty, active, [], Phi, posterior, prior, min_gain=0.01, max_added=3)
    assert len(actions.add) == 0
    assert len(actions.precision) == 3


def test_no_action_keeps_everything():
    pool, active, Phi, posterior, prior = pool_problem(0)
    none = choose_actions(pool, active, [], Phi, posterior, prior, min_gain=0.01, max_added=3).none(
        prior.precision
    )
    assert len(none.add) == none.n_removed == 0
    np.testing.assert_array_equal(none.precision, prior.precision)


def test_choose_sees_the_sites_only():
    # The same sites from an engine of another kind give the same actions.
    pool, active, Phi, posterior, prior = pool_problem(0)
    b, e = posterior.sites.precision, posterior.sites.residual
    mean, factor = gaussian_posterior(Phi, b, b * (Phi @ posterior.mean) + e, prior.precision)
    other = Posterior(mean, factor, 0.0, posterior.sites)
    here, there = (
        choose_actions(pool, active, [], Phi, p, prior, min_gain=0.01, max_added=3)
        for p in (posterior, other)
    )
    np.testing.assert_array_equal(there.add, here.add)
    np.testing.assert_allclose(there.precision, here.precision, rtol=1e-6)
    np.testing.assert_allclose(there.gain, here.gain, atol=1e-8)


@given(st.floats(0.01, 100), st.floats(0.1, 30))
def test_best_precision_of_a_half_normal_weight_is_the_maximum(s, ratio):
    q = np.sqrt(s) * (1 + ratio)

    def minus(log_alpha):
        return -float(log_evidence_term(np.exp(log_alpha), s, q, half=True))

    found = minimize_scalar(minus, bounds=(-25, 15), method="bounded", options={"xatol": 1e-10})
    ours = best_precision(np.array([s]), np.array([q]), half=True)[0]
    assert minus(np.log(ours)) <= found.fun + 1e-6


def test_half_normal_term_is_that_of_the_integral():
    # log ∫_{w ≥ 0} N(w | 0, 1/α) exp(q w − ½ s w²) dw: the factor 2 of the density is not counted.
    w = np.linspace(0, 12, 200_001)
    for alpha, s, q in [(0.5, 2.0, 3.0), (3.0, 0.4, 1.0)]:
        values = np.sqrt(alpha / (2 * np.pi)) * np.exp(q * w - 0.5 * (s + alpha) * w * w)
        assert log_evidence_term(np.array(alpha), s, q, half=True) == pytest.approx(
            np.log(np.trapezoid(values, w)), abs=1e-8
        )
