"""Ensemble pruning: functions from member outputs and targets to the indices of the members to keep."""

from .classifier import PrunedEnsembleClassifier
from .criteria import SubEnsemble, common_errors, error_products
from .evidence import WeightedMembers, evidence_pruning
from .exhaustive import exhaustive_pruning
from .ordered import Ordering, ordered_aggregation
from .regressor import PrunedEnsembleRegressor
from .sdp import sdp_pruning
from .vote_orders import vote_ordering

__all__ = [
    "Ordering",
    "PrunedEnsembleClassifier",
    "PrunedEnsembleRegressor",
    "SubEnsemble",
    "WeightedMembers",
    "common_errors",
    "error_products",
    "evidence_pruning",
    "exhaustive_pruning",
    "ordered_aggregation",
    "sdp_pruning",
    "vote_ordering",
]
