"""Gradient boosting models of scikit-learn, LightGBM, XGBoost and CatBoost, read by their own formats."""

from .dispatch import read_boosting

__all__ = ["read_boosting"]
