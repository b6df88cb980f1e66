"""Expectation propagation: every factor of the posterior replaced by a Gaussian site."""

from .dual import DualPosterior, dual_ep
from .dual_algebra import dual_kernel, dual_moments
from .dual_run import MODES, EPMode, easier_sites
from .engine import EPPosterior, ep
from .factorised import FactorisedPosterior, Observations, factorised
from .joint import joint_ep
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
    "easier_sites",
    "ep",
    "factorised",
    "joint_ep",
    "log_scale",
]
