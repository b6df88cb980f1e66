"""Base of early exit of boosted ensembles: training, calibration, preparation and single rows."""

from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, check_consistent_length, check_random_state, indexable

from ...atomic_fit import atomic
from ...validation import check_number, check_share
from ..checks import check_confidence
from ..early_exit import EarlyExit
from .boosted_model import BoostedModel
from .evaluation import has_names
from .readers import read_boosting

# What early exit gives for its first argument, and the estimator for the other kind.
_KINDS = {
    True: ("classifier", "InstancePrunedBoostingClassifier", "PrunedBoostingClassifier"),
    False: ("regressor", "InstancePrunedBoostingRegressor", "PrunedBoostingRegressor"),
}


def read_kind(ensemble: Any, classes: bool) -> BoostedModel:
    """Flat trees of a boosted classifier, or of a boosted regressor; an error names the other estimator."""
    model = read_boosting(ensemble)
    if (model.classes is not None) != classes:
        other = _KINDS[not classes]
        raise ValueError(
            f"ensemble must be a boosted {_KINDS[classes][0]}; {type(ensemble).__name__} is a boosted "
            f"{other[0]}: use {other[1]} or {other[2]}."
        )
    return model


class EarlyExitBoosting(EarlyExit):
    """Base class: trees of a boosted ensemble are evaluated until the prediction of a row is known.

    A subclass says what its exits are: by certificate (`_exact`), learned from rows (`_learned`) and made of
    what was learned (`_calibrated`).
    """

    confidence: float
    risk: float
    calibration_size: float
    router_depth: int
    _of_classes: bool
    _calibration: Any = None

    @atomic
    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Fit a copy of the ensemble, and calibrate it on rows held out if ``confidence`` is below 1.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data, as the ensemble takes it.
        y : array-like of shape (n_samples,)
            Class labels, or targets.
        **fit_params : dict
            Arguments of the ensemble's own `fit`; with ``confidence`` below 1 none that go by row.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._check_arguments()
        check_consistent_length(X, y)
        self._check_targets(y)
        ensemble = self._unfitted_copy()
        self._calibration, held_out = None, None
        if self.confidence < 1 and y is not None:
            X, y = indexable(X, y)
            rows = np.arange(len(y))
            rng = check_random_state(self.random_state)
            training, rest = train_test_split(rows, test_size=self.calibration_size, random_state=rng)
            X, y, held_out = _safe_indexing(X, training), _safe_indexing(y, training), _safe_indexing(X, rest)
        self.ensemble_ = ensemble.fit(X, y, **fit_params)
        self._remember(X, y)
        self._ready()
        return self if held_out is None else self.calibrate(held_out)

    @atomic
    def calibrate(self, X: Any) -> Self:
        """Learn when to stop from rows that the trees were not trained on; their targets are not needed.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows from the source of those to be predicted.

        Returns
        -------
        self : object
            The calibrated estimator.
        """
        self._check_arguments()
        self._calibration = None
        exits = self._ready()
        self._calibration = self._learned(exits.model, exits.check(X, self._fitted()))
        self._prepare()
        return self

    @property
    def n_members_(self) -> int:
        """Number of trees."""
        return self._ready().trees.n_trees

    @property
    def n_features_in_(self) -> int:
        """Number of features."""
        return self._ready().model.n_features

    def _exact(self, model):
        """Exits by certificate."""
        raise NotImplementedError

    def _learned(self, model, X):
        """Rule learned from checked rows."""
        raise NotImplementedError

    def _calibrated(self, model, calibration):
        """Exits by the rule that was learned, or by certificate."""
        raise NotImplementedError

    def _settings(self):
        """Values on which the prepared exits depend."""
        return (self._fitted(),)

    def _check_arguments(self):
        check_confidence(self.confidence)
        check_share("risk", self.risk)
        check_share("calibration_size", self.calibration_size)
        check_number("router_depth", self.router_depth, 0, kind=Integral)

    def _evaluation_of(self, ensemble):
        known = self.__dict__.get("_prepared_for", (None,))
        same = known[0] is ensemble
        model = self._evaluation.model if same else read_kind(ensemble, self._of_classes)
        rule = self._calibration
        exits = self._exact(model) if rule is None else self._calibrated(model, rule)
        single_row = None if has_names(ensemble) else exits.single_row()
        return exits, None if single_row is None else (*single_row, (1, model.n_features))

    def _answers(self, X):
        exits = self._ready()
        return exits.decide(exits.check(X, self._fitted()))
