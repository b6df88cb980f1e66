"""Engines: from (likelihood, prior, Φ, y) to a posterior over the weights."""

from .exact import exact
from .laplace import laplace
from .posterior import Posterior, Sites, gaussian_posterior, latent_moments, leave_one_out
from .variational import variational

__all__ = [
    "Posterior",
    "Sites",
    "exact",
    "gaussian_posterior",
    "laplace",
    "latent_moments",
    "leave_one_out",
    "variational",
]
