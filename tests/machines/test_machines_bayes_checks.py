"""scikit-learn's own checks of the Bayes machines, none of them skipped."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from pauca import BayesMachineClassifier, SparseBayesMachineClassifier

# Some checks have labels that are nothing but noise.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SLOW = [
    BayesMachineClassifier(),
    BayesMachineClassifier(gamma=0.5),
    SparseBayesMachineClassifier(),
    SparseBayesMachineClassifier(gamma=0.5, n_active="evidence"),
    SparseBayesMachineClassifier(kernel="poly", gamma=0.1, refine=False),
]


@pytest.mark.slow
@parametrize_with_checks(SLOW)
def test_as_they_come(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [
        BayesMachineClassifier(gamma=0.5, max_iter=10),
        SparseBayesMachineClassifier(gamma=0.5, n_active=10, max_iter=10, max_passes=1),
    ]
)
def test_variants(estimator, check):
    check(estimator)
