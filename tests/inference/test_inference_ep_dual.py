"""Expectation propagation with label noise: against exact posteriors, a hand-run, dense algebra."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import LinAlgError
from scipy.special import betaln
from sklearn.metrics.pairwise import rbf_kernel

from pauca.datasets import make_circle, make_ripley
from pauca.inference.ep import MODES, dual_ep, dual_kernel, dual_moments
from pauca.inference.ep.noise import dual
from pauca.inference.ep.noise.dual_algebra import span_moments, span_of
from pauca.likelihoods import LabelNoise

SINGLE = [mode for mode in MODES if mode.loops == 1]
POWER = SINGLE[2]
full_power = pytest.mark.parametrize("mode", MODES[:2], ids=lambda mode: mode.name)
every_mode = pytest.mark.parametrize("mode", SINGLE, ids=lambda mode: mode.name)


def plane_problem(seed, n=25, flipped=0.1):
    """Rows in two dimensions, labels by a line through the origin, some of them wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.sign(X @ [1.0, 0.4])
    return X, np.where(rng.random(n) < flipped, -y, y)


def exact(X, y, noise, new):
    """Log evidence, E[eps] and P(+1) for new rows: the likelihood knows only the direction of w."""
    angle = 2 * np.pi * (np.arange(200_000) + 0.5) / 200_000
    w = np.column_stack([np.cos(angle), np.sin(angle)])
    wrong = (y * (w @ X.T) < 0).sum(axis=1)
    a, b = noise.a + wrong, noise.b + len(y) - wrong
    log_terms = betaln(a, b) - betaln(noise.a, noise.b)
    evidence = np.logaddexp.reduce(log_terms) - np.log(len(angle))
    share = np.exp(log_terms - np.logaddexp.reduce(log_terms))
    chance = share @ np.where(w @ new.T > 0, (b / (a + b))[:, None], (a / (a + b))[:, None])
    return evidence, share @ (a / (a + b)), chance


def linear(X, y):
    return (X @ X.T) * np.outer(y, y) + 1e-9 * np.eye(len(y))


def chances(X, y, posterior, C, new):
    c = (new @ X.T) * y
    kernel = dual_kernel(C, posterior.sites[:, 0])
    var = (new**2).sum(axis=1) - ((c @ kernel) * c).sum(axis=1)
    return posterior.noise.predict(c @ posterior.coef, np.maximum(var, 1e-12))


@pytest.mark.parametrize("seed", range(6))
def test_close_to_the_exact_posterior_in_two_dimensions(seed):
    X, y = plane_problem(seed)
    noise, new, C = LabelNoise(), np.random.default_rng(99).normal(size=(40, 2)), linear(X, y)
    posterior = first_settled(C, noise, np.ones(len(y)))
    evidence, share, chance = exact(X, y, noise, new)
    assert posterior.log_evidence == pytest.approx(evidence, abs=0.7)
    assert posterior.noise.mean == pytest.approx(share, abs=0.01)
    difference = np.abs(chances(X, y, posterior, C, new) - chance)
    assert difference.mean() < 0.03
    assert difference.max() < 0.25


def first_settled(C, noise, weights):
    fits = (dual_ep(C, noise, weights, mode, tol=1e-6) for mode in MODES)
    return next(fit for fit in fits if fit.converged)


@full_power
def test_one_row_teaches_nothing_about_the_noise(mode):
    posterior = dual_ep(np.array([[2.0]]), LabelNoise(), np.ones(1), mode, tol=1e-10)
    assert posterior.log_evidence == pytest.approx(np.log(0.5), abs=1e-9)
    assert posterior.noise.mean == pytest.approx(1 / 11, rel=1e-6)


@full_power
def test_two_independent_rows(mode):
    # The posterior of independent u factorises but for eps, and E[eps] stays where it is.
    posterior = dual_ep(np.diag([1.0, 4.0]), LabelNoise.fixed(0.1), np.ones(2), mode, tol=1e-10)
    assert posterior.log_evidence == pytest.approx(2 * np.log(0.5), abs=1e-9)
    np.testing.assert_allclose(posterior.flip, 0.1, rtol=1e-5)


