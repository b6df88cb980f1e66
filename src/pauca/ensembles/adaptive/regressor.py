"""Random forests of regressors that choose their size."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr
from sklearn.base import RegressorMixin
from sklearn.ensemble import RandomForestRegressor
from sklearn.utils import check_random_state

from ...atomic_fit import atomic
from ...validation import as_numbers, check_number, check_size
from ..early_voting import InstancePrunedRegressor
from ..pruning import PrunedEnsembleRegressor
from ..training import out_of_bag
from .base import AdaptiveForest

# Trees of the first forest, from which the number is estimated. Set by hand.
_FIRST_TREES = 100
# Default tolerance as a share of the standard deviation of the targets.
_SHARE = 0.05


class AdaptiveForestRegressor(RegressorMixin, AdaptiveForest):
    """Random forest of regressors that chooses its size, keeps a few trees and asks as few as a row needs.

    Trees are added until the mean lies within the tolerance of that of infinitely many trees with the given
    confidence, on average over rows; the leaves of the kept trees are refitted to the whole forest; a row is
    answered when the mean of all kept trees is known within the tolerance.

    Parameters
    ----------
    confidence : float, default=0.95
        Probability in (0.5, 1) of both.
    tolerance : float, default=None
        Largest distance in units of the target; by default a twentieth of the standard deviation of y.
    keep : float or int, default=0.5
        Share or number of the trees to keep, at least ten. 1.0 keeps all as they are.
    max_trees : int, default=2000
        Largest number of trees to grow.
    n_jobs : int, default=None
        Number of threads of predictions, as in scikit-learn.
    random_state : int, RandomState or None, default=None
        Seed of the trees, of the search for those to keep, and of the order in which they are asked.

    Attributes
    ----------
    n_trees_grown_ : int
        Number of trees grown.
    n_trees_kept_ : int
        Number of trees kept.
    tolerance_ : float
        Tolerance in units of the target.
    n_features_in_ : int
        Number of features.

    Notes
    -----
    The mean of T trees that scatter by s about it lies within the tolerance of that of infinitely many with
    probability 2 Phi(tolerance sqrt(T) / s) - 1; s comes from the out-of-bag trees of each training row. What
    refitting changes is not covered by the confidence: it follows the line from out-of-bag means to targets,
    mostly to smaller errors than those of the forest.

    Examples
    --------
    >>> from pauca.datasets import make_friedman1
    >>> from pauca.ensembles import AdaptiveForestRegressor
    >>> X, y = make_friedman1(400, random_state=0)
    >>> forest = AdaptiveForestRegressor(tolerance=0.6, random_state=0).fit(X[:200], y[:200])
    >>> bool(forest.n_trees_kept_ < forest.n_trees_grown_), bool(forest.score(X[200:], y[200:]) > 0.6)
    (True, True)
    """

    def __init__(
        self,
        confidence: float = 0.95,
        *,
        tolerance: float | None = None,
        keep: float | int = 0.5,
        max_trees: int = 2000,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ):
        self.confidence = confidence
        self.tolerance = tolerance
        self.keep = keep
        self.max_trees = max_trees
        self.n_jobs = n_jobs
        self.random_state = random_state

    @atomic
    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Grow a forest, keep the trees that matter.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,)
            Targets.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._check_arguments()
        X, y = self._training(X, y, numbers=True)
        y = as_numbers("y", y, 1)
        check_size("y", y)
        check_number("tolerance", self.tolerance, 0, strict=True, optional=True)
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        first = min(_FIRST_TREES, int(self.max_trees))
        forest = RandomForestRegressor(first, warm_start=True, random_state=seed).fit(X, y)
        spread = np.std(np.asarray(y, dtype=float))
        self.tolerance_ = float(self.tolerance or max(_SHARE * spread, np.finfo(float).tiny))
        wanted = _trees_needed(_scatter(forest, X), self.tolerance_, self.confidence, int(self.max_trees))
        forest = forest.set_params(n_estimators=max(first, wanted)).fit(X, y) if wanted > first else forest

        def fast(small, seed):
            return InstancePrunedRegressor(
                small, self.tolerance_, self.confidence, n_jobs=self.n_jobs, random_state=seed
            )

        self._keep(PrunedEnsembleRegressor, fast, forest.set_params(warm_start=False), X, np.asarray(y))
        return self

    def predict(self, X: Any, return_queries: bool = False) -> Any:
        """Mean of the trees asked about each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        return_queries : bool, default=False
            Whether to return the number of trees asked, too.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted targets.
        queries : ndarray of int of shape (n_samples,)
            Number of trees asked about each row; only if ``return_queries``.
        """
        X = self._checked(X)
        return self._fast.predict(X, return_queries=return_queries)


def _scatter(forest, X):
    """Standard deviation of the out-of-bag trees of each training row that has at least two."""
    X = forest._validate_X_predict(X)
    values = np.stack([tree.predict(X, check_input=False) for tree in forest.estimators_])
    known = out_of_bag(forest, X.shape[0])
    usable = known.sum(axis=0) > 1
    if not usable.any():
        return values.std(axis=0, ddof=1)
    part, mask = values[:, usable], known[:, usable]
    n_trees = mask.sum(axis=0)
    deviations = np.where(mask, part - np.where(mask, part, 0.0).sum(axis=0) / n_trees, 0.0)
    return np.sqrt(np.square(deviations).sum(axis=0) / (n_trees - 1))


def _trees_needed(scatter, tolerance, confidence, most):
    """Least number of trees whose mean lies within the tolerance often enough, averaged over rows."""
    sizes = np.arange(1, most + 1)
    rows = np.maximum(scatter[:: max(1, len(scatter) // 500)], np.finfo(float).tiny)
    with np.errstate(over="ignore"):
        inside = np.mean(2 * ndtr(tolerance * np.sqrt(sizes)[:, None] / rows) - 1, axis=1)
    return int(sizes[min(np.searchsorted(inside, confidence), most - 1)])
