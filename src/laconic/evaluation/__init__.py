"""How good predictions are: error, log-loss, area under the curve, calibration, coverage."""

from .scores import (
    classification_scores,
    expected_calibration_error,
    interval,
    negative_log_density,
    regression_scores,
)

__all__ = [
    "classification_scores",
    "expected_calibration_error",
    "interval",
    "negative_log_density",
    "regression_scores",
]
