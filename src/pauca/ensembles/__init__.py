"""The right half: ensembles cut down to the members, and the votes, that matter."""

from .decomposition import Decomposition, bias_variance_covariance
from .evidence import WeightedMembers, evidence_pruning
from .exhaustive import exhaustive_pruning
from .instance_pruned import InstancePrunedClassifier
from .matrices import common_errors, error_products
from .ordered import Ordering, ordered_aggregation
from .orderings import vote_ordering
from .pilot import ensemble_size, grow_until_stable
from .pruned_classifier import PrunedEnsembleClassifier
from .pruned_regressor import PrunedEnsembleRegressor
from .sdp import sdp_pruning
from .size import EnsembleSize, required_size
from .subensemble import SubEnsemble
from .voting import agreement_probability, vote_thresholds

__all__ = [
    "Decomposition",
    "EnsembleSize",
    "InstancePrunedClassifier",
    "Ordering",
    "PrunedEnsembleClassifier",
    "PrunedEnsembleRegressor",
    "SubEnsemble",
    "WeightedMembers",
    "agreement_probability",
    "bias_variance_covariance",
    "common_errors",
    "ensemble_size",
    "error_products",
    "evidence_pruning",
    "exhaustive_pruning",
    "grow_until_stable",
    "ordered_aggregation",
    "required_size",
    "sdp_pruning",
    "vote_ordering",
    "vote_thresholds",
]
