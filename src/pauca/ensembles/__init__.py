"""Ensembles: pruning to the members, and early voting with the votes, that matter.

Numbers of equations and sections refer to the thesis of D. Hernández-Lobato, "Prediction Based on Averages
over Automatically Induced Learners", 2009.
"""

from .adaptive import AdaptiveForestClassifier, AdaptiveForestRegressor
from .boosting import (
    BoostedModel,
    InstancePrunedBoostingClassifier,
    InstancePrunedBoostingRegressor,
    PrunedBoostingClassifier,
    PrunedBoostingRegressor,
    read_boosting,
)
from .decomposition import Decomposition, bias_variance_covariance
from .early_voting import (
    InstancePrunedClassifier,
    InstancePrunedRegressor,
    agreement_probability,
    vote_rule,
    vote_thresholds,
)
from .growth import ensemble_size, grow_until_stable
from .pruning import (
    Ordering,
    PrunedEnsembleClassifier,
    PrunedEnsembleRegressor,
    SubEnsemble,
    WeightedMembers,
    common_errors,
    error_products,
    evidence_pruning,
    exhaustive_pruning,
    ordered_aggregation,
    sdp_pruning,
    vote_ordering,
)
from .size import EnsembleSize, required_size
from .weighted_votes import InstancePrunedWeightedClassifier

__all__ = [
    "AdaptiveForestClassifier",
    "AdaptiveForestRegressor",
    "BoostedModel",
    "Decomposition",
    "EnsembleSize",
    "InstancePrunedBoostingClassifier",
    "InstancePrunedBoostingRegressor",
    "InstancePrunedClassifier",
    "InstancePrunedRegressor",
    "InstancePrunedWeightedClassifier",
    "Ordering",
    "PrunedBoostingClassifier",
    "PrunedBoostingRegressor",
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
    "read_boosting",
    "required_size",
    "sdp_pruning",
    "vote_ordering",
    "vote_rule",
    "vote_thresholds",
]
