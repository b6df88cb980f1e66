"""Random forests of classifiers that choose their size."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets

from ...atomic_fit import atomic
from ..early_voting import InstancePrunedClassifier
from ..growth import grow_until_stable
from ..pruning import PrunedEnsembleClassifier
from .base import AdaptiveForest


class AdaptiveForestClassifier(ClassifierMixin, AdaptiveForest):
    """Random forest that chooses its size, keeps a fraction of its trees and asks as few as a row needs.

    One confidence rules all of it: trees are added until the vote agrees with that of infinitely many trees
    on that share of the rows; the leaves of the kept trees are refitted to the whole forest; a row is
    answered when the kept trees agree with that probability.

    Parameters
    ----------
    confidence : float, default=0.99
        Probability in (0.5, 1), first of agreement with infinitely many trees, then of agreement with all
        kept trees, each on average over rows.
    keep : float or int, default=0.5
        Share or number of the trees to keep, at least ten. 1.0 keeps all as they are.
    max_trees : int, default=2000
        Largest number of trees to grow; growth ends there with a warning.
    n_jobs : int, default=None
        Number of threads of predictions, as in scikit-learn.
    random_state : int, RandomState or None, default=None
        Seed of the trees, of the search for those to keep, and of the order in which they are asked.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_trees_grown_ : int
        Number of trees grown.
    n_trees_kept_ : int
        Number of trees kept.
    n_features_in_ : int
        Number of features.

    Notes
    -----
    Growth is by out-of-bag votes (thesis, chapter 4; `ensemble_size`), early exit by Student's t for mean
    probabilities (`InstancePrunedClassifier`). What refitting changes is not covered by the confidence; trees
    are not refitted where there are fewer than two rows for each class, on average, or where nodes times
    classes exceed 10⁸, which would take gigabytes.

    Examples
    --------
    >>> from pauca.datasets import make_twonorm
    >>> from pauca.ensembles import AdaptiveForestClassifier
    >>> X, y = make_twonorm(600, random_state=0)
    >>> forest = AdaptiveForestClassifier(0.98, random_state=0).fit(X[:300], y[:300])
    >>> bool(forest.n_trees_kept_ < forest.n_trees_grown_), bool(forest.score(X[300:], y[300:]) > 0.92)
    (True, True)
    """

    def __init__(
        self,
        confidence: float = 0.99,
        *,
        keep: float | int = 0.5,
        max_trees: int = 2000,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ):
        self.confidence = confidence
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
            Class labels.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._check_arguments()
        X, y = self._training(X, y, numbers=False)
        check_classification_targets(y)
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        forest = grow_until_stable(
            RandomForestClassifier(random_state=seed), X, y, self.confidence, max_members=self.max_trees
        )

        def fast(small, seed):
            return InstancePrunedClassifier(
                small, self.confidence, voting="soft", n_jobs=self.n_jobs, random_state=seed
            )

        self.classes_ = forest.classes_
        self._keep(PrunedEnsembleClassifier, fast, forest, X, y)
        return self

    def predict(self, X: Any, return_queries: bool = False) -> Any:
        """Class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        return_queries : bool, default=False
            Whether to return the number of trees asked, too.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        queries : ndarray of int of shape (n_samples,)
            Number of trees asked about each row; only if ``return_queries``.
        """
        X = self._checked(X)
        return self._fast.predict(X, return_queries=return_queries)

    def predict_proba(self, X: Any) -> NDArray:
        """Estimated mean probabilities of all kept trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
            Probabilities.
        """
        X = self._checked(X)
        p = np.maximum(self._fast.predict_proba(X), 0.0)
        return p / p.sum(axis=1, keepdims=True)
