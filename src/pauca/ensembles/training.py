"""Training of ensembles: fitted or not, trained and unfitted copies, out-of-bag rows."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

# Trees whose roots are compared with the targets. Set by hand.
_TREES_LOOKED_AT = 3


def is_fitted(ensemble: Any) -> bool:
    """Whether the ensemble, or every predictor of a list, is fitted."""
    parts = ensemble if isinstance(ensemble, Sequence) else [ensemble]
    return all(_is_trained(unfrozen(part)) for part in parts)


def trained(ensemble: Any, X: Any, y: Any, sample_weight: Any, rng: np.random.RandomState) -> Any:
    """A copy of the ensemble, or of every predictor of a list, fitted to the data."""
    options = {} if sample_weight is None else {"sample_weight": sample_weight}
    if isinstance(ensemble, Sequence):
        return [_seeded(member, rng).fit(X, y, **options) for member in ensemble]
    return _seeded(ensemble, rng).fit(X, y, **options)


def template(ensemble: Any) -> Any:
    """An unfitted copy of the ensemble."""
    if isinstance(ensemble, Sequence):
        return [template(member) for member in ensemble]
    inner = unfrozen(ensemble)
    return clone(inner) if hasattr(inner, "get_params") else inner


def out_of_bag(ensemble: Any, n_samples: int) -> NDArray[np.bool_]:
    """Training rows (columns) that each member (row) was not trained on, as a mask."""
    mask = np.ones((len(ensemble.estimators_), n_samples), dtype=bool)
    for left_out, rows in zip(mask, ensemble.estimators_samples_, strict=True):
        left_out[rows] = False
    return mask


def grown_on(ensemble: Any, y: NDArray) -> bool:
    """Whether an ensemble of samples seems to have been trained on rows with these targets.

    The roots of its first trees must have the mean target, or the share of each class, of their samples;
    members other than trees, and weighted rows, cannot be told and count as trained elsewhere.
    """
    ensemble = unfrozen(ensemble)
    if getattr(ensemble, "estimators_samples_", None) is None:
        return False
    classes = getattr(ensemble, "classes_", None)
    if classes is not None and not np.isin(y, classes).all():
        return False
    targets = y.reshape(len(y), -1).astype(float) if classes is None else y[:, None] == classes
    pairs = zip(ensemble.estimators_, ensemble.estimators_samples_, strict=True)
    for member, rows in islice(pairs, _TREES_LOOKED_AT):
        if not hasattr(member, "tree_") or rows.max() >= len(y):
            return False
        root = member.tree_.value[0].ravel()
        if classes is not None:
            full = np.zeros(len(classes))
            full[np.asarray(member.classes_, dtype=int)] = root / root.sum()
            root = full
        if not np.allclose(root, targets[rows].mean(axis=0)):
            return False
    return True


def unfrozen(estimator: Any) -> Any:
    """The estimator inside a FrozenEstimator; any other estimator as it is."""
    return estimator.estimator if isinstance(estimator, FrozenEstimator) else estimator


def _seeded(estimator, rng):
    """A copy in which every ``random_state`` that is None is replaced by a drawn seed."""
    estimator = clone(estimator)
    parameters = estimator.get_params(deep=True)
    seeds = [name for name in sorted(parameters) if name.split("__")[-1] == "random_state"]
    drawn = {name: rng.randint(np.iinfo(np.int32).max) for name in seeds if parameters[name] is None}
    return estimator.set_params(**drawn)


def _is_trained(estimator):
    if not hasattr(estimator, "get_params"):
        return True
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return False
    return True
