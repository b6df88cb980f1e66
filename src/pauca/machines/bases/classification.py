"""Classifiers: prediction of the most probable class; checked classes, codes and weights of labels."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from ...validation import check_case_weights, check_class_weight


class ProbabilisticClassifier(ClassifierMixin):
    """Classifier that predicts the class of the largest predicted probability."""

    classes_: NDArray

    @abstractmethod
    def predict_proba(self, X: ArrayLike) -> NDArray:
        """Probability of each class, shape (n_samples, n_classes)."""

    @abstractmethod
    def _log_probabilities(self, X: ArrayLike) -> NDArray:
        """Log probability of each class, shape (n_samples, n_classes)."""

    def predict_log_proba(self, X: ArrayLike) -> NDArray:
        """Logarithm of the probability of each class, in nats.

        It is finite and exact also where ``predict_proba`` underflows to zero or rounds to one.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict; sparse where `fit` takes sparse X.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        return self._log_probabilities(X)

    def predict(self, X: ArrayLike) -> NDArray:
        """Most probable class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict; sparse where `fit` takes sparse X.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Class labels.
        """
        most_probable = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[most_probable]


def check_labels(
    estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None, class_weight: Any = None
) -> tuple[NDArray, NDArray, NDArray]:
    """Classes, the code of each row and its weight; rows with weight must have two classes at least."""
    check_classification_targets(y)
    weights = _balanced(check_case_weights(sample_weight, X), check_class_weight(class_weight, y))
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    n_present = len(np.unique(codes[weights > 0]))
    if n_present < 2:
        name = type(estimator).__name__
        raise ValueError(f"{name} needs at least two classes in y; got {n_present} class.")
    return classes, codes, weights


def _balanced(counts, class_weights):
    """Weights of rows and classes together, with the sum of the weights of rows: evidence counts rows."""
    weights = counts * class_weights
    return weights * (counts.sum() / weights.sum()) if weights.any() else weights
