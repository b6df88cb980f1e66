"""scikit-learn's own checks of the instance-pruned classifier, none of them skipped."""

import pytest
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from pauca import InstancePrunedClassifier

VARIANTS = [
    InstancePrunedClassifier(ExtraTreesClassifier(11, min_samples_leaf=5)),
    InstancePrunedClassifier(BaggingClassifier(n_estimators=11), voting="soft"),
    InstancePrunedClassifier(BaggingClassifier(KNeighborsClassifier(3), 11)),
]


@pytest.mark.slow
@parametrize_with_checks([InstancePrunedClassifier(), *VARIANTS])
def test_variants(estimator, check):
    check(estimator)


@parametrize_with_checks([InstancePrunedClassifier(RandomForestClassifier(11))])
def test_small_forest(estimator, check):
    check(estimator)
