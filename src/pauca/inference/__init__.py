"""Engines: from (likelihood, prior, Φ, y) to a posterior over the weights."""

from .ep import EPPosterior, ep, joint_ep
from .exact import exact
from .hmc import Chains, hmc
from .laplace import expanded_at_mean, laplace
from .latent import (
    ClassFits,
    ConfusionFit,
    DensePrior,
    DesignPrior,
    LatentFit,
    confused_latent_ep,
    joint_latent_ep,
    latent_ep,
    latent_laplace,
    site_of_cavity,
)
from .posterior import (
    Posterior,
    Sites,
    WarmStart,
    column_gradient,
    gaussian_posterior,
    latent_moments,
    leave_one_out,
)
from .variational import variational

__all__ = [
    "Chains",
    "ClassFits",
    "ConfusionFit",
    "DensePrior",
    "DesignPrior",
    "EPPosterior",
    "LatentFit",
    "Posterior",
    "Sites",
    "WarmStart",
    "column_gradient",
    "confused_latent_ep",
    "ep",
    "exact",
    "expanded_at_mean",
    "gaussian_posterior",
    "hmc",
    "joint_ep",
    "joint_latent_ep",
    "laplace",
    "latent_ep",
    "latent_laplace",
    "latent_moments",
    "leave_one_out",
    "site_of_cavity",
    "variational",
]
