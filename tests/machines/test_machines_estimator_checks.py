"""scikit-learn's own checks, none of them skipped."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import RVMClassifier, RVMRegressor

VARIANTS = [
    RVMClassifier(),
    RVMRegressor(),
    RVMClassifier(gamma=0.5),
    RVMClassifier(kernel="linear"),
    RVMClassifier(kernel="poly", gamma=0.1),
    RVMClassifier(kernel="precomputed"),
    RVMRegressor(gamma="scale"),
    RVMRegressor(kernel="laplacian", gamma=0.3),
    RVMRegressor(kernel="cosine"),
]


@parametrize_with_checks(VARIANTS)
def test_estimator(estimator, check):
    check(estimator)
