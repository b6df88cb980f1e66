"""Expectation propagation: every factor of the posterior replaced by a Gaussian site."""

from .dual import MODES, DualPosterior, EPMode, dual_ep
from .dual_algebra import dual_kernel, dual_moments
from .sites import cavity, log_scale

__all__ = [
    "MODES",
    "DualPosterior",
    "EPMode",
    "cavity",
    "dual_ep",
    "dual_kernel",
    "dual_moments",
    "log_scale",
]
