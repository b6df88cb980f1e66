"""Properties and argument checks that all searches share."""

import numpy as np
import pytest
from drawn import draw

from pauca.ensembles import (
    error_products,
    exhaustive_pruning,
    ordered_aggregation,
    sdp_pruning,
)


@pytest.mark.parametrize("method", ["ordered", "sdp", "exhaustive"])
@pytest.mark.parametrize("task", ["regression", "classification"])
def test_order_of_rows_and_members_means_nothing(method, task, votes):
    outputs, y = draw(1, 12) if task == "regression" else (votes[0][:12], votes[1])
    rng = np.random.default_rng(0)
    rows, members = rng.permutation(len(y)), rng.permutation(12)

    def found(outputs, y):
        if method == "ordered":
            return set(ordered_aggregation(outputs, y, task=task).order[:4])
        if method == "sdp":
            return set(sdp_pruning(outputs, y, 4, task=task, random_state=0).selected)
        return set(exhaustive_pruning(outputs, y, 4, task=task).selected)

    assert found(outputs[:, rows], y[rows]) == found(outputs, y)
    assert {members[i] for i in found(outputs[members], y)} == found(outputs, y)


@pytest.mark.parametrize(
    ("outputs", "y", "message"),
    [
        ([], [], "outputs must have one row of predictions for each member"),
        (np.ones((0, 3)), np.ones(3), "outputs must have"),
        (np.ones((3, 0)), np.ones(0), "outputs must have"),
        (np.ones(3), np.ones(3), "outputs must have"),
        (np.ones((2, 3)), np.ones(4), r"y must have shape \(3,\) to match outputs of shape \(2, 3\)"),
        (np.ones((2, 3, 2)), np.ones(3), r"y must have shape \(3, 2\)"),
        ([[np.nan, 1.0]], [0.0, 0.0], "outputs contains NaN"),
        ([[1.0, 1.0]], [np.inf, 0.0], "y contains infinity"),
        ([[1e200, 1.0]], [0.0, 0.0], "outputs has entries beyond"),
    ],
)
@pytest.mark.parametrize("search", [ordered_aggregation, sdp_pruning, exhaustive_pruning, error_products])
def test_unusable_outputs_are_named(search, outputs, y, message):
    with pytest.raises(ValueError, match=message):
        search(outputs, y)


@pytest.mark.parametrize("size", [0, 4, -1, 0.0, 1.5, True, "all", None, np.nan])
def test_unusable_sizes_are_named(size):
    with pytest.raises(ValueError, match="size must be an integer from 1 to the 3 members"):
        sdp_pruning(np.ones((3, 4)), np.zeros(4), size)


def test_other_arguments_are_named():
    outputs, y = np.ones((3, 4)), np.zeros(4)
    with pytest.raises(ValueError, match="task must be one of 'regression', 'classification'"):
        ordered_aggregation(outputs, y, task="ranking")
    with pytest.raises(ValueError, match=r"known must be a boolean array of shape \(3, 4\)"):
        ordered_aggregation(outputs, y, known=np.ones((3, 4)))
    with pytest.raises(ValueError, match="sample_weight"):
        ordered_aggregation(outputs, y, sample_weight=-np.ones(4))
    with pytest.raises(ValueError, match=r"shape \(n_members, n_samples\);"):
        ordered_aggregation(np.ones((3, 4, 2)), np.ones((4, 2)), task="classification")


@pytest.mark.parametrize("size", [0.07, 0.2, 0.29, 1.0])
def test_shares_are_rounded_up(size):
    assert len(sdp_pruning(np.eye(100), np.zeros(100), size, random_state=0).selected) == round(100 * size)
