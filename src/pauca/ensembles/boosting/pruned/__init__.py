"""Boosted ensembles reduced to the rounds that matter, each with a new weight."""

from .classifier import PrunedBoostingClassifier
from .regressor import PrunedBoostingRegressor

__all__ = ["PrunedBoostingClassifier", "PrunedBoostingRegressor"]
