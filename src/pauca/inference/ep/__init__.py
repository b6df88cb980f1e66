"""Expectation propagation: every factor of the posterior replaced by a Gaussian site."""

from .engine import EPPosterior, ep
from .joint import joint_ep
from .noise.dual import DualPosterior, dual_ep
from .noise.dual_algebra import dual_kernel, dual_moments
from .noise.dual_run import MODES, EPMode, easier_sites
from .sites import cavity, log_scale
from .wide.averages import AveragedPosterior, averaged_posterior, no_features
from .wide.correlated import CorrelatedPosterior
from .wide.credible_sets import CredibleSet, credible_sets
from .wide.factorised import FactorisedPosterior, factorised
from .wide.full_covariance import full_covariance, is_affordable
from .wide.observations import Observations
from .wide.single_effects import SingleEffectsPosterior, single_effects

__all__ = [
    "MODES",
    "AveragedPosterior",
    "CorrelatedPosterior",
    "CredibleSet",
    "DualPosterior",
    "EPMode",
    "EPPosterior",
    "FactorisedPosterior",
    "Observations",
    "SingleEffectsPosterior",
    "averaged_posterior",
    "cavity",
    "credible_sets",
    "dual_ep",
    "dual_kernel",
    "dual_moments",
    "easier_sites",
    "ep",
    "factorised",
    "full_covariance",
    "is_affordable",
    "joint_ep",
    "log_scale",
    "no_features",
    "single_effects",
]
