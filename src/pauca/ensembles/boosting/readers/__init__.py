"""Gradient boosting models of scikit-learn, LightGBM, XGBoost and CatBoost, read by their own formats."""

from .dispatch import BoostedModel, read_boosting

__all__ = ["BoostedModel", "read_boosting"]
