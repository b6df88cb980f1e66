"""Expectation propagation: every factor of the posterior replaced by a Gaussian site."""

from .sites import cavity, log_scale

__all__ = ["cavity", "log_scale"]
