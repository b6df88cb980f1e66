"""Boosted classifiers: flat trees from every library, certificates and calibrated rules for early exit."""

from .boosted_model import BoostedModel
from .classifier import InstancePrunedBoostingClassifier
from .pruned import PrunedBoostingClassifier
from .readers import read_boosting

__all__ = ["BoostedModel", "InstancePrunedBoostingClassifier", "PrunedBoostingClassifier", "read_boosting"]
