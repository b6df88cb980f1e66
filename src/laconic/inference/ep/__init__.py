"""Expectation propagation: every factor of the posterior replaced by a Gaussian site."""

from .engine import EPPosterior, ep
from .sites import cavity, log_scale

__all__ = ["EPPosterior", "cavity", "ep", "log_scale"]
