"""Engines: from (likelihood, prior, Φ, y) to a posterior over the weights."""

from .ep import EPPosterior, ep
from .exact import exact
from .hmc import Chains, hmc
from .laplace import expanded_at_mean, laplace
from .posterior import (
    Posterior,
    Sites,
    Start,
    column_slopes,
    gaussian_posterior,
    latent_moments,
    leave_one_out,
)
from .variational import variational

__all__ = [
    "Chains",
    "EPPosterior",
    "Posterior",
    "Sites",
    "Start",
    "column_slopes",
    "ep",
    "exact",
    "expanded_at_mean",
    "gaussian_posterior",
    "hmc",
    "laplace",
    "latent_moments",
    "leave_one_out",
    "variational",
]
