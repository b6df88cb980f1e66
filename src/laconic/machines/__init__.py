"""The sparse Bayesian machines, as scikit-learn estimators."""

from .rvm_classifier import RVMClassifier
from .rvm_regressor import RVMRegressor

__all__ = ["RVMClassifier", "RVMRegressor"]
