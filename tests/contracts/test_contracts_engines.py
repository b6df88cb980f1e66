"""What every engine promises, and that all agree where the answer is known."""

import inspect

import numpy as np
import pytest

from pauca import inference
from pauca.inference import Posterior, WarmStart, ep, exact, laplace, variational
from pauca.inference.ep import dual_ep, factorised
from pauca.inference.gibbs import gibbs
from pauca.likelihoods import Gaussian, Logit, MultinomialProbit, Probit
from pauca.priors import ARD

ENGINES = {
    ep: [Gaussian(3.0), Logit(), Probit()],
    exact: [Gaussian(3.0)],
    laplace: [Gaussian(3.0), Logit(), Probit()],
    variational: [Gaussian(3.0), Logit()],
}
PAIRS = [(engine, likelihood) for engine, likelihoods in ENGINES.items() for likelihood in likelihoods]
every_pair = pytest.mark.parametrize(
    ("engine", "likelihood"), PAIRS, ids=[f"{engine.__name__}-{likelihood}" for engine, likelihood in PAIRS]
)
# What it takes to compare posteriors to many digits.
STRICT = {ep: {"tol": 1e-11}}
ARGUMENTS = ["likelihood", "prior", "Phi", "y", "weights", "start"]


def problem(likelihood, seed, n=30, m=4):
    """Prior, design matrix, targets and weights."""
    rng = np.random.default_rng(seed)
    Phi = np.column_stack([np.ones(n), rng.normal(size=(n, m - 1))])
    y = Phi @ rng.normal(size=m) + 0.5 * rng.normal(size=n)
    y = y if isinstance(likelihood, Gaussian) else np.where(y > 0, 1.0, -1.0)
    return ARD(10.0 ** rng.uniform(-2, 1, size=m)), Phi, y, rng.uniform(0.3, 2.5, size=n)


def run(engine, *arguments):
    """The posterior to many digits."""
    return engine(*arguments, **STRICT.get(engine, {}))


def assert_same(first, second, tol=1e-6):
    np.testing.assert_allclose(first.mean, second.mean, rtol=tol, atol=tol)
    np.testing.assert_allclose(first.factor, second.factor, rtol=tol, atol=tol)
    np.testing.assert_allclose(first.log_evidence, second.log_evidence, rtol=tol)


def test_every_engine_is_covered():
    public = {
        value
        for name, value in vars(inference).items()
        if inspect.isfunction(value) and list(inspect.signature(value).parameters)[:6] == ARGUMENTS
    }
    assert public == set(ENGINES)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
@pytest.mark.parametrize("seed", range(4))
def test_all_engines_equal_exact_for_gaussian_noise(engine, seed):
    likelihood = Gaussian(10.0 ** (seed - 1))
    arguments = problem(likelihood, seed)
    ours, reference = run(engine, likelihood, *arguments), exact(likelihood, *arguments)
    assert_same(ours, reference, tol=1e-9)
    np.testing.assert_allclose(ours.sites.precision, reference.sites.precision, rtol=1e-8)
    np.testing.assert_allclose(ours.sites.residual, reference.sites.residual, rtol=1e-8, atol=1e-9)


@every_pair
@pytest.mark.parametrize("seed", range(3))
def test_residuals_balance_the_prior(engine, likelihood, seed):
    # At the mean of the posterior Φᵀe = A μ.
    prior, Phi, y, weights = problem(likelihood, seed)
    posterior = run(engine, likelihood, prior, Phi, y, weights)
    assert posterior.converged
    np.testing.assert_allclose(Phi.T @ posterior.sites.residual, prior.precision * posterior.mean, atol=1e-3)
    precision = (Phi.T * posterior.sites.precision) @ Phi + np.diag(prior.precision)
    np.testing.assert_allclose(posterior.factor @ posterior.factor.T, precision, rtol=1e-9, atol=1e-9)


@every_pair
def test_warm_start_and_cold_start_agree(engine, likelihood):
    arguments = problem(likelihood, 5)
    cold = run(engine, likelihood, *arguments)
    for start in (cold.mean, cold.mean + 3.0, -10 * cold.mean):
        kept = start.copy()
        assert_same(run(engine, likelihood, *arguments, WarmStart(start)), cold, tol=1e-3)
        np.testing.assert_array_equal(start, kept)
    assert_same(run(engine, likelihood, *arguments, cold.warm_start(slice(None), 0)), cold, tol=1e-3)


