"""Posteriors of latent values given sites, against dense formulas: sites from no precision to a large one."""

import numpy as np
import pytest

from pauca.basis import RBF
from pauca.inference import DensePrior, DesignPrior


@pytest.mark.parametrize("seed", range(3))
def test_dense_posteriors_of_weak_and_strong_sites(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))
    C = 5 * RBF(0.3)(X, X) + 0.1 * np.eye(60)
    precision = np.where(rng.random(60) < 0.1, 0.0, 10 ** rng.uniform(-9, 4, 60))
    shift = precision * rng.normal(size=60)
    posterior = DensePrior(C).posterior(precision, shift)
    inside = np.linalg.inv(np.eye(60) + precision[:, None] * C)
    np.testing.assert_allclose(posterior.precision, inside * precision, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(posterior.variance, np.diag(C @ inside), rtol=1e-6)
    np.testing.assert_allclose(posterior.mean, C @ inside @ shift, rtol=1e-6, atol=1e-9)


def test_a_design_is_the_dense_prior_of_its_products():
    rng = np.random.default_rng(0)
    Phi, precision = rng.normal(size=(30, 4)), rng.random(30)
    shift = precision * rng.normal(size=30)
    few = DesignPrior(Phi).posterior(precision, shift)
    many = DensePrior(Phi @ Phi.T).posterior(precision, shift)
    np.testing.assert_allclose(few.mean, many.mean, atol=1e-9)
    np.testing.assert_allclose(few.variance, many.variance, atol=1e-9)
    np.testing.assert_allclose(few.half_log_det, many.half_log_det, atol=1e-9)
