"""Expectation propagation: every factor of the posterior replaced by a Gaussian site."""

from .engine import EPPosterior, ep
from .factorised import FactorisedPosterior, Observations, factorised
from .sites import cavity, log_scale

__all__ = ["EPPosterior", "FactorisedPosterior", "Observations", "cavity", "ep", "factorised", "log_scale"]