@every_pair
def test_whole_weights_are_repeated_rows(engine, likelihood):
    prior, Phi, y, _ = problem(likelihood, 6)
    count = np.random.default_rng(6).integers(0, 4, size=len(y))
    weighted = run(engine, likelihood, prior, Phi, y, count.astype(float))
    repeated = run(
        engine, likelihood, prior, np.repeat(Phi, count, axis=0), np.repeat(y, count), np.ones(count.sum())
    )
    assert_same(weighted, repeated)
    np.testing.assert_allclose(
        np.repeat(weighted.sites.residual / np.maximum(count, 1), count), repeated.sites.residual, atol=1e-6
    )


@every_pair
def test_order_of_rows_and_columns_is_free(engine, likelihood):
    prior, Phi, y, weights = problem(likelihood, 7)
    rng = np.random.default_rng(7)
    rows, columns = rng.permutation(len(y)), rng.permutation(Phi.shape[1])
    here = run(engine, likelihood, prior, Phi, y, weights)
    there = run(
        engine, likelihood, ARD(prior.precision[columns]), Phi[rows][:, columns], y[rows], weights[rows]
    )
    np.testing.assert_allclose(there.mean, here.mean[columns], atol=1e-6)
    np.testing.assert_allclose(there.variances, here.variances[columns], rtol=1e-6)
    np.testing.assert_allclose(there.log_evidence, here.log_evidence, rtol=1e-9)
    np.testing.assert_allclose(there.sites.residual, here.sites.residual[rows], atol=1e-6)


@every_pair
def test_shapes_and_kinds(engine, likelihood):
    prior, Phi, y, weights = problem(likelihood, 8, n=11, m=3)
    posterior = run(engine, likelihood, prior, Phi, y, weights)
    assert isinstance(posterior, Posterior)
    assert posterior.mean.shape == posterior.variances.shape == (3,)
    assert posterior.factor.shape == (3, 3)
    assert posterior.sites.precision.shape == posterior.sites.residual.shape == (11,)
    assert (posterior.sites.precision >= 0).all()
    assert isinstance(posterior.log_evidence, float)
    assert isinstance(posterior.converged, bool)
    assert posterior.n_iter >= 1


class Part:
    """Part of a model that has none of the methods that engines need."""


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
@pytest.mark.parametrize("wrong", ["likelihood", "prior"])
def test_a_part_that_lacks_a_method_is_refused_before_any_work(engine, wrong):
    likelihood, prior = (Part(), ARD(np.ones(2))) if wrong == "likelihood" else (Gaussian(1.0), Part())
    with pytest.raises(TypeError, match=f"Part has no [a-z_]+.*, which {engine.__name__} needs"):
        engine(likelihood, prior, None, None, None)


@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("joint_ep", lambda part: inference.joint_ep(part, [], [], None, None)),
        ("joint_ep", lambda part: inference.joint_ep(MultinomialProbit(), [part], [None], None, None)),
        ("joint_latent_ep", lambda part: inference.joint_latent_ep(part, *[None] * 4)),
        ("latent_ep", lambda part: inference.latent_ep(part, *[None] * 4)),
        ("latent_laplace", lambda part: inference.latent_laplace(part, *[None] * 4)),
        ("hmc", lambda part: inference.hmc(part, ARD(np.ones(2)), *[None] * 5)),
        ("hmc", lambda part: inference.hmc(Probit(), part, *[None] * 5)),
        ("gibbs", lambda part: gibbs(None, part)),
        ("factorised", lambda part: factorised(None, part)),
        ("dual_ep", lambda part: dual_ep(None, part, None)),
    ],
)
def test_other_engines_refuse_it_too(name, run):
    with pytest.raises(TypeError, match=f"Part has no [a-z_]+.*, which {name} needs"):
        run(Part())


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
@pytest.mark.parametrize("likelihood", [Gaussian(3.0), Logit(), Probit()], ids=str)
def test_every_other_likelihood_is_refused_by_name(engine, likelihood):
    arguments = problem(likelihood, 0)
    if likelihood in ENGINES[engine]:
        run(engine, likelihood, *arguments)
        return
    with pytest.raises(TypeError, match=f"{type(likelihood).__name__} has no [a-z_]+, which"):
        engine(likelihood, *arguments)
