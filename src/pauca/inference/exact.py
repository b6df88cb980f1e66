"""Exact posterior for Gaussian noise."""

import numpy as np

from .posterior import Posterior, Sites, gaussian_posterior


def exact(likelihood, prior, Phi, y, weights, start=None):
    """Posterior and log evidence of the linear-Gaussian model; ``start`` is not needed."""
    precision = weights * likelihood.precision
    mean, factor = gaussian_posterior(Phi, precision, precision * y, prior.precision)
    f = Phi @ mean
    log_evidence = (
        weights @ likelihood.log_prob(y, f)
        + prior.log_density(mean)
        + 0.5 * len(mean) * np.log(2 * np.pi)
        - np.log(np.diag(factor)).sum()
    )
    return Posterior(mean, factor, float(log_evidence), Sites(precision, precision * (y - f)))
