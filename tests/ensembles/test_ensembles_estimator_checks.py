"""scikit-learn's own checks of the pruned ensembles."""

import pytest
from sklearn.ensemble import BaggingClassifier, BaggingRegressor, VotingClassifier, VotingRegressor
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import PrunedEnsembleClassifier, PrunedEnsembleRegressor

RIDGES = [(f"ridge{alpha}", Ridge(alpha=alpha)) for alpha in (0.1, 1.0, 10.0)]
TREES = [(f"depth{depth}", DecisionTreeClassifier(max_depth=depth, random_state=0)) for depth in (2, 3, 4)]
# Every check, sample weights included.
IN_FULL = [
    PrunedEnsembleRegressor(VotingRegressor(RIDGES), size=2),
    PrunedEnsembleRegressor([ridge for _, ridge in RIDGES], "exhaustive", size=2),
    PrunedEnsembleClassifier(VotingClassifier(TREES, voting="soft"), size=2),
    PrunedEnsembleClassifier([member for _, member in TREES], "exhaustive", size="auto", voting="hard"),
]
SAMPLED = [
    PrunedEnsembleRegressor(BaggingRegressor(n_estimators=8), "sdp", selection="oob"),
    PrunedEnsembleRegressor(BaggingRegressor(n_estimators=8), selection="holdout", size="auto"),
    PrunedEnsembleClassifier(BaggingClassifier(n_estimators=8), "reduce-error", size=0.5),
    PrunedEnsembleClassifier(BaggingClassifier(n_estimators=8), "sdp", size=3),
]


def same_as_bagging(estimator):
    """scikit-learn expects these two to fail for its bagging, too."""
    reason = "bootstrap samples drawn by weight are not those of repeated rows"
    return {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in ("dense", "sparse")}


@parametrize_with_checks(IN_FULL)
def test_in_full(estimator, check):
    check(estimator)


@parametrize_with_checks(SAMPLED, expected_failed_checks=same_as_bagging)
def test_bagging(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [PrunedEnsembleRegressor(), PrunedEnsembleClassifier()], expected_failed_checks=same_as_bagging
)
def test_as_they_come(estimator, check):
    check(estimator)
