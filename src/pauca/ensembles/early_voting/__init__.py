"""Early voting: rules on partial sums that decide when the rest of an ensemble need not be evaluated."""

from .estimators import InstancePrunedClassifier
from .regressor import InstancePrunedRegressor
from .rules import agreement_probability, vote_rule, vote_thresholds

__all__ = [
    "InstancePrunedClassifier",
    "InstancePrunedRegressor",
    "agreement_probability",
    "vote_rule",
    "vote_thresholds",
]
