"""Expectation propagation: every factor of the posterior replaced by a Gaussian site."""

from .factorised import FactorisedPosterior, Observations, factorised
from .sites import cavity, log_scale

__all__ = ["FactorisedPosterior", "Observations", "cavity", "factorised", "log_scale"]
