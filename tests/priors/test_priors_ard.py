"""Automatic relevance determination against scipy's normal density."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from pauca.priors import ARD


@pytest.mark.parametrize("seed", range(4))
def test_log_density(seed):
    rng = np.random.default_rng(seed)
    precision = 10.0 ** rng.uniform(-3, 3, size=5)
    w = rng.normal(size=5) / np.sqrt(precision)
    value = ARD(precision).log_density(w)
    np.testing.assert_allclose(value, norm.logpdf(w, scale=precision**-0.5).sum())
    np.testing.assert_allclose(
        value, multivariate_normal(np.zeros(5), np.diag(1 / precision)).logpdf(w), rtol=1e-9
    )
