"""Evidence for claims: scores, protocols, rank tests, runs that can be resumed, published tables."""

from .environment import environment
from .papers import Bound, Measure, PaperTable, reproduce
from .runs import Job, Workers, run
from .scores import (
    classification_scores,
    expected_calibration_error,
    interval,
    negative_log_density,
    regression_scores,
)
from .store import RunStore, Unit
from .targets import Target
from .verdicts import failures, judge, targets

__all__ = [
    "Bound",
    "Job",
    "Measure",
    "PaperTable",
    "RunStore",
    "Target",
    "Unit",
    "Workers",
    "classification_scores",
    "environment",
    "expected_calibration_error",
    "failures",
    "interval",
    "judge",
    "negative_log_density",
    "regression_scores",
    "reproduce",
    "run",
    "targets",
]
