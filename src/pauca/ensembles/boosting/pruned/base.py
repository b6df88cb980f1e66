"""Base of pruned boosted ensembles: training, selection of rounds and checks of rows."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, check_random_state, get_tags
from sklearn.utils.validation import validate_data

from ....atomic_fit import atomic
from ....config import LinksToSite
from ....validation import check_number, check_option, check_rows, check_share
from ...checks import check_ensemble, check_member_count
from ...prefitted import PrefittedEnsemble
from ...training import unfrozen
from ..base import read_kind
from ..evaluation import checked_rows
from .selection import METHODS, Loss, contributions, reduced, selected, selected_together


class PrunedBoosting(LinksToSite, BaseEstimator):
    """Base class: rounds of a boosted ensemble are selected and weighted on rows given for it.

    A subclass checks the targets (`_targets`), measures scores (`_loss_of`) and evaluates what is kept.
    """

    ensemble: Any
    method: str
    size: float | int
    penalty: float
    holdout_size: float
    random_state: Any
    _of_classes: bool
    _exits: Any

    @atomic
    def fit(self, X: Any, y: Any) -> Self:
        """Train the ensemble if it is not fitted, and keep the best rounds.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows for selection, and for training where the ensemble is not fitted.
        y : array-like of shape (n_samples,)
            Class labels, or targets.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_option("method", self.method, METHODS)
        check_share("holdout_size", self.holdout_size)
        check_number("penalty", self.penalty, 0.0)
        numbers = not self._of_classes
        checked, y = check_rows(self, X, y, dtype=None, ensure_all_finite=False, y_numeric=numbers)
        X = X if hasattr(X, "columns") else checked
        ensemble = self._ensemble_or_default()
        self._check_targets(y)
        if isinstance(ensemble, type) or not PrefittedEnsemble._is_trained(unfrozen(ensemble)):
            check_ensemble(ensemble)
            ensemble, X, y = self._trained(clone(ensemble), X, y)
        model = read_kind(ensemble, self._of_classes)
        added = contributions(model, checked_rows(model, X, ensemble))
        whole, base = model.trees.base + added.sum(axis=0), model.trees.base
        loss = self._loss_of(model, y, whole)
        count = check_member_count(self.size, model.trees.n_rounds)
        if self.method == "sdp":
            rng = check_random_state(self.random_state)
            found = selected_together(base, added, loss, count, self.penalty, rng)
        else:
            found = selected(base, added, loss, count, self.penalty)
        self.selected_, self.weights_ = found
        few = base + np.tensordot(self.weights_, added[self.selected_], 1)
        self.loss_ = self._error_of(model, y, whole), self._error_of(model, y, few)
        self._source = ensemble
        self._exits = self._exit_of(reduced(model, self.selected_, self.weights_))
        return self

    def __sklearn_is_fitted__(self) -> bool:
        """Whether rounds have been selected."""
        return "_exits" in self.__dict__

    def __sklearn_tags__(self):
        """Tags with the input tags of the ensemble, where it has some."""
        tags = super().__sklearn_tags__()
        ensemble = self._ensemble_or_default()
        if hasattr(ensemble, "__sklearn_tags__"):
            tags.input_tags.allow_nan = get_tags(ensemble).input_tags.allow_nan
        return tags

    def _ensemble_or_default(self):
        """The ensemble, or the default one where it is None."""
        raise NotImplementedError

    def _check_targets(self, y):
        """Refuse targets of another kind."""

    def _loss_of(self, model: Any, y: NDArray, whole: NDArray) -> Loss:
        """Loss of scores in nats, given the scores of all rounds."""
        raise NotImplementedError

    def _error_of(self, model: Any, y: NDArray, scores: NDArray) -> float:
        """Error of the scores, as `loss_` reports it."""
        raise NotImplementedError

    def _exit_of(self, model: Any) -> Any:
        """Evaluation of the rounds that are kept."""
        raise NotImplementedError

    def _checked(self, X):
        checked = validate_data(self, X, reset=False, dtype=None, ensure_all_finite=False)
        return self._exits.check(X if hasattr(X, "columns") else checked, self._source)

    def _trained(self, ensemble, X, y):
        """Ensemble trained on a part of the rows, and the rows for selection."""
        rng, rows = check_random_state(self.random_state), np.arange(len(y))
        if ensemble.get_params(deep=False).get("random_state", 0) is None:
            ensemble.set_params(random_state=rng.randint(2**31 - 1))
        training, rest = train_test_split(rows, test_size=self.holdout_size, random_state=rng)
        ensemble = ensemble.fit(_safe_indexing(X, training), _safe_indexing(y, training))
        return ensemble, _safe_indexing(X, rest), _safe_indexing(y, rest)
