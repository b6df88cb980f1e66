"""Small ensembles: fewer members, fewer votes."""

from .instance_pruned import InstancePrunedClassifier
from .voting import agreement_probability, vote_thresholds

__all__ = ["InstancePrunedClassifier", "agreement_probability", "vote_thresholds"]
