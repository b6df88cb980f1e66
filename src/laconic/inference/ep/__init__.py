"""Expectation propagation: every factor of the posterior replaced by a Gaussian site."""

from .dual import MODES, DualPosterior, EPMode, dual_ep
from .dual_algebra import dual_kernel, dual_moments
from .engine import EPPosterior, ep
from .factorised import FactorisedPosterior, Observations, factorised
from .sites import cavity, log_scale

__all__ = [
    "MODES",
    "DualPosterior",
    "EPMode",
    "EPPosterior",
    "FactorisedPosterior",
    "Observations",
    "cavity",
    "dual_ep",
    "dual_kernel",
    "dual_moments",
    "ep",
    "factorised",
    "log_scale",
]
