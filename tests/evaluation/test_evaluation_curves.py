"""Calibration and risk-coverage curves."""

import numpy as np

from pauca.evaluation import (
    COVERAGES,
    pooled_calibration,
)
from pauca.evaluation.curves import classification_curves, regression_curves


def test_risk_coverage_curve_starts_with_the_most_confident_rows():
    p = np.column_stack([np.linspace(0, 0.49, 20), 1 - np.linspace(0, 0.49, 20)])
    y = np.r_[np.ones(15), np.zeros(5)]
    curve = classification_curves(y, p, np.array([0.0, 1.0]))["risk_coverage"]
    np.testing.assert_allclose(curve, np.maximum(0, COVERAGES * 20 - 15) / (COVERAGES * 20), atol=1e-12)


def test_calibrated_predictions_lie_on_the_diagonal():
    rng = np.random.default_rng(0)
    parts = []
    for _ in range(5):
        p = rng.random(4000)
        y = (rng.random(4000) < p).astype(int)
        parts.append(classification_curves(y, np.column_stack([1 - p, p]), np.array([0, 1])))
    predicted, observed, rows = pooled_calibration([part["calibration"] for part in parts])
    assert rows.sum() == 20000
    np.testing.assert_allclose(predicted, observed, atol=0.04)
    mean, std = rng.normal(size=4000), np.full(4000, 2.0)
    curve = regression_curves(mean + std * rng.normal(size=4000), mean, std)["calibration"]
    predicted, observed, _ = pooled_calibration([curve])
    np.testing.assert_allclose(predicted, observed, atol=0.03)
