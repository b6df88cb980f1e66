"""Where members come from: the ensembles of scikit-learn, and lists of predictors."""

from collections.abc import Sequence

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from .members import Members

_BAGGING = BaggingClassifier, BaggingRegressor
_FOREST = RandomForestClassifier, RandomForestRegressor, ExtraTreesClassifier, ExtraTreesRegressor
_VOTING = VotingClassifier, VotingRegressor


def members_of(ensemble):
    """The members of a fitted ensemble."""
    ensemble = unfrozen(ensemble)
    if isinstance(ensemble, _BAGGING):
        return _bagged(ensemble)
    if isinstance(ensemble, _FOREST):
        return Members(
            list(ensemble.estimators_),
            coded=True,
            takes_arrays=True,
            soft=is_classifier(ensemble),
            classes=getattr(ensemble, "classes_", None),
        )
    if isinstance(ensemble, _VOTING):
        if ensemble.weights is not None:
            raise ValueError(
                "ensemble has weights, and pruning keeps members of equal weight; set weights=None."
            )
        soft = getattr(ensemble, "voting", None) == "soft"
        classes = getattr(ensemble, "classes_", None)
        return Members(list(ensemble.estimators_), coded=True, soft=soft, classes=classes)
    predictors = [unfrozen(member) for member in ensemble]
    soft = all(hasattr(member, "predict_proba") for member in predictors)
    return Members(predictors, soft=soft)


def check_ensemble(ensemble):
    """``ensemble`` must be one whose members count alike."""
    inner = unfrozen(ensemble)
    listed = isinstance(inner, Sequence) and not isinstance(inner, str)
    if listed and len(inner) and all(hasattr(member, "predict") for member in inner):
        return
    if not isinstance(inner, _BAGGING + _FOREST + _VOTING):
        raise ValueError(
            "ensemble must be a bagging, random forest, extra trees or voting ensemble of scikit-learn, or a "
            f"list of predictors; got {ensemble!r}."
        )


def is_fitted(ensemble):
    """Whether the ensemble, or every predictor of a list, has been trained."""
    parts = ensemble if isinstance(ensemble, Sequence) else [ensemble]
    return all(_is_trained(unfrozen(part)) for part in parts)


def trained(ensemble, X, y, sample_weight, rng):
    """A copy of the ensemble, or of every predictor of a list, trained on the data."""
    options = {} if sample_weight is None else {"sample_weight": sample_weight}
    if isinstance(ensemble, Sequence):
        return [_seeded(member, rng).fit(X, y, **options) for member in ensemble]
    return _seeded(ensemble, rng).fit(X, y, **options)


def left_out(ensemble, n_samples):
    """Which rows each member of a fitted ensemble was not trained on."""
    samples = getattr(unfrozen(ensemble), "estimators_samples_", None)
    if samples is None:
        raise ValueError(
            'selection="oob" needs members trained on samples of the rows, as in bagging and random forests; '
            'use "train" or "holdout".'
        )
    if max(rows.max() for rows in samples) >= n_samples:
        raise ValueError(
            f'selection="oob" needs the rows that the ensemble was trained on; X has only {n_samples}.'
        )
    known = np.ones((len(samples), n_samples), dtype=bool)
    for mask, rows in zip(known, samples, strict=True):
        mask[rows] = False
    if not known.any(axis=1).all():
        raise ValueError(
            'selection="oob" needs members that each leave rows out: set bootstrap=True, give more rows '
            f'(n_samples={n_samples}), or use "holdout".'
        )
    return known


def template(ensemble):
    """The ensemble without what it learned."""
    if isinstance(ensemble, Sequence):
        return [template(member) for member in ensemble]
    inner = unfrozen(ensemble)
    return clone(inner) if hasattr(inner, "get_params") else inner


def unfrozen(estimator):
    """What is inside a FrozenEstimator."""
    return estimator.estimator if isinstance(estimator, FrozenEstimator) else estimator


def _seeded(estimator, rng):
    """A copy whose open random states are drawn."""
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


def _bagged(ensemble):
    """Members of bagging, each with its features unless all of them take all."""
    every = np.arange(ensemble.n_features_in_)
    features = [np.asarray(columns) for columns in ensemble.estimators_features_]
    whole = all(np.array_equal(columns, every) for columns in features)
    return Members(
        list(ensemble.estimators_),
        None if whole else features,
        coded=True,
        takes_arrays=True,
        soft=all(hasattr(member, "predict_proba") for member in ensemble.estimators_),
        classes=getattr(ensemble, "classes_", None),
    )
