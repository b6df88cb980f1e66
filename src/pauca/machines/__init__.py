"""Sparse Bayesian classifiers and regressors with the API of scikit-learn."""

from .ard_classifier import ARDClassifier
from .bayes_machine_classifier import BayesMachineClassifier
from .epcvm_classifier import EPCVMClassifier
from .pcvm_classifier import PCVMClassifier
from .processes.ordinal_classifier import SparseGPOrdinalClassifier
from .published import as_published, published_machines
from .rvm_classifier import RVMClassifier
from .rvm_regressor import RVMRegressor
from .sparse_bayes_machine_classifier import SparseBayesMachineClassifier
from .sparse_gp_classifier import SparseGPClassifier
from .sparse_gp_regressor import SparseGPRegressor
from .spike_slab_classifier import SpikeSlabClassifier
from .spike_slab_regressor import SpikeSlabRegressor

__all__ = [
    "ARDClassifier",
    "BayesMachineClassifier",
    "EPCVMClassifier",
    "PCVMClassifier",
    "RVMClassifier",
    "RVMRegressor",
    "SparseBayesMachineClassifier",
    "SparseGPClassifier",
    "SparseGPOrdinalClassifier",
    "SparseGPRegressor",
    "SpikeSlabClassifier",
    "SpikeSlabRegressor",
    "as_published",
    "published_machines",
]
