"""Weighted ensembles that evaluate, for each row, only as many members as its class needs."""

from typing import Any, Literal, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.ensemble import AdaBoostClassifier, StackingClassifier, VotingClassifier
from sklearn.utils import get_tags
from sklearn.utils.validation import validate_data

from ...atomic_fit import atomic
from ..checks import check_confidence
from ..prefitted import PrefittedEnsemble
from .additive_members import AdditiveMembers, additive_members
from .evaluation import best_order, evaluate

_KINDS = AdaBoostClassifier, VotingClassifier, StackingClassifier


class InstancePrunedWeightedClassifier(ClassifierMixin, PrefittedEnsemble):
    """Evaluate the weighted members of an ensemble one by one, for each row until its class is decided.

    Members may be of any kind. Those with the largest weight come first, and evaluation stops when the others
    cannot change the class: exact. With a confidence below 1 members come in random order and fewer are
    needed.

    Parameters
    ----------
    ensemble : AdaBoostClassifier, VotingClassifier or StackingClassifier, default=None
        Ensemble to evaluate: SAMME, votes or mean probabilities with or without weights, or a logistic
        regression on the members' probabilities. A fitted one is used as it is, without a call of `fit`;
        `fit` fits a copy. By default AdaBoost.
    confidence : float, default=1.0
        Probability in (0.5, 1] that the predicted class is that of the whole ensemble; with 1 it always is.
    random_state : int, RandomState or None, default=None
        Seed of the order in which members are evaluated, if ``confidence`` is below 1, and in `fit` of an
        ensemble whose own ``random_state`` is None.

    Attributes
    ----------
    ensemble_ : estimator
        The fitted ensemble.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    order_ : ndarray of shape (n_members,)
        Indices of the members in the order in which they are evaluated.
    n_members_ : int
        Number of members.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `fit` got any.

    Notes
    -----
    Certificate: answers lie on a simplex and scores are linear in them, so that the most that a member adds
    to one class beyond another is found at a corner. The sum of it over the members left bounds what they
    change. Exact up to the rounding of sums in another order.

    Rule by sampling: in random order the members seen are a sample without replacement of all, whatever
    their weights, and the lead over each rival is a sum over that finite population. Its probability to
    vanish is the tail of Student's t. Approximate: few heavy members make the sum far from normal.

    Examples
    --------
    >>> from pauca.datasets import make_twonorm
    >>> from pauca.ensembles import InstancePrunedWeightedClassifier
    >>> from sklearn.ensemble import AdaBoostClassifier
    >>> X, y = make_twonorm(300, random_state=0)
    >>> boosted = AdaBoostClassifier(n_estimators=60, random_state=0).fit(X, y)
    >>> labels, queries = InstancePrunedWeightedClassifier(boosted).predict(X, return_queries=True)
    >>> bool((labels == boosted.predict(X)).all()), bool(queries.mean() < 50)
    (True, True)
    """

    _members: AdditiveMembers
    _prepared_for: tuple
    _derived = "_members", "_asked", "_prepared_for"

    def __init__(
        self,
        ensemble: Any = None,
        confidence: float = 1.0,
        *,
        random_state: int | np.random.RandomState | None = None,
    ):
        self.ensemble = ensemble
        self.confidence = confidence
        self.random_state = random_state

    @atomic
    def fit(self, X: Any, y: ArrayLike, **fit_params: Any) -> Self:
        """Fit a copy of the ensemble.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training data, as the ensemble takes it.
        y : array-like of shape (n_samples,)
            Class labels.
        **fit_params : dict
            Arguments of the ensemble's own `fit`, such as ``sample_weight``.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._check_arguments()
        self.ensemble_ = self._unfitted_copy().fit(X, y, **fit_params)
        self._prepare()
        return self

    @overload
    def predict(self, X: Any, return_queries: Literal[False] = False) -> NDArray: ...
    @overload
    def predict(self, X: Any, return_queries: Literal[True]) -> tuple[NDArray, NDArray]: ...
    def predict(self, X: Any, return_queries: bool = False) -> NDArray | tuple[NDArray, NDArray]:
        """Class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        return_queries : bool, default=False
            Whether to return the number of members evaluated, too.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        queries : ndarray of int of shape (n_samples,)
            Number of members evaluated on each row; only if ``return_queries``.
        """
        members = self._ready()
        scores, queries = evaluate(members, self._checked(X), self.confidence)
        codes = scores.argmax(axis=1) if scores.shape[1] > 1 else (scores[:, 0] > 0).astype(int)
        y = members.classes[np.minimum(codes, len(members.classes) - 1)]
        return (y, queries) if return_queries else y

    @property
    def classes_(self) -> NDArray:
        """Class labels."""
        return self._fitted().classes_

    @property
    def order_(self) -> NDArray:
        """Indices of the members in the order in which they are evaluated."""
        self._ready()
        return self._asked

    @property
    def n_members_(self) -> int:
        """Number of members."""
        return len(self._ready().answers)

    def _check_arguments(self):
        check_confidence(self.confidence)
        if not isinstance(self._ensemble_or_default(), _KINDS):
            raise ValueError(
                f"ensemble must be a {', '.join(kind.__name__ for kind in _KINDS[:-1])} or "
                f"{_KINDS[-1].__name__}; got {type(self._ensemble_or_default()).__name__}."
            )

    def _checked(self, X):
        """X as the members take it: AdaBoost trains on arrays, the others on rows as they are given."""
        ensemble = self._fitted()
        finite = "allow-nan" if get_tags(ensemble).input_tags.allow_nan else True
        checked = validate_data(
            ensemble, X, reset=False, dtype=None, accept_sparse="csr", ensure_all_finite=finite
        )
        return checked if isinstance(ensemble, AdaBoostClassifier) or not hasattr(X, "columns") else X

    def _ensemble_or_default(self):
        return AdaBoostClassifier() if self.ensemble is None else self.ensemble

    def _ready(self):
        """Members of the fitted ensemble, prepared on the first call and when an argument changes."""
        settings = getattr(self._fitted(), "estimators_", None), self.confidence
        known = self.__dict__.get("_prepared_for", (None, None))
        if any(old is not new for old, new in zip(known, settings, strict=True)):
            self._check_arguments()
            self._prepare()
        return self._members

    def _prepare(self):
        """Set the members in their order: the largest weight first, or by chance below a confidence of 1."""
        ensemble = self._fitted()
        members = additive_members(ensemble)
        first = self.confidence == 1
        self._asked = best_order(members) if first else self._kept_order(len(members.answers))
        self._members = members.in_order(self._asked)
        self._prepared_for, self._known_as_fitted = (ensemble.estimators_, self.confidence), self.ensemble
