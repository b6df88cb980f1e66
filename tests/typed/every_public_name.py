"""Every public name, as an editor or a type checker meets it.

pyright checks this file in ``make lint``, and `tests/test_public_names.py` compares it with ``__all__``.
Nobody runs it.
"""

from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import pauca
from pauca import (
    EPCVMClassifier,
    InstancePrunedClassifier,
    PrunedEnsembleRegressor,
    RVMRegressor,
    SparseGPClassifier,
    SpikeSlabClassifier,
)
from pauca.datasets import make_ripley, make_sinc


def classify(X: NDArray[np.float64], y: NDArray[np.int_]) -> None:
    machine = SparseGPClassifier(kernel="rbf", gamma="evidence", random_state=0)
    assert_type(machine.fit(X, y), SparseGPClassifier)
    probabilities: np.ndarray = SparseGPClassifier().fit(X, y).predict_proba(X)
    labels: np.ndarray = EPCVMClassifier(inference="ep").fit(X, y).predict(X)
    ranking: np.ndarray = SpikeSlabClassifier().fit(X, y).ranking_
    print(probabilities, labels, ranking, machine.relevance_, machine.score(X, y))


def regress(X: NDArray[np.float64], y: NDArray[np.float64]) -> None:
    machine = RVMRegressor().fit(X, y)
    assert_type(machine, RVMRegressor)
    print(machine.predict(X), machine.predict(X, return_std=True), machine.noise_std_)


def prune(forest: object, X: NDArray[np.float64], y: NDArray[np.float64]) -> None:
    assert_type(PrunedEnsembleRegressor(forest, size=0.2).fit(X, y), PrunedEnsembleRegressor)
    print(InstancePrunedClassifier(forest).predict(X, return_queries=True))


def keep(path: str) -> None:
    pauca.save(SparseGPClassifier(), path)
    X, y = make_ripley(50, random_state=0)
    classify(X, y)
    regress(*make_sinc(50, random_state=0))


PACKAGE = (
    pauca.__version__,
    pauca.ARDClassifier,
    pauca.BayesMachineClassifier,
    pauca.datasets,
    pauca.ensemble_size,
    pauca.EPCVMClassifier,
    pauca.grow_until_stable,
    pauca.InstancePrunedClassifier,
    pauca.load,
    pauca.PCVMClassifier,
    pauca.PrunedEnsembleClassifier,
    pauca.PrunedEnsembleRegressor,
    pauca.RVMClassifier,
    pauca.RVMRegressor,
    pauca.save,
    pauca.SparseBayesMachineClassifier,
    pauca.SparseGPClassifier,
    pauca.SpikeSlabClassifier,
    pauca.SpikeSlabRegressor,
    pauca.stability,
    pauca.vote_thresholds,
)

DATASETS = (
    pauca.datasets.available,
    pauca.datasets.Dataset,
    pauca.datasets.DatasetCorrupted,
    pauca.datasets.DatasetNotFound,
    pauca.datasets.GENERATORS,
    pauca.datasets.load,
    pauca.datasets.make_bumpy,
    pauca.datasets.make_circle,
    pauca.datasets.make_friedman1,
    pauca.datasets.make_friedman2,
    pauca.datasets.make_friedman3,
    pauca.datasets.make_overlap,
    pauca.datasets.make_peak,
    pauca.datasets.make_relevance,
    pauca.datasets.make_ringnorm,
    pauca.datasets.make_ripley,
    pauca.datasets.make_sinc,
    pauca.datasets.make_sparse_linear,
    pauca.datasets.make_spiral,
    pauca.datasets.make_threenorm,
    pauca.datasets.make_twonorm,
    pauca.datasets.make_waveform,
    pauca.datasets.ripley_posterior,
    pauca.datasets.sinc_function,
)

MACHINES = (
    pauca.machines.ARDClassifier,
    pauca.machines.BayesMachineClassifier,
    pauca.machines.EPCVMClassifier,
    pauca.machines.PCVMClassifier,
    pauca.machines.RVMClassifier,
    pauca.machines.RVMRegressor,
    pauca.machines.SparseBayesMachineClassifier,
    pauca.machines.SparseGPClassifier,
    pauca.machines.SpikeSlabClassifier,
    pauca.machines.SpikeSlabRegressor,
)

PERSISTENCE = (
    pauca.persistence.load,
    pauca.persistence.read_metadata,
    pauca.persistence.save,
    pauca.persistence.UntrustedModel,
)
