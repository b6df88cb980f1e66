"""Sparse Bayesian machines and small ensembles.

Public names load on first use, so that ``import pauca`` costs next to nothing; editors and type checkers read
the imports below instead.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import basis as basis
    from . import datasets as datasets
    from . import distillation as distillation
    from . import ensembles as ensembles
    from . import evaluation as evaluation
    from . import export as export
    from . import fitting as fitting
    from . import inference as inference
    from . import likelihoods as likelihoods
    from . import machines as machines
    from . import numerics as numerics
    from . import persistence as persistence
    from . import plotting as plotting
    from . import priors as priors
    from . import selection as selection
    from .config import config_context, get_config, set_config
    from .distillation import distil
    from .ensembles import (
        AdaptiveForestClassifier,
        AdaptiveForestRegressor,
        InstancePrunedBoostingClassifier,
        InstancePrunedBoostingRegressor,
        InstancePrunedClassifier,
        InstancePrunedRegressor,
        InstancePrunedWeightedClassifier,
        PrunedBoostingClassifier,
        PrunedBoostingRegressor,
        PrunedEnsembleClassifier,
        PrunedEnsembleRegressor,
        ensemble_size,
        grow_until_stable,
        vote_thresholds,
    )
    from .evaluation.stability import stability  # from its module, which has the same name
    from .machines import (
        ARDClassifier,
        BayesMachineClassifier,
        EPCVMClassifier,
        PCVMClassifier,
        RVMClassifier,
        RVMRegressor,
        SparseBayesMachineClassifier,
        SparseGPClassifier,
        SparseGPOrdinalClassifier,
        SparseGPRegressor,
        SpikeSlabClassifier,
        SpikeSlabRegressor,
        as_published,
    )
    from .persistence import load, save

__version__ = "0.1.0"

__all__ = [
    "ARDClassifier",
    "AdaptiveForestClassifier",
    "AdaptiveForestRegressor",
    "BayesMachineClassifier",
    "EPCVMClassifier",
    "InstancePrunedBoostingClassifier",
    "InstancePrunedBoostingRegressor",
    "InstancePrunedClassifier",
    "InstancePrunedRegressor",
    "InstancePrunedWeightedClassifier",
    "PCVMClassifier",
    "PrunedBoostingClassifier",
    "PrunedBoostingRegressor",
    "PrunedEnsembleClassifier",
    "PrunedEnsembleRegressor",
    "RVMClassifier",
    "RVMRegressor",
    "SparseBayesMachineClassifier",
    "SparseGPClassifier",
    "SparseGPOrdinalClassifier",
    "SparseGPRegressor",
    "SpikeSlabClassifier",
    "SpikeSlabRegressor",
    "__version__",
    "as_published",
    "config_context",
    "datasets",
    "distil",
    "ensemble_size",
    "get_config",
    "grow_until_stable",
    "load",
    "save",
    "set_config",
    "stability",
    "vote_thresholds",
]

# Where each name is loaded from.
_HOME = {
    "ARDClassifier": "machines",
    "AdaptiveForestClassifier": "ensembles",
    "AdaptiveForestRegressor": "ensembles",
    "BayesMachineClassifier": "machines",
    "EPCVMClassifier": "machines",
    "InstancePrunedBoostingClassifier": "ensembles",
    "InstancePrunedBoostingRegressor": "ensembles",
    "InstancePrunedClassifier": "ensembles",
    "InstancePrunedRegressor": "ensembles",
    "InstancePrunedWeightedClassifier": "ensembles",
    "PCVMClassifier": "machines",
    "PrunedBoostingClassifier": "ensembles",
    "PrunedBoostingRegressor": "ensembles",
    "PrunedEnsembleClassifier": "ensembles",
    "PrunedEnsembleRegressor": "ensembles",
    "RVMClassifier": "machines",
    "RVMRegressor": "machines",
    "SparseBayesMachineClassifier": "machines",
    "SparseGPClassifier": "machines",
    "SparseGPOrdinalClassifier": "machines",
    "SparseGPRegressor": "machines",
    "SpikeSlabClassifier": "machines",
    "SpikeSlabRegressor": "machines",
    "as_published": "machines",
    "config_context": "config",
    "distil": "distillation",
    "ensemble_size": "ensembles",
    "get_config": "config",
    "grow_until_stable": "ensembles",
    "load": "persistence",
    "save": "persistence",
    "set_config": "config",
    "stability": "evaluation",
    "vote_thresholds": "ensembles",
}
_SUBPACKAGES = (
    "basis",
    "datasets",
    "distillation",
    "ensembles",
    "evaluation",
    "export",
    "fitting",
    "inference",
    "likelihoods",
    "machines",
    "numerics",
    "persistence",
    "plotting",
    "priors",
    "selection",
)

# Type checkers do not see __getattr__, since they would take any name for granted with it.
if not TYPE_CHECKING:

    def __getattr__(name):
        if name in _HOME:
            return getattr(import_module(f"pauca.{_HOME[name]}"), name)
        if name in _SUBPACKAGES:
            return import_module(f"pauca.{name}")
        raise AttributeError(f"module 'pauca' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_SUBPACKAGES})
