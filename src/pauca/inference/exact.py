"""Exact posterior for Gaussian noise."""

from numpy.typing import NDArray

from .posterior import Posterior, Sites, WarmStart, gaussian_posterior, log_integral
from .protocols import GaussianLikelihood, GaussianPrior, check_parts


def exact(
    likelihood: GaussianLikelihood,
    prior: GaussianPrior,
    Phi: NDArray,
    y: NDArray,
    weights: NDArray,
    start: WarmStart | None = None,
) -> Posterior:
    """Posterior and log evidence of the linear model with Gaussian noise and a Gaussian prior.

    Parameters
    ----------
    likelihood : Gaussian
        Noise of the observations.
    prior : ARD
        Gaussian prior of the weights.
    Phi : ndarray of shape (n_rows, n_weights)
        Design matrix.
    y : ndarray of shape (n_rows,)
        Observations.
    weights : ndarray of shape (n_rows,)
        Weights of the rows.
    start : WarmStart, optional
        Not used: the solution is closed.

    Returns
    -------
    posterior : Posterior
    """
    check_parts("exact", (likelihood, GaussianLikelihood), (prior, GaussianPrior))
    precision = weights * likelihood.precision
    mean, factor = gaussian_posterior(Phi, precision, precision * y, prior.precision)
    f = Phi @ mean
    log_joint = weights @ likelihood.log_prob(y, f) + prior.log_density(mean)
    sites = Sites(precision, precision * (y - f))
    return Posterior(mean, factor, log_integral(log_joint, factor), sites)
