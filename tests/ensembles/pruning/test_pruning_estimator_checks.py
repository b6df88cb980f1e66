"""scikit-learn's own checks of the pruned ensembles."""

import pytest
from sklearn.ensemble import BaggingClassifier, BaggingRegressor, VotingClassifier, VotingRegressor
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from pauca import PrunedEnsembleClassifier, PrunedEnsembleRegressor

RIDGES = [(f"ridge{alpha}", Ridge(alpha=alpha)) for alpha in (0.1, 1.0, 10.0)]
TREES = [(f"depth{depth}", DecisionTreeClassifier(max_depth=depth, random_state=0)) for depth in (2, 3, 4)]
# Ensembles without chance: every check, sample weights included.
IN_FULL = [
    PrunedEnsembleRegressor(VotingRegressor(RIDGES), size=2),
    PrunedEnsembleClassifier([tree for _, tree in TREES], "exhaustive", size="auto", voting="hard"),
]
MORE_IN_FULL = [
    PrunedEnsembleRegressor([ridge for _, ridge in RIDGES], "evidence", size="auto"),
    PrunedEnsembleClassifier(VotingClassifier(TREES, voting="soft"), "evidence", size=2),
]
BAGGING = [
    PrunedEnsembleRegressor(
        BaggingRegressor(n_estimators=8, random_state=0), "sdp", selection="oob", random_state=0
    ),
    PrunedEnsembleClassifier(
        BaggingClassifier(n_estimators=8, random_state=0), "reduce-error", size=0.5, random_state=0
    ),
]
MORE_BAGGING = [
    PrunedEnsembleRegressor(random_state=0),
    PrunedEnsembleClassifier(random_state=0),
    PrunedEnsembleRegressor(
        BaggingRegressor(n_estimators=8, random_state=0), selection="holdout", size=4, random_state=0
    ),
    PrunedEnsembleClassifier(
        BaggingClassifier(n_estimators=8, random_state=0), "sdp", size=3, random_state=0
    ),
]


def check_bagging(estimator, check):
    """All checks but those of repeated rows, which scikit-learn's bagging passes by chance only."""
    if check.func.__name__.startswith("check_sample_weight_equivalence"):
        pytest.skip("bootstrap samples drawn by weight are not those of repeated rows")
    check(estimator)


@parametrize_with_checks(IN_FULL)
def test_in_full(estimator, check):
    check(estimator)


@parametrize_with_checks(BAGGING)
def test_bagging(estimator, check):
    check_bagging(estimator, check)


@pytest.mark.slow
@parametrize_with_checks(MORE_IN_FULL)
def test_more_in_full(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(MORE_BAGGING)
def test_more_bagging(estimator, check):
    check_bagging(estimator, check)
