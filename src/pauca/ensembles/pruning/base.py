"""Base of the pruned regressor and classifier: from an ensemble to the few members that are stored."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, column_or_1d, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from ...config import LinksToSite
from ...export import PortableEnsemble
from ...validation import check_option, check_rows, check_seed, check_share, check_size, check_weights
from ..checks import check_member_count
from ..leaf_refinement import RefinementRows, refined
from ..members import Members, check_ensemble, members_of
from ..portable import portable_members
from ..training import grown_on, is_fitted, out_of_bag, template, trained, unfrozen
from .diversity import best_weights, numeric_products
from .search import METHODS, select_members

SELECTIONS = "auto", "train", "oob", "holdout"
# The members check their rows themselves.
_UNCHECKED = {"dtype": None, "accept_sparse": ["csr", "csc"], "ensure_all_finite": False}


class PrunedEnsemble(LinksToSite, BaseEstimator):
    """Base class of estimators that keep a sub-ensemble.

    A subclass has ``_task``, ``_ensemble_or_default`` and ``_member_outputs``, which evaluates the members on
    the rows for selection.
    """

    _task = "regression"
    _members: Members

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        parts = self._ensemble_or_default()
        parts = parts if isinstance(parts, Sequence) else [parts]
        inner = [get_tags(part).input_tags for part in parts if hasattr(part, "__sklearn_tags__")]
        tags.input_tags.sparse = all(part.sparse for part in inner)
        tags.input_tags.allow_nan = all(part.allow_nan for part in inner)
        return tags

    def __getstate__(self):
        """State for pickling: once fitted, the kept members and an unfitted copy of the ensemble."""
        state = super().__getstate__()
        if "_members" in state and self.ensemble is not None:
            state = {**state, "ensemble": template(self.ensemble)}
        return state

    @property
    def estimators_(self) -> list:
        """Kept members in order of aggregation."""
        check_is_fitted(self)
        return self._members.estimators

    def _fit(self, X, y, sample_weight):
        """Train the ensemble if it is not fitted, select members on the rows for selection, keep those."""
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
        known = self._known_rows(ensemble, y, weights)
        X = _safe_indexing(checked if members.takes_arrays else X, rows)
        y, weights = y[rows], weights[rows]
        data = self._member_outputs(members, X, y, weights, known)
        self._select(members, data, rng)
        if self.refit:
            targets = self._targets(data)
            self._members = refined(
                *(members, self._members, self.selected_, RefinementRows(X, targets, weights, known)),
                *(getattr(self, "classes_", None), rng),
            )
        return self

    def _known_rows(self, ensemble, y, weights):
        """Mask of the rows that count for each member: its out-of-bag rows, or None for all rows.

        "auto" takes out-of-bag rows where members left rows out, unless the ensemble came fitted
        and its trees were grown on other rows than those given.
        """
        if self.selection == "oob":
            return _out_of_bag_rows(ensemble, weights)
        if self.selection != "auto" or self.method == "evidence" or not grown_on(ensemble, y):
            return None
        known = out_of_bag(unfrozen(ensemble), len(y))
        return known if (known @ weights > 0).any() else None

    @staticmethod
    def _targets(data):
        """Targets with a column for each output, or ones at the classes."""
        if data.task == "classification":
            return np.eye(data.n_classes)[data.y]
        return data.y.reshape(len(data.y), -1)

    def _check_arguments(self, ensemble):
        check_ensemble(ensemble)
        check_option("method", self.method, METHODS[self._task])
        check_option("selection", self.selection, SELECTIONS)
        check_share("holdout_size", self.holdout_size)

    def _check_X_y(self, X, y):
        """X as it is passed to an ensemble (a data frame stays one), X as an array, and y."""
        numbers = self._task == "regression"
        checked, y = check_rows(self, X, y, **_UNCHECKED, multi_output=numbers, y_numeric=numbers)
        if numbers:
            check_size("y", y)
        y = y if y.ndim == 2 and y.shape[1] > 1 else column_or_1d(y, warn=True)
        return X if _is_frame(X) else checked, checked, y

    def _split(self, y, rng):
        """Rows for training and rows for selection: all rows for both, unless some are held out."""
        rows = np.arange(len(y))
        if self.selection != "holdout":
            return rows, rows
        stratify = y if self._task == "classification" else None
        return train_test_split(rows, test_size=self.holdout_size, random_state=rng, stratify=stratify)

    def _select(self, members, data, rng):
        """Set the fitted attributes from the members and their outputs on the rows for selection."""
        count = check_member_count(self.size, data.n_members, auto=True)
        result = select_members(data, self.method, count, rng)
        self.order_, self.error_curve_ = result.order, result.errors
        self.selected_ = result.order[: result.count]
        self.lower_bound_ = result.lower_bound
        if self.reweight:
            weights = best_weights(numeric_products(data.subset(self.selected_)))
            everything = np.zeros(data.n_members)
            everything[self.selected_] = weights
            self.selected_ = self.selected_[weights > 0]
            members = replace(members, weights=everything)
        self._members = members.subset(self.selected_)

    def _portable(self) -> PortableEnsemble:
        """Portable form of the kept members."""
        classes, soft = getattr(self, "classes_", None), getattr(self, "voting", "auto")
        soft = self._members.soft if soft == "auto" else soft == "soft"
        name, n_features = type(self).__name__, self.n_features_in_
        return portable_members(name, self._members, n_features, bool(soft), classes)

    def _check_X(self, X):
        """X as it is passed to the members."""
        check_is_fitted(self)
        checked = validate_data(self, X, reset=False, **_UNCHECKED)
        return X if _is_frame(X) and not self._members.takes_arrays else checked


def _out_of_bag_rows(ensemble, weights):
    """Mask of the rows that each member was not trained on; some member must have such rows of weight."""
    ensemble, n_samples = unfrozen(ensemble), len(weights)
    samples = getattr(ensemble, "estimators_samples_", None)
    if samples is None:
        raise ValueError(
            'selection="oob" needs members trained on samples of the rows, as in bagging and random forests; '
            'use "train" or "holdout".'
        )
    if max(rows.max() for rows in samples) >= n_samples:
        raise ValueError(
            f'selection="oob" needs the rows that the ensemble was trained on; X has only {n_samples}.'
        )
    known = out_of_bag(ensemble, n_samples)
    if not (known @ weights > 0).any():
        raise ValueError(
            'selection="oob" needs members that leave rows out: set bootstrap=True, give more rows '
            f'(n_samples={n_samples}), or use "holdout".'
        )
    return known


def _is_frame(X):
    return hasattr(X, "columns")
