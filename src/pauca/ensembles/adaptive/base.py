"""Base of the adaptive forests: from the forest that was grown to the trees that are kept."""

from copy import copy
from numbers import Integral
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ...config import LinksToSite
from ...validation import check_number, check_rows
from ..checks import check_confidence, check_jobs, check_member_count

# Least number of trees kept. Set by hand.
_FEWEST_KEPT = 10
# Most numbers in the nodes of all trees, a number for each class, with which trees are refitted: a gigabyte.
# Numerical guard.
_MOST_NUMBERS = 10**8


class AdaptiveForest(LinksToSite, BaseEstimator):
    """Base class: the forest that was grown, the trees that are kept, and early exit among those."""

    _fast: Any

    confidence: float
    keep: float | int
    max_trees: int
    n_jobs: int | None
    random_state: Any

    def _check_arguments(self):
        check_confidence(self.confidence)
        if self.confidence == 1:
            raise ValueError("confidence must be below 1: only infinitely many trees always agree.")
        check_number("max_trees", self.max_trees, 2, kind=Integral)
        check_member_count(self.keep, int(self.max_trees), name="keep")
        check_jobs(self.n_jobs)

    def _keep(self, kind, fast, forest, X, y):
        """Keep the best trees of a forest, refitted, and set early exit among them."""
        self.n_trees_grown_ = len(forest.estimators_)
        n_grown = max(self.n_trees_grown_, self.keep if isinstance(self.keep, Integral) else 0)
        count = check_member_count(self.keep, n_grown, name="keep")
        count = min(self.n_trees_grown_, max(count, _FEWEST_KEPT))
        seed = check_random_state(self.random_state)
        n_classes = len(getattr(self, "classes_", (0,)))
        n_numbers = n_classes * sum(tree.tree_.node_count for tree in forest.estimators_)
        learnable = 2 * n_classes <= len(y) and n_numbers <= _MOST_NUMBERS
        refit = count < self.n_trees_grown_ and learnable
        few = kind(forest, size=count, refit=refit, selection="auto", random_state=seed.randint(2**31 - 1))
        kept = few.fit(X, y).estimators_
        small = copy(forest)
        small.estimators_, small.n_estimators, self.n_trees_kept_ = kept, len(kept), len(kept)
        self._fast = fast(small, seed.randint(2**31 - 1))

    def _training(self, X, y, numbers):
        """X as the forest takes it (a data frame stays one), and y, checked."""
        checked, y = check_rows(self, X, y, dtype=None, y_numeric=numbers, ensure_min_samples=2)
        return (X if hasattr(X, "columns") else checked), y

    def _checked(self, X):
        """X as the trees take it, checked."""
        check_is_fitted(self, "n_trees_kept_")
        checked = validate_data(self, X, reset=False, dtype=None)
        return X if hasattr(X, "columns") else checked
