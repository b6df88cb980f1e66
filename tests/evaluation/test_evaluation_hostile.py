"""Wrong arguments of evaluation, kernels, networks and blocks are named."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB

from pauca.basis import RationalQuadratic, as_kernel, row_blocks
from pauca.datasets import make_ripley
from pauca.evaluation import Benchmark, analyse, compare, evaluate, pooled_calibration, repeated_splits
from pauca.plotting import plot_reliability
from pauca.priors import neighbours

X, Y = make_ripley(30, random_state=0)
TRAIN, TEST = np.arange(20), np.arange(20, 30)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((GaussianNB(), X[:-1], Y, TRAIN, TEST), "X and y"),
        ((GaussianNB(), X, Y, TRAIN, TEST + 1), "test"),
        ((GaussianNB(), X, Y, TRAIN - 1, TEST), "train"),
        ((GaussianNB(), X, Y, TRAIN / 2, TEST), "train"),
        ((GaussianNB(), X, Y, TRAIN, TEST[:0]), "test"),
        ((GaussianNB(), X, Y, TRAIN, TEST, "ranking"), "task"),
        ((Ridge(), X, Y, TRAIN, TEST), "estimator"),
    ],
)
def test_evaluate(arguments, named):
    with pytest.raises((TypeError, ValueError), match=rf"^{named}"):
        evaluate(*arguments)


def test_lists_are_evaluated_as_arrays():
    one = evaluate(GaussianNB(), X.tolist(), Y.tolist(), TRAIN.tolist(), TEST.tolist())
    assert one["error"] == evaluate(GaussianNB(), X, Y, TRAIN, TEST)["error"]


@pytest.mark.parametrize(
    "calibrations", [np.nan, [], None, [{}], [{"rows": 1, "predicted": 1, "observed": 1}]]
)
def test_calibrations(calibrations):
    with pytest.raises((TypeError, ValueError), match=r"^calibrations"):
        pooled_calibration(calibrations)


def test_analyse():
    comparison = compare({"a": Benchmark(X, Y, repeated_splits(Y, 1), {"bayes": GaussianNB()})})
    for arguments, others, named in (
        ((None, "error"), {}, "comparison"),
        ((comparison, "none"), {}, "measure"),
        ((comparison, "error"), {"control": "forest"}, "control"),
        ((comparison, "error"), {"control": [1]}, "control"),
        ((comparison, "error"), {"alpha": 2}, "alpha"),
    ):
        with pytest.raises((TypeError, ValueError), match=f"^{named}"):
            analyse(*arguments, **others)


def test_labels_of_a_plot():
    with pytest.raises(TypeError, match=r"^curves"):
        plot_reliability(np.array([1, "one"], dtype=object), [0.5, 0.5])


@pytest.mark.parametrize("name", ["gamma", "degree", "coef0"])
@pytest.mark.parametrize("value", [[1], np.zeros((0, 3)), None, "wide"])
def test_arguments_of_kernels(name, value):
    with pytest.raises((TypeError, ValueError), match=f"^{name}"):
        as_kernel("poly", **{name: value})


def test_shape_of_a_kernel():
    with pytest.raises((TypeError, ValueError), match=r"^alpha"):
        RationalQuadratic(alpha=[1.0])


@pytest.mark.parametrize(
    ("network", "n_features", "named"),
    [([[0, 1]], None, "n_features"), ([[0, 1]], np.zeros((0, 3)), "n_features"), ("star", 4, "network")],
)
def test_networks(network, n_features, named):
    with pytest.raises((TypeError, ValueError), match=f"^{named}"):
        neighbours(network, n_features)


def test_blocks_of_lists():
    blocks = list(row_blocks(X.tolist(), Y.tolist(), [1] * 30).blocks())
    np.testing.assert_array_equal(np.concatenate([block.X for block in blocks]), X)
    for X_, weights, named in ((X, ["heavy"] * 30, "sample_weight"), ([[1], [1, 2]], None, "X")):
        with pytest.raises((TypeError, ValueError), match=f"^{named}"):
            row_blocks(X_, None, weights)


def test_rows_beyond_single_precision_take_the_outer_branch():
    from sklearn.ensemble import GradientBoostingClassifier

    from pauca import InstancePrunedBoostingClassifier

    machine = InstancePrunedBoostingClassifier(GradientBoostingClassifier(n_estimators=5, random_state=0))
    machine.fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(machine.predict(X * 1e200), machine.predict(np.sign(X) * 1e30))
