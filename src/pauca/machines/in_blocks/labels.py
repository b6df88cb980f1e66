"""Classes of a table in blocks: labels, factors of their weights, predictions block by block."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...basis.blocks import Survey
from ...validation import check_class_weight
from .predictions import by_blocks


def classes_of_survey(survey: Survey, name: str, class_weight: Any) -> tuple[NDArray, NDArray | None]:
    """Class labels in order, and the factor of the weight of each, so that the sum over all rows stays.

    Parameters
    ----------
    survey : Survey
        Survey of the rows.
    name : str
        Name of the machine, for messages.
    class_weight : dict, "balanced" or None
        Weights of the classes.
    """
    labels = sorted(label for label, weight in survey.labels.items() if weight > 0)
    if len(labels) < 2:
        raise ValueError(f"{name} needs at least two classes in y; got {len(labels)} class.")
    classes = np.array(labels)
    if class_weight is None:
        return classes, None
    weights = np.array([survey.labels[label] for label in labels])
    factors = check_class_weight(class_weight, classes)
    if isinstance(class_weight, str):
        factors = 1 / weights
    return classes, factors * weights.sum() / (factors @ weights)


class ClassPredictions:
    """Predictions of classes for tables that come in blocks, by the methods of the classes that follow."""

    @by_blocks
    def predict_log_proba(self, X: Any) -> Any:
        """Logarithm of the probability of each class, in nats.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), path, Dask collection or RowBlocks
            Rows to predict.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        return super().predict_log_proba(X)  # type: ignore[misc]

    @by_blocks
    def predict(self, X: Any) -> Any:
        """Most probable class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), path, Dask collection or RowBlocks
            Rows to predict.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Class labels.
        """
        return super().predict(X)  # type: ignore[misc]

    @by_blocks
    def decision_function(self, X: Any) -> Any:
        """Log odds of the predicted probability of each class (two classes: of the second class).

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), path, Dask collection or RowBlocks
            Rows to predict.

        Returns
        -------
        log_odds : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Log odds in nats.
        """
        return super().decision_function(X)  # type: ignore[misc]
