"""Predictions of Bayes machines: true classes, confusion between classes, averages over kernel parameters."""

from .predictions import LabelNoisePredictions

__all__ = ["LabelNoisePredictions"]
