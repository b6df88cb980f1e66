"""Small ensembles: fewer members, fewer votes."""

from .instance_pruned import InstancePrunedClassifier
from .pilot import ensemble_size, grow_until_stable
from .size import EnsembleSize, required_size
from .voting import agreement_probability, vote_thresholds

__all__ = [
    "EnsembleSize",
    "InstancePrunedClassifier",
    "agreement_probability",
    "ensemble_size",
    "grow_until_stable",
    "required_size",
    "vote_thresholds",
]
