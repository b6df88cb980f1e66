"""Boosted classifiers: flat trees from every library, certificates and calibrated rules for early exit."""

from .classifier import InstancePrunedBoostingClassifier
from .readers import BoostedModel, read_boosting

__all__ = ["BoostedModel", "InstancePrunedBoostingClassifier", "read_boosting"]
