"""What pruned regressors and classifiers share: from an ensemble to the few members that are stored."""

from collections.abc import Sequence

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, column_or_1d, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from ..validation import check_option, check_seed, check_share, check_weights
from .checks import check_member_count
from .search import METHODS, search
from .sources import check_ensemble, is_fitted, left_out, members_of, template, trained

SELECTIONS = "train", "oob", "holdout"
_LOOSE = {"dtype": None, "accept_sparse": ["csr", "csc"], "ensure_all_finite": False}


class PrunedEnsemble(BaseEstimator):
    """Keep a sub-ensemble; subclasses say what the outputs of members mean.

    A subclass has ``_task``, ``_ensemble_or_default`` and ``_judged``, which asks the members about rows.
    """

    _task = "regression"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        parts = self._ensemble_or_default()
        parts = parts if isinstance(parts, Sequence) else [parts]
        inner = [get_tags(part).input_tags for part in parts if hasattr(part, "__sklearn_tags__")]
        tags.input_tags.sparse = all(part.sparse for part in inner)
        tags.input_tags.allow_nan = all(part.allow_nan for part in inner)
        return tags

    def __getstate__(self):
        """Once fitted, only the kept members are stored: the ensemble goes without what it learned."""
        state = super().__getstate__()
        if "_members" in state and self.ensemble is not None:
            state = {**state, "ensemble": template(self.ensemble)}
        return state

    @property
    def estimators_(self):
        """The members that are kept, in order of aggregation."""
        check_is_fitted(self)
        return self._members.predictors

    def _fit(self, X, y, sample_weight):
        """Train the ensemble unless it is, choose members on the rows for selection, keep those."""
        ensemble = self._ensemble_or_default()
        self._check_arguments(ensemble)
        X, checked, y = self._check_X_y(X, y)
        weights = check_weights(sample_weight, checked)
        rng = check_seed(self.random_state)
        rows = np.arange(len(y))
        if not is_fitted(ensemble):
            training, rows = self._split(y, rng)
            part = None if sample_weight is None else weights[training]
            ensemble = trained(ensemble, _safe_indexing(X, training), y[training], part, rng)
        members = members_of(ensemble)
        known = left_out(ensemble, len(y)) if self.selection == "oob" else None
        X = _safe_indexing(checked if members.takes_arrays else X, rows)
        self._choose(members, self._judged(members, X, y[rows], weights[rows], known), rng)
        return self

    def _check_arguments(self, ensemble):
        check_ensemble(ensemble)
        check_option("method", self.method, METHODS[self._task])
        check_option("selection", self.selection, SELECTIONS)
        check_share("holdout_size", self.holdout_size)

    def _check_X_y(self, X, y):
        """X as an ensemble is given it (a data frame stays one), X as an array, and y."""
        numbers = self._task == "regression"
        checked, y = validate_data(self, X, y, **_LOOSE, multi_output=numbers, y_numeric=numbers)
        y = y if y.ndim == 2 and y.shape[1] > 1 else column_or_1d(y, warn=True)
        return X if _is_frame(X) else checked, checked, y

    def _split(self, y, rng):
        """Rows to train on and rows to choose by: all of them, unless some are held out."""
        rows = np.arange(len(y))
        if self.selection != "holdout":
            return rows, rows
        stratify = y if self._task == "classification" else None
        return train_test_split(rows, test_size=self.holdout_size, random_state=rng, stratify=stratify)

    def _choose(self, members, data, rng):
        count = check_member_count(self.size, data.n_members, auto=True)
        choice = search(data, self.method, count, rng)
        self.order_, self.error_curve_ = choice.order, choice.errors
        self.selected_ = choice.order[: choice.count]
        self.lower_bound_ = choice.lower_bound
        self._members = members.subset(self.selected_)

    def _asked(self, X):
        """X as the members take it."""
        check_is_fitted(self)
        checked = validate_data(self, X, reset=False, **_LOOSE)
        return X if _is_frame(X) and not self._members.takes_arrays else checked


def _is_frame(X):
    return hasattr(X, "columns")
