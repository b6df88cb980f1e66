"""Engines: from (likelihood, prior, Φ, y) to a posterior over the weights."""

from .exact import exact
from .laplace import laplace
from .posterior import Posterior, Sites, gaussian_posterior, leave_one_out

__all__ = ["Posterior", "Sites", "exact", "gaussian_posterior", "laplace", "leave_one_out"]