@every_mode
@pytest.mark.parametrize("weight", [1.0, 2.5])
def test_evidence_is_the_integral_of_prior_and_sites(mode, weight):
    # Each site is scaled so that its power has the mass of the factor's against the cavity.
    noise, var = LabelNoise(), 2.0
    fit = dual_ep(np.array([[var]]), noise, np.array([weight]), mode, tol=1e-12, max_iter=500)
    (tau, nu, wrong, right), eta = fit.sites[0], mode.power

    def integral(share):
        """Of the prior times the site to the power ``share``."""
        u, du = np.linspace(-15, 15, 20_001, retstep=True)
        e, de = np.linspace(0, 1, 20_003, retstep=True)
        gauss = np.exp(-0.5 * u**2 / var + share * (nu * u - tau * u**2 / 2)).sum() * du
        beta = (e[1:-1] ** (share * wrong) * (1 - e[1:-1]) ** (share * right + noise.b - 1)).sum() * de
        return np.log(gauss) + np.log(beta) - 0.5 * np.log(2 * np.pi * var) - betaln(noise.a, noise.b)

    slack = 1 - eta * tau * fit.cov[0, 0]
    mean, cavity_var = (fit.mean[0] - eta * nu * fit.cov[0, 0]) / slack, fit.cov[0, 0] / slack
    a, b = fit.noise.a - eta * wrong, fit.noise.b - eta * right
    log_z = noise.tilt(mean, cavity_var, a, b, eta * weight)[0, 0]
    scale = log_z + integral(1 - eta) - integral(1)
    assert fit.log_evidence == pytest.approx(integral(1) + scale / eta, abs=1e-3)


def test_noise_free_evidence_is_an_orthant_probability():
    rho = 0.6
    C = np.array([[1.0, rho], [rho, 1.0]])
    posterior = dual_ep(C, LabelNoise.fixed(0.0), np.ones(2), tol=1e-10)
    assert np.exp(posterior.log_evidence) == pytest.approx(0.25 + np.arcsin(rho) / (2 * np.pi), rel=0.01)


def hand_run(C, noise, mode, n_sweeps):
    """The update of a row, step by step with dense matrices, in the given order."""
    n = len(C)
    tau, nu, da, db = np.zeros((4, n))
    a, b, eta = noise.a, noise.b, mode.power
    for _ in range(n_sweeps):
        for i in range(n):
            A = np.linalg.inv(np.linalg.inv(C) + np.diag(tau))
            h = A @ nu
            q = 1 - eta * tau[i] * A[i, i]
            lam, hc = A[i, i] / q, (h[i] - eta * nu[i] * A[i, i]) / q
            ac, bc = a - eta * da[i], b - eta * db[i]
            _, flip, slope, spread = noise.tilt(hc, lam, ac, bc, eta)[:, 0]
            after = LabelNoise(ac, bc).matched(eta, flip)
            alpha, g = slope / np.sqrt(lam), (1 - spread) / lam
            hn = hc + lam * alpha
            np.testing.assert_allclose(g, alpha * hn / lam, rtol=1e-6, atol=1e-9)
            new = g / (1 - g * lam)
            goal = new / eta, (alpha + new * hn) / eta, (after.a - ac) / eta, (after.b - bc) / eta
            part = mode.damping if db[i] else 1.0  # an empty site takes the whole step
            for values, wanted in zip((tau, nu, da, db), goal, strict=True):
                values[i] += part * (wanted - values[i])
            a, b = noise.a + da.sum(), noise.b + db.sum()
    return np.column_stack([tau, nu, da, db])


@every_mode
def test_sweeps_equal_a_hand_run(mode):
    X, y = plane_problem(1, n=70)  # more than two blocks
    C = rbf_kernel(X, gamma=0.7) * np.outer(y, y) + 0.05 * np.eye(70)
    noise, ones, none = LabelNoise(), np.ones(70), np.zeros((70, 4))
    for n_sweeps in (1, 2):
        swept = dual_ep(C, noise, ones, mode, start=none, tol=1e-15, max_iter=n_sweeps)
        by_hand = hand_run(C, noise, mode, n_sweeps)
        np.testing.assert_allclose(swept.sites, by_hand, rtol=1e-6, atol=1e-8)


