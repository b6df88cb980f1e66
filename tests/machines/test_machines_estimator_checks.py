"""scikit-learn's own checks of all estimators, none of them skipped, and documented attributes."""

import inspect
import re

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from pauca import (
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
    machines,
)

CLASSES = [name for name in machines.__all__ if isinstance(getattr(machines, name), type)]
VARIATIONAL = {"inference": "variational"}
# A classifier with a precomputed kernel is not here: check_decision_proba_consistency gives it no kernel.
VARIANTS = [
    ARDClassifier(),
    ARDClassifier(kernel="rbf", gamma=0.5, criterion="loo_probability"),
    EPCVMClassifier(gamma=0.5, inference="ep"),
    EPCVMClassifier(gamma=0.5, inference="hmc", n_chains=2, n_draws=20),
    RVMClassifier(gamma=0.5, inference="ep"),
    EPCVMClassifier(gamma=0.5),
    SparseGPClassifier(gamma=0.5),
    SparseGPClassifier(gamma=0.5, inference="ep"),
    SparseGPClassifier(kernel="linear"),
    EPCVMClassifier(kernel="linear"),
    PCVMClassifier(gamma=0.5, n_init=1),
    RVMClassifier(gamma=0.5),
    RVMClassifier(gamma=0.5, **VARIATIONAL),
    RVMClassifier(kernel="linear"),
    RVMClassifier(kernel="poly", gamma=0.1),
    RVMRegressor(gamma="scale"),
    RVMRegressor(gamma="scale", **VARIATIONAL),
    RVMRegressor(kernel="laplacian", gamma=0.3),
    RVMRegressor(kernel="precomputed"),
    SpikeSlabClassifier(),
    SpikeSlabClassifier(prior="gaussian"),
    SpikeSlabClassifier("evidence", spike_variance=0.01, n_features_to_select=1),
    SparseGPRegressor(),
    SparseGPRegressor("rbf", trend=False, feature_scales=None),
    SpikeSlabRegressor(),
    SpikeSlabRegressor(4, noise_variance=0.1),
]
DEFAULTS = [
    *(SparseGPClassifier(), RVMClassifier(), EPCVMClassifier(), PCVMClassifier(), RVMRegressor()),
    *(RVMClassifier(**VARIATIONAL), RVMRegressor(**VARIATIONAL)),
]
# Some checks have labels that are pure noise, for which expectation propagation need not settle.
NOISE_DEFAULTS = [
    BayesMachineClassifier(),
    BayesMachineClassifier(gamma=0.5),
    SparseBayesMachineClassifier(),
    SparseBayesMachineClassifier(gamma=0.5, n_active="evidence"),
    SparseBayesMachineClassifier(kernel="poly", gamma=0.1, refine=False),
]
NOISE_VARIANTS = [
    BayesMachineClassifier(gamma=0.5, max_iter=10),
    SparseBayesMachineClassifier(gamma=0.5, n_active=10, max_iter=10, max_passes=1),
]
unsettled = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.slow
@parametrize_with_checks(DEFAULTS)
def test_default_arguments(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore:No features were selected")
@pytest.mark.filterwarnings("ignore:EPCVMClassifier has chains that did not mix")
@parametrize_with_checks(VARIANTS)
def test_variants(estimator, check):
    check(estimator)


@unsettled
@pytest.mark.slow
@parametrize_with_checks(NOISE_DEFAULTS)
def test_label_noise_with_default_arguments(estimator, check):
    check(estimator)


@unsettled
@parametrize_with_checks(NOISE_VARIANTS)
def test_label_noise_variants(estimator, check):
    check(estimator)


def documented(cls):
    """Names in the section on attributes of the docstring of a class."""
    section = re.search(r"Attributes\n-+\n(.*?)\n\n", inspect.getdoc(cls) + "\n\n", re.DOTALL)
    return set(re.findall(r"^(\w+) : ", section[1], re.MULTILINE))


def fitted_attributes(estimator):
    """Public names of a fitted estimator that end in an underscore."""
    return {name for name in dir(estimator) if re.fullmatch(r"[a-zA-Z]\w*[a-z]_", name)}


@unsettled
@pytest.mark.parametrize("estimator", [*VARIANTS, *NOISE_VARIANTS], ids=repr)
def test_every_fitted_attribute_is_documented(estimator):
    X = np.random.default_rng(0).normal(size=(20, 2))
    y = X[:, 0] > 0 if is_classifier(estimator) else X[:, 0]
    K = X @ X.T if getattr(estimator, "kernel", None) == "precomputed" else X
    assert fitted_attributes(estimator.fit(K, y)) <= documented(type(estimator))


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_is_checked(name):
    # Ordered classes have checks of their own, in the folder of the sparse Gaussian processes.
    checked = [*VARIANTS, *NOISE_VARIANTS, SparseGPOrdinalClassifier()]
    assert name in {type(estimator).__name__ for estimator in checked}
