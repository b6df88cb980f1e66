"""The sparse Bayesian machines, as scikit-learn estimators."""

from .ard_classifier import ARDClassifier
from .epcvm_classifier import EPCVMClassifier
from .pcvm_classifier import PCVMClassifier
from .rvm_classifier import RVMClassifier
from .rvm_regressor import RVMRegressor
from .spike_slab_classifier import SpikeSlabClassifier
from .spike_slab_regressor import SpikeSlabRegressor

__all__ = [
    "ARDClassifier",
    "EPCVMClassifier",
    "PCVMClassifier",
    "RVMClassifier",
    "RVMRegressor",
    "SpikeSlabClassifier",
    "SpikeSlabRegressor",
]
