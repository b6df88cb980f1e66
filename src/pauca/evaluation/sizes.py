"""What a fitted model keeps."""

from sklearn.calibration import CalibratedClassifierCV
from sklearn.pipeline import Pipeline


def n_vectors(model):
    """How many training rows a fitted model keeps; None if it does not keep rows."""
    model = innermost(model)
    for attribute in ("relevance_", "support_"):
        if hasattr(model, attribute):
            return len(getattr(model, attribute))
    gaussian_process = getattr(model, "base_estimator_", model)
    return len(gaussian_process.X_train_) if hasattr(gaussian_process, "X_train_") else None


def innermost(model):
    """The estimator inside pipelines, calibration, grid search and target transformation."""
    if isinstance(model, Pipeline):
        return innermost(model[-1])
    if isinstance(model, CalibratedClassifierCV):
        return innermost(model.calibrated_classifiers_[0].estimator)
    for attribute in ("best_estimator_", "regressor_"):
        if hasattr(model, attribute):
            return innermost(getattr(model, attribute))
    return model
