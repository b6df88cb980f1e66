"""Boosted ensembles: flat trees from every library, certificates and calibrated rules for early exit."""

from .boosted_model import BoostedModel
from .classifier import InstancePrunedBoostingClassifier
from .pruned import PrunedBoostingClassifier, PrunedBoostingRegressor
from .readers import read_boosting
from .regressor import InstancePrunedBoostingRegressor

__all__ = [
    "BoostedModel",
    "InstancePrunedBoostingClassifier",
    "InstancePrunedBoostingRegressor",
    "PrunedBoostingClassifier",
    "PrunedBoostingRegressor",
    "read_boosting",
]
