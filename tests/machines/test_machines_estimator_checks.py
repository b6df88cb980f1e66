"""scikit-learn's own checks, none of them skipped."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from pauca import (
    ARDClassifier,
    EPCVMClassifier,
    PCVMClassifier,
    RVMClassifier,
    RVMRegressor,
    SparseGPClassifier,
)

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
    RVMClassifier(kernel="linear"),
    RVMClassifier(kernel="poly", gamma=0.1),
    RVMRegressor(gamma="scale"),
    RVMRegressor(kernel="laplacian", gamma=0.3),
    RVMRegressor(kernel="precomputed"),
]


@pytest.mark.slow
@parametrize_with_checks(
    [SparseGPClassifier(), RVMClassifier(), EPCVMClassifier(), PCVMClassifier(), RVMRegressor()]
)
def test_as_they_come(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore:No features were selected")
@pytest.mark.filterwarnings("ignore:EPCVMClassifier has chains that did not mix")
@parametrize_with_checks(VARIANTS)
def test_variants(estimator, check):
    check(estimator)
