"""The sparse Bayesian machines, as scikit-learn estimators."""

from .bayes_machine_classifier import BayesMachineClassifier
from .epcvm_classifier import EPCVMClassifier
from .pcvm_classifier import PCVMClassifier
from .rvm_classifier import RVMClassifier
from .rvm_regressor import RVMRegressor
from .sparse_bayes_machine_classifier import SparseBayesMachineClassifier

__all__ = [
    "BayesMachineClassifier",
    "EPCVMClassifier",
    "PCVMClassifier",
    "RVMClassifier",
    "RVMRegressor",
    "SparseBayesMachineClassifier",
]
