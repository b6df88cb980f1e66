"""Dispatch on the library that a boosted model comes from; no library is imported for the others' models."""

from typing import Any

from ...training import unfrozen
from ..boosted_model import BoostedModel

_READ = (
    "a fitted gradient boosting model: gradient boosting, histogram gradient boosting or an "
    "AdaBoostClassifier (of trees) of scikit-learn, a classifier, regressor or Booster of LightGBM or "
    "XGBoost, or a CatBoostClassifier or CatBoostRegressor"
)


def read_boosting(model: Any) -> BoostedModel:
    """Flat trees of a fitted boosted classifier or regressor.

    Parameters
    ----------
    model : estimator or BoostedModel
        Fitted gradient boosting classifier or regressor of scikit-learn, LightGBM, XGBoost or CatBoost, or an
        AdaBoost classifier of trees. A model that was read before is returned as it is.

    Returns
    -------
    BoostedModel
        Trees, class labels (None for regressors) and the link from scores to predictions.
    """
    model = unfrozen(model)
    if isinstance(model, BoostedModel):
        return model
    module = type(model).__module__.split(".")[0]
    if module == "lightgbm":
        from .lightgbm import read
    elif module == "xgboost":
        from .xgboost import read
    elif module == "catboost":
        from .catboost import read
    elif module == "sklearn":
        from .scikit import read
    else:
        raise ValueError(f"ensemble must be {_READ}; got {type(model).__name__}.")
    found = read(model)
    if found is None:
        raise ValueError(f"ensemble must be {_READ}; got {type(model).__name__}.")
    return found
