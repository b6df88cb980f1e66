"""scikit-learn's own checks of the instance-pruned classifier, none of them skipped."""

import pytest
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from pauca import InstancePrunedClassifier

VARIANTS = [
    InstancePrunedClassifier(ExtraTreesClassifier(11, min_samples_leaf=5, random_state=0), random_state=0),
    InstancePrunedClassifier(
        BaggingClassifier(n_estimators=11, random_state=0), voting="soft", random_state=0
    ),
    InstancePrunedClassifier(BaggingClassifier(KNeighborsClassifier(3), 11, random_state=0), random_state=0),
]


@pytest.mark.slow
@parametrize_with_checks([InstancePrunedClassifier(random_state=0), *VARIANTS])
def test_variants(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [InstancePrunedClassifier(RandomForestClassifier(11, random_state=0), random_state=0)]
)
def test_small_forest(estimator, check):
    check(estimator)
