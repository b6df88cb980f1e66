"""The sparse Bayesian machines, as scikit-learn estimators."""

from .rvm import RVMClassifier, RVMRegressor

__all__ = ["RVMClassifier", "RVMRegressor"]
