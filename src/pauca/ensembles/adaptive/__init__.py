"""Forests that grow as many trees as needed, keep the few that matter and ask as few as a row needs."""

from .classifier import AdaptiveForestClassifier
from .regressor import AdaptiveForestRegressor

__all__ = ["AdaptiveForestClassifier", "AdaptiveForestRegressor"]
