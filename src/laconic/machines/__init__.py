"""The sparse Bayesian machines, as scikit-learn estimators."""

from .epcvm_classifier import EPCVMClassifier
from .rvm_classifier import RVMClassifier
from .rvm_regressor import RVMRegressor

__all__ = ["EPCVMClassifier", "RVMClassifier", "RVMRegressor"]
