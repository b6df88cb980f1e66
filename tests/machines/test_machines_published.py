"""Machines with the settings of the papers: what each setting changes, against formulas of its own."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import ndtr
from sklearn.metrics.pairwise import rbf_kernel

from pauca import EPCVMClassifier, PCVMClassifier, RVMClassifier, as_published
from pauca.datasets import make_ripley, make_sinc
from pauca.inference import ep, hmc, laplace
from pauca.likelihoods import Logit, Probit
from pauca.machines import published_machines
from pauca.priors import ARD, GammaARD, SoftTruncated, Truncated
from pauca.selection import best_precision, log_evidence_term

X, Y = make_ripley(80, random_state=0)
GAMMA = 2.0


@pytest.mark.parametrize("name", published_machines())
def test_every_preset_is_an_unfitted_machine(name):
    machine = as_published(name)
    assert not [attribute for attribute in vars(machine) if attribute.endswith("_")]
    assert as_published(name, verbose=True).verbose


def test_unknown_machines_are_named():
    with pytest.raises(ValueError, match=r"machine must be .*got 'svm'"):
        as_published("svm")


@pytest.mark.parametrize("name", ["epcvm", "epcvm-ep", "rvm"])
def test_published_searches_start_from_the_constant_term(name):
    machine = as_published(name, gamma=GAMMA).fit(X, Y)
    path = machine.path_
    assert path["n_terms"][0] == 0
    assert (path["n_added"] <= path["n_terms"] - path["n_added"] + path["n_removed"] + 1).all()
    assert not hasattr(machine, "feature_scales_")


def test_the_model_with_the_smallest_leave_one_out_error_is_kept():
    machine = as_published("epcvm-ep", gamma=30.0).fit(X, Y)
    first_best = np.argmin(machine.path_["loo_error"])
    assert first_best < len(machine.path_) - 1
    assert len(machine.relevance_) == machine.path_["n_terms"][first_best]


def test_without_shrinkage_the_mean_is_the_mode_of_the_evidence():
    plain = as_published("rvm", gamma=GAMMA).fit(X, Y)
    expansion = plain.expansions_[0]
    Phi = expansion.design(rbf_kernel(X, plain.relevance_vectors_, gamma=GAMMA))
    t = np.where(plain.classes_[1] == Y, 1.0, -1.0)
    # At the mode the prior's pull is the gradient of the likelihood, and α_j = (1 − α_j Σ_jj) / μ_j².
    alpha = (Phi.T @ (t / (1 + np.exp(t * (Phi @ expansion.mean)))))[1:] / expansion.mean[1:]
    determined = 1 - alpha * expansion.variances[1:]
    np.testing.assert_allclose(alpha, determined / np.square(expansion.mean[1:]), rtol=0.1)
    shrunk = RVMClassifier(gamma=GAMMA, feature_scales=None, start="empty", max_candidates=None).fit(X, Y)
    assert np.abs(shrunk.dual_coef_).sum() < np.abs(plain.dual_coef_).sum()


@pytest.mark.parametrize(("s", "q"), [(2.0, 0.3), (5.0, 1.0), (1.0, 4.0), (0.2, 0.1)])
def test_best_precision_where_the_sign_counts_is_the_maximum(s, q):
    def minus(log_alpha):
        return -float(log_evidence_term(np.exp(log_alpha), s, q, half=True, sign=True))

    found = minimize_scalar(minus, bounds=(-25, 25), method="bounded", options={"xatol": 1e-10})
    ours = best_precision(np.array([s]), np.array([q]), half=True, sign=True)[0]
    assert minus(np.log(ours)) <= found.fun + 1e-5
    w = np.linspace(0, 12, 200_001)
    values = 2 * np.sqrt(0.7 / (2 * np.pi)) * np.exp(q * w - 0.5 * (s + 0.7) * w * w)
    term = log_evidence_term(np.array(0.7), s, q, half=True, sign=True)
    assert term == pytest.approx(np.log(np.trapezoid(values, w)), abs=1e-8)


def test_where_the_sign_counts_there_are_more_vectors():
    few, many = (as_published("epcvm", gamma=GAMMA, counts_sign=sign).fit(X, Y) for sign in (False, True))
    assert len(many.relevance_) > len(few.relevance_)
    # The objective is the log evidence of the same soft prior less the gain that a column must bring.
    assert many.log_evidence_ > few.log_evidence_ - 1e-2 * len(many.relevance_)


def test_soft_factors_are_gaussian_sites_at_the_mode():
    prior, w = SoftTruncated(np.array([1e-3, 0.5, 2.0])), np.array([-0.4, 0.3, 1.5])
    precision, shift = prior.factor_sites(w)
    np.testing.assert_allclose([precision[0], shift[0]], 0, atol=1e-12)
    p = 1 / (1 + np.exp(-3 * w[1:]))
    np.testing.assert_allclose(precision[1:], 9 * p * (1 - p))
    np.testing.assert_allclose(shift[1:], 3 * (1 - p) + precision[1:] * w[1:])


def test_plug_in_probabilities_take_the_weights_as_certain():
    machine = as_published("pcvm", n_init=2).fit(X, Y)
    K = rbf_kernel(X, machine.relevance_vectors_, gamma=machine.gamma_)
    f = K @ machine.dual_coef_[0] + machine.intercept_[0]
    np.testing.assert_allclose(machine.predict_proba(X)[:, 1], ndtr(f), atol=1e-9)
    integrated = as_published("pcvm", n_init=2, probabilities="integrated").fit(X, Y)
    assert np.abs(integrated.predict_proba(X) - 0.5).mean() < np.abs(machine.predict_proba(X) - 0.5).mean()


def test_plug_in_probabilities_of_many_classes():
    labels = np.where(X[:, 0] > 0.3, 2, Y)
    machine = as_published("pcvm", n_init=1).fit(X, labels)
    assert machine.predict_proba(X).shape == (80, 3)
    assert all((expansion.variances < 1e-12).all() for expansion in machine.expansions_)


def test_one_start_is_that_of_all_starts():
    every = PCVMClassifier(n_init=3, max_iter=200, tol=0.1).fit(X, Y)
    for place in range(3):
        one = PCVMClassifier(only_start=place, max_iter=200, tol=0.1).fit(X, Y)
        assert len(one.trials_) == 1
        assert one.gamma_ == pytest.approx(every.trials_["gamma"][place], rel=1e-9)


def test_rows_with_vectors_move_the_width_on_request():
    others, everyone = (
        PCVMClassifier(only_start=1, width_rows=rows, tol=0.1).fit(X, Y) for rows in ("others", "all")
    )
    assert everyone.gamma_ != others.gamma_


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_the_variational_machine_has_a_posterior_of_every_precision(task):
    if task == "classes":
        machine, columns = as_published("vrvm", gamma=GAMMA).fit(X, Y), X
    else:
        columns, y = make_sinc(60, random_state=0)
        machine = as_published("vrvm-regression", gamma=0.2).fit(columns, y)
    alpha, expansion = machine.alpha_posterior_, machine.expansions_[0]
    assert alpha.mean.shape == (1, len(columns))
    assert np.isfinite(alpha.mean).all()
    assert (np.diff(machine.path_["log_evidence"]) >= -1e-6).all()
    # Eq. 25 in the units of the standardised columns: ⟨α⟩ = (a + ½) / (b + ½ ⟨w²⟩).
    squares = np.square(expansion.mean[1:]) + expansion.variances[1:]
    if task == "numbers":
        ours, theirs = expansion.alpha.mean, 1 / squares
        large = theirs < 1e3
        np.testing.assert_allclose(ours[large], theirs[large], rtol=0.1)
    assert (alpha.mean.max() / alpha.mean.min()) > 100


def _problem(prior):
    rng = np.random.default_rng(0)
    Phi = np.column_stack([np.ones(15), rng.normal(size=15)])
    return prior, Phi, np.where(Phi[:, 1] + rng.normal(size=15) > 0, 1.0, -1.0), np.ones(15)


@pytest.mark.parametrize(
    "prior",
    [ARD(np.array([0.5, 1.0])), GammaARD(np.array([0.5, 1.0])), SoftTruncated(np.array([0.5, 1.0]))]
    + [Truncated(np.array([0.5, 1.0]))],
    ids=lambda prior: type(prior).__name__,
)
@pytest.mark.parametrize("likelihood", [Probit(), Logit()], ids=["probit", "logit"])
def test_monte_carlo_can_referee_every_prior(prior, likelihood):
    prior, Phi, y, weights = _problem(prior)
    engine = ep if isinstance(prior, Truncated) else laplace
    start = engine(Probit() if engine is ep else likelihood, prior, Phi, y, weights)
    chains = hmc(
        likelihood, prior, Phi, y, weights, start, np.random.default_rng(1), n_draws=400, n_warmup=200
    )
    axis = np.linspace(-8, 8, 81)
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    with np.errstate(all="ignore"):
        log_prior = np.array([prior.log_density(w) for w in grid])
    log_joint = likelihood.log_prob(y, grid @ Phi.T).sum(axis=1) + log_prior
    share = np.exp(log_joint - log_joint.max())
    share /= share.sum()
    mean = share @ grid
    spread = np.sqrt(share @ np.square(grid - mean))
    error = spread / np.sqrt(chains.effective_samples)
    assert (np.abs(chains.flat.mean(axis=0) - mean) < 4 * error + 0.05).all()
    assert (chains.r_hat < 1.1).all()


def test_criteria_by_leaving_out_need_leave_one_out_estimates():
    with pytest.raises(ValueError, match=r"criterion='loo_error' needs inference='ep' or 'hmc'"):
        EPCVMClassifier(criterion="loo_error").fit(X, Y)
