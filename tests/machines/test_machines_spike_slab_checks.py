"""scikit-learn's own checks of the spike-and-slab machines, none of them skipped."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from pauca import SpikeSlabClassifier, SpikeSlabRegressor

MACHINES = [
    SpikeSlabClassifier(),
    SpikeSlabClassifier(prior="gaussian"),
    SpikeSlabClassifier("evidence", spike_variance=0.01, n_features_to_select=1),
    SpikeSlabRegressor(),
    SpikeSlabRegressor(4, noise_variance=0.1),
]


@parametrize_with_checks(MACHINES)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
