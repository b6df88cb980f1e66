"""Scores against values worked out by hand, and on probabilities that are right by construction."""

import numpy as np
import pytest
from scipy.stats import norm

from pauca.evaluation import (
    classification_scores,
    expected_calibration_error,
    interval,
    negative_log_density,
    regression_scores,
)


def test_calibration_error_by_hand():
    # Bin [0.2, 0.3): two rows at 0.25, event observed once: 0.25. Bin [0.9, 1]: two at 1, observed twice: 0.
    y, p = [0, 1, 1, 1], [0.25, 0.25, 1.0, 1.0]
    assert expected_calibration_error(y, p, n_bins=10) == pytest.approx(0.5 * 0.25)


def test_two_columns_and_one_agree():
    rng = np.random.default_rng(0)
    p, y = rng.random(200), rng.integers(0, 2, 200)
    assert expected_calibration_error(y, np.column_stack([1 - p, p])) == expected_calibration_error(y, p)


def test_many_classes_use_the_top_label():
    # Predicted 0.6 for a class that is right in one of two rows: gap 0.1.
    p = [[0.6, 0.3, 0.1], [0.6, 0.3, 0.1]]
    assert expected_calibration_error(["a", "b"], p, labels=["a", "b", "c"]) == pytest.approx(0.1)


def test_true_probabilities_are_calibrated():
    rng = np.random.default_rng(1)
    p = rng.random(50_000)
    y = (rng.random(50_000) < p).astype(int)
    assert expected_calibration_error(y, p) < 0.01
    assert expected_calibration_error(y, p**3) > 0.1


@pytest.mark.parametrize("p", [[0.2, 1.2], [np.nan, 0.5], [0.5]])
def test_bad_probabilities_are_refused(p):
    with pytest.raises(ValueError, match="p "):
        expected_calibration_error([0, 1], p)


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="n_bins"):
        expected_calibration_error([0, 1], [0.5, 0.5], n_bins=0)
    with pytest.raises(ValueError, match="labels"):
        classification_scores([0, 2], [0.5, 0.5], labels=[0, 1])


def test_classification_scores_by_hand():
    scores = classification_scores(["no", "yes", "yes"], [0.1, 0.4, 0.8])
    assert scores["error"] == pytest.approx(1 / 3)
    assert scores["log_loss"] == pytest.approx(-np.mean(np.log([0.9, 0.4, 0.8])))
    assert scores["auc"] == 1.0


def test_label_order_is_that_of_the_columns():
    p = np.array([[0.9, 0.1], [0.2, 0.8]])
    forward = classification_scores(["a", "b"], p, labels=["a", "b"])
    backward = classification_scores(["a", "b"], p[:, ::-1], labels=["b", "a"])
    assert forward == pytest.approx(backward)


def test_auc_is_nan_when_a_class_is_absent():
    assert np.isnan(classification_scores([0, 0], [0.1, 0.2], labels=[0, 1])["auc"])


def test_auc_of_three_classes():
    p = np.eye(3)[[0, 1, 2, 0]] * 0.7 + 0.1
    assert classification_scores([0, 1, 2, 0], p)["auc"] == 1.0


def test_regression_scores_by_hand():
    scores = regression_scores([0.0, 2.0], [1.0, 2.0], [1.0, 1.0])
    assert scores["rmse"] == pytest.approx(np.sqrt(0.5))
    assert scores["r2"] == pytest.approx(0.5)
    assert scores["nlpd"] == pytest.approx(-np.mean(norm.logpdf([0, 2], [1, 2], 1)))
    assert scores["coverage"] == 1.0


def test_regression_scores_without_distributions():
    scores = regression_scores([1.0], [1.0])
    assert scores["rmse"] == 0
    assert np.isnan([scores["r2"], scores["nlpd"], scores["coverage"]]).all()


def test_interval_holds_its_probability():
    lower, upper = interval(np.array([1.0, -3.0]), np.array([2.0, 0.5]), level=0.8)
    assert norm.cdf(upper, [1, -3], [2, 0.5]) - norm.cdf(lower, [1, -3], [2, 0.5]) == pytest.approx(
        [0.8, 0.8]
    )


def test_density_prefers_the_right_spread():
    y = np.random.default_rng(2).normal(0, 2, 5000)
    assert negative_log_density(y, 0, 2.0) < min(
        negative_log_density(y, 0, 1.5), negative_log_density(y, 0, 3.0)
    )


def test_probability_rmse_of_many_classes():
    p = np.array([[0.7, 0.2, 0.1], [0.0, 1.0, 0.0]])
    expected = np.sqrt((0.09 + 0.04 + 0.01) / 2 / 2)
    assert classification_scores([0, 1], p, labels=[0, 1, 2])["probability_rmse"] == pytest.approx(expected)
