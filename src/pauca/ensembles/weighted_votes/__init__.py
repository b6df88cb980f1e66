"""Early exit of ensembles whose members have weights: AdaBoost, voting and stacking."""

from .classifier import InstancePrunedWeightedClassifier

__all__ = ["InstancePrunedWeightedClassifier"]
