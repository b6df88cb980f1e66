"""The right half: ensembles cut down to the members that matter."""

from .decomposition import Decomposition, bias_variance_covariance
from .evidence import WeightedMembers, evidence_pruning
from .exhaustive import exhaustive_pruning
from .matrices import common_errors, error_products
from .ordered import Ordering, ordered_aggregation
from .orderings import vote_ordering
from .pruned_classifier import PrunedEnsembleClassifier
from .pruned_regressor import PrunedEnsembleRegressor
from .sdp import sdp_pruning
from .subensemble import SubEnsemble

__all__ = [
    "Decomposition",
    "Ordering",
    "PrunedEnsembleClassifier",
    "PrunedEnsembleRegressor",
    "SubEnsemble",
    "WeightedMembers",
    "bias_variance_covariance",
    "common_errors",
    "error_products",
    "evidence_pruning",
    "exhaustive_pruning",
    "ordered_aggregation",
    "sdp_pruning",
    "vote_ordering",
]