def test_settled_sites_reproduce_the_tilted_moments():
    X, y = make_circle(60, random_state=0)
    y = 2.0 * y - 1
    posterior = dual_ep(rbf_kernel(X, gamma=1.0) * np.outer(y, y), LabelNoise(), np.ones(60), tol=1e-9)
    assert posterior.converged
    var = np.diag(posterior.cov)
    slack = 1 - posterior.sites[:, 0] * var
    mean, cavity_var = (posterior.mean - var * posterior.sites[:, 1]) / slack, var / slack
    a, b = posterior.noise.a - posterior.sites[:, 2], posterior.noise.b - posterior.sites[:, 3]
    _, flip, slope, spread = LabelNoise().tilt(mean, cavity_var, a, b)
    np.testing.assert_allclose(mean + np.sqrt(cavity_var) * slope, posterior.mean, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(cavity_var * spread, var, rtol=1e-5)
    np.testing.assert_allclose(flip, posterior.flip, rtol=1e-9)


@every_mode
@pytest.mark.parametrize("n", [40, 120])
def test_the_evidence_is_stationary_in_the_sites(mode, n):
    X, y = make_circle(n, label_noise=0.05, random_state=0)
    y = 2.0 * y - 1

    def fit(gamma):
        C = rbf_kernel(X, gamma=gamma) * np.outer(y, y)
        return C, dual_ep(C, LabelNoise(), np.ones(n), mode, tol=1e-7)

    (C, posterior), (C_more, more), (C_less, less) = (fit(0.3 * np.exp(h)) for h in (0, 0.01, -0.01))
    assert posterior.converged
    # Directional derivative at fixed sites (Rasmussen & Williams 2006, eq. 5.27).
    change, coef = C_more - C_less, posterior.coef
    gradient = 0.5 * (coef @ change @ coef - np.vdot(dual_kernel(C, posterior.sites[:, 0]), change))
    # Not quite: the noise is matched by its mean and variance.
    assert gradient == pytest.approx(more.log_evidence - less.log_evidence, rel=0.01)


@pytest.mark.parametrize("rank", [3, 40])
def test_kernel_of_the_posterior_in_the_span_and_out_of_it(rank):
    rng = np.random.default_rng(rank)
    root = rng.normal(size=(160, rank))
    C, precision = root @ root.T + 1e-9 * np.eye(160), rng.uniform(-0.001, 1, 160)
    expected = np.linalg.solve(np.eye(160) + precision[:, None] * C, np.diag(precision))
    np.testing.assert_allclose(dual_kernel(C, precision), expected, atol=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_moments_equal_dense_algebra(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(9, 9))
    C = root @ root.T / 9 + 0.1 * np.eye(9)
    precision = rng.normal(size=9)
    precision[precision < 0] *= 0.2 / np.linalg.eigvalsh(C).max()
    precision[0] = 0.0
    shift = rng.normal(size=9)
    mean, cov, log_det = dual_moments(C, precision, shift)
    dense = np.linalg.inv(np.linalg.inv(C) + np.diag(precision))
    np.testing.assert_allclose(cov, dense, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(mean, dense @ shift, rtol=1e-8, atol=1e-10)
    assert log_det == pytest.approx(np.linalg.slogdet(np.eye(9) + C * precision)[1])
    np.testing.assert_allclose(C - C @ dual_kernel(C, precision) @ C, dense, rtol=1e-7, atol=1e-9)


def test_improper_sites_have_no_moments():
    with pytest.raises(LinAlgError):
        dual_moments(np.eye(2), np.array([-1.5, 0.0]), np.zeros(2))


@pytest.mark.parametrize("seed", range(4))
def test_improper_start_is_forgotten(seed):
    X, y = plane_problem(seed)
    start = np.full((len(y), 4), -5.0)
    fresh = dual_ep(linear(X, y), LabelNoise(), np.ones(len(y)), POWER)
    again = dual_ep(linear(X, y), LabelNoise(), np.ones(len(y)), POWER, start=start)
    np.testing.assert_allclose(again.mean, fresh.mean)


@pytest.mark.parametrize("noise", [0.05, 0.2])
@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_called_settled_while_rows_are_skipped(noise, seed):
    X, y = make_circle(80, label_noise=noise, random_state=seed)
    y = 2.0 * y - 1
    outcomes = []
    for gamma in (0.1, 1.0, 20.0):
        C = rbf_kernel(X, gamma=gamma) * np.outer(y, y)
        for mode in MODES:
            fit = dual_ep(C, LabelNoise(), np.ones(80), mode, tol=1e-4, max_iter=40)
            outcomes.append((fit.converged, fit.n_skipped))
            if fit.converged:
                more = dual_ep(
                    C, LabelNoise(), np.ones(80), mode, start=fit.sites.copy(), max_iter=1, tol=0.0
                )
                assert np.abs(more.mean - fit.mean).max() < 1e-2
            assert np.isfinite(fit.mean).all()
            assert (np.diag(fit.cov) > 0).all()
    assert all(n_skipped == 0 for converged, n_skipped in outcomes if converged)


def test_skipped_rows_are_counted():
    # A start with a site that takes more than there is leaves its row without a cavity.
    C, start = np.eye(3), np.zeros((3, 4))
    start[0] = 1e18, 0.0, 0.0, 0.0
    fit = dual_ep(C, LabelNoise(), np.ones(3), start=start, max_iter=1)
    assert fit.n_skipped > 0
    assert not fit.converged


def test_many_prior_right_labels_give_the_noise_free_machine():
    X, y = make_circle(40, random_state=0)
    y = 2.0 * y - 1
    C = rbf_kernel(X, gamma=1.0) * np.outer(y, y)
    trusting = dual_ep(C, LabelNoise.fixed(0.0), np.ones(40), tol=1e-8)
    nearly = dual_ep(C, LabelNoise(1e-6, 1e6), np.ones(40), tol=1e-8)
    np.testing.assert_allclose(nearly.mean, trusting.mean, rtol=1e-4)
    assert nearly.log_evidence == pytest.approx(trusting.log_evidence, abs=1e-3)
    assert (trusting.sites[:, 0] >= 0).all()


def test_order_of_rows_and_names_of_classes_do_not_matter():
    X, y = make_circle(60, label_noise=0.1, random_state=1)
    y = 2.0 * y - 1
    order = np.random.default_rng(0).permutation(60)
    noise, ones = LabelNoise(), np.ones(60)
    C = rbf_kernel(X, gamma=1.0) * np.outer(y, y)
    plain = dual_ep(C, noise, ones, POWER, tol=1e-8)
    mixed = dual_ep(C[np.ix_(order, order)], noise, ones, POWER, tol=1e-8)
    assert plain.converged
    assert mixed.converged
    np.testing.assert_allclose(mixed.mean, plain.mean[order], atol=1e-5)
    assert mixed.log_evidence == pytest.approx(plain.log_evidence, abs=1e-5)


def test_a_weight_of_two_equals_two_rows_in_the_exact_model():
    X, y = plane_problem(3, n=15)
    noise, weights = LabelNoise(), np.ones(15)
    weights[:5] = 2.0
    weighted = first_settled(linear(X, y), noise, weights)
    evidence, share, _ = exact(np.vstack([X, X[:5]]), np.append(y, y[:5]), noise, X)
    assert weighted.log_evidence == pytest.approx(evidence, abs=0.5)
    assert weighted.noise.mean == pytest.approx(share, abs=0.01)


@settings(max_examples=30)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 30),
    rank=st.integers(1, 10),
    a=st.floats(0.2, 5.0),
    more=st.floats(0.5, 50.0),
    mode=st.sampled_from(MODES),
)
def test_random_kernels_give_finite_posteriors(seed, n, rank, a, more, mode):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, rank)) * rng.exponential(size=rank)
    y = rng.choice([-1.0, 1.0], n)
    C = (root @ root.T) * np.outer(y, y)
    C += 1e-8 * np.trace(C) * np.eye(n)
    fit = dual_ep(C, LabelNoise(a, a + more), np.ones(n), mode, max_iter=30)
    assert np.isfinite(fit.mean).all()
    assert np.isfinite(fit.sites).all()
    assert (np.diag(fit.cov) > 0).all()
    assert 0 < fit.noise.mean < 1
    assert ((fit.flip >= 0) & (fit.flip <= 1)).all()
    assert not (fit.converged and (fit.n_skipped or fit.log_evidence > 1e-6))


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_the_span_of_a_wide_kernel_serves_as_well_as_all_rows(mode, monkeypatch):
    X, y = make_ripley(150, random_state=0)
    signs = np.where(y == 1, 1.0, -1.0)
    C = np.outer(signs, signs) * rbf_kernel(X, gamma=0.3)
    U = span_of(C)
    assert U.shape[1] < 75
    np.testing.assert_allclose(U @ U.T, C, atol=1e-6)
    few = dual_ep(C, LabelNoise(), np.ones(150), mode, tol=1e-4)
    monkeypatch.setattr(dual, "span_of", lambda C: None)
    all_rows = dual_ep(C, LabelNoise(), np.ones(150), mode, tol=1e-4)
    assert few.converged == all_rows.converged
    if few.converged:
        np.testing.assert_allclose(few.mean, all_rows.mean, atol=2e-3)
        np.testing.assert_allclose(few.cov, all_rows.cov, atol=2e-3)
        assert few.log_evidence == pytest.approx(all_rows.log_evidence, abs=1e-3)


def test_moments_in_the_span_are_those_of_all_rows():
    rng = np.random.default_rng(0)
    U, precision, shift = rng.normal(size=(120, 5)), rng.uniform(-0.01, 1, 120), rng.normal(size=120)
    mean, cov, log_det = span_moments(U, precision, shift)
    expected = dual_moments(U @ U.T, precision, shift)
    np.testing.assert_allclose(U @ mean, expected[0], atol=1e-8)
    np.testing.assert_allclose(U @ cov @ U.T, expected[1], atol=1e-8)
    assert log_det == pytest.approx(expected[2])
    with pytest.raises(LinAlgError):
        span_moments(U, -precision - 1, shift)


def test_narrow_kernels_and_few_rows_have_no_span():
    X = np.random.default_rng(0).normal(size=(200, 3))
    assert span_of(rbf_kernel(X, gamma=50.0)) is None
    assert span_of(np.ones((20, 20))) is None
