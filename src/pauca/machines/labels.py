"""From class labels to the targets of machines with two classes."""

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from ..validation import check_class_weight, check_weights


def check_labels(estimator, X, y, sample_weight):
    """Classes, the code of each row and its weight; rows that count must have two classes at least."""
    check_classification_targets(y)
    weights = _balanced(check_weights(sample_weight, X), check_class_weight(estimator.class_weight, y))
    classes, codes = np.unique(y, return_inverse=True)
    n_present = len(np.unique(codes[weights > 0]))
    if n_present < 2:
        name = type(estimator).__name__
        raise ValueError(f"{name} needs at least two classes in y; got {n_present} class.")
    return classes, codes, weights


def _balanced(counts, class_weights):
    """The rows with the weights of their classes, as many in all as they were: evidence counts rows."""
    weights = counts * class_weights
    return weights * (counts.sum() / weights.sum()) if weights.any() else weights


def one_against_rest(codes, n_classes):
    """Targets in {-1, +1}: one machine for two classes, else one for each class."""
    positive = range(n_classes) if n_classes > 2 else (1,)
    return [np.where(codes == code, 1.0, -1.0) for code in positive]


def signs_of(basis, target):
    """The label of the centre of each column, zero where it is not known."""
    return np.where(basis.centre_rows >= 0, target[basis.centre_rows], 0.0)
