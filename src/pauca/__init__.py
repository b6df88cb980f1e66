"""Sparse Bayesian machines and small ensembles.

Public names load on first use, so that ``import pauca`` costs next to nothing.
"""

from importlib import import_module

__version__ = "0.1.0"

_HOME = {
    "ARDClassifier": "machines",
    "BayesMachineClassifier": "machines",
    "EPCVMClassifier": "machines",
    "PCVMClassifier": "machines",
    "InstancePrunedClassifier": "ensembles",
    "PrunedEnsembleClassifier": "ensembles",
    "PrunedEnsembleRegressor": "ensembles",
    "RVMClassifier": "machines",
    "RVMRegressor": "machines",
    "SparseBayesMachineClassifier": "machines",
    "SparseGPClassifier": "machines",
    "SpikeSlabClassifier": "machines",
    "SpikeSlabRegressor": "machines",
    "ensemble_size": "ensembles",
    "grow_until_stable": "ensembles",
    "load": "persistence",
    "save": "persistence",
    "stability": "evaluation",
    "vote_thresholds": "ensembles",
}
_SUBPACKAGES = (
    "basis",
    "datasets",
    "ensembles",
    "evaluation",
    "inference",
    "learn",
    "likelihoods",
    "machines",
    "numerics",
    "persistence",
    "plotting",
    "priors",
    "selection",
)

__all__ = [*_HOME, "__version__", "datasets"]


def __getattr__(name):
    if name in _HOME:
        return getattr(import_module(f"pauca.{_HOME[name]}"), name)
    if name in _SUBPACKAGES:
        return import_module(f"pauca.{name}")
    raise AttributeError(f"module 'pauca' has no attribute {name!r}")


def __dir__():
    return sorted([*__all__, *_SUBPACKAGES])
