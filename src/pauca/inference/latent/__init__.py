"""Latent values of rows under a Gaussian prior, given the likelihood of each row.

A prior is a dense covariance matrix or a design of few columns; engines ask it for nothing but the posterior
given Gaussian sites, so that one implementation serves both.
"""

from .confusion import ConfusionFit, confused_latent_ep
from .expectation_propagation import latent_ep, site_of_cavity
from .joint import ClassFits, joint_latent_ep
from .mode import latent_laplace
from .priors import DensePrior, DesignPrior, LatentPosterior
from .result import LatentFit

__all__ = [
    "ClassFits",
    "ConfusionFit",
    "DensePrior",
    "DesignPrior",
    "LatentFit",
    "LatentPosterior",
    "confused_latent_ep",
    "joint_latent_ep",
    "latent_ep",
    "latent_laplace",
    "site_of_cavity",
]
