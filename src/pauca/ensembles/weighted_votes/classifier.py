"""Weighted ensembles that evaluate, for each row, only as many members as its class needs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import AdaBoostClassifier, StackingClassifier, VotingClassifier
from sklearn.utils import get_tags
from sklearn.utils.validation import validate_data

from ..checks import check_confidence
from ..early_exit import EarlyExitClassifier
from .additive_members import additive_members
from .evaluation import best_order, evaluate

_KINDS = AdaBoostClassifier, VotingClassifier, StackingClassifier


class InstancePrunedWeightedClassifier(EarlyExitClassifier):
    """Evaluate the weighted members of an ensemble one by one, for each row until its class is decided.

    Members may be of any kind. Those with the largest weight come first, and evaluation stops when the others
    cannot change the class: exact. With a confidence below 1 members come in random order and fewer are
    needed.

    Parameters
    ----------
    ensemble : AdaBoostClassifier, VotingClassifier or StackingClassifier, default=None
        Ensemble to evaluate: AdaBoost by SAMME, or by SAMME.R in models of scikit-learn before 1.6; votes or
        mean probabilities with or without weights; or a logistic regression on the members' probabilities. A
        fitted one is used as it is, without a call of `fit`; `fit` fits a copy. By default AdaBoost.
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
    change. Exact up to the rounding of sums in another order. SAMME.R adds logarithms of probabilities, which
    the least probability in a tree's leaves bounds; other members may add as much as the logarithm of the
    least positive one, and hardly any row is certain early.

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

    @property
    def order_(self) -> NDArray:
        """Indices of the members in the order in which they are evaluated."""
        return self._ready()[1]

    @property
    def n_members_(self) -> int:
        """Number of members."""
        return len(self._ready()[1])

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

    def _settings(self):
        return getattr(self._fitted(), "estimators_", None), self.confidence

    def _evaluation_of(self, ensemble):
        """Members in their order: the largest weight first, or by chance below a confidence of 1."""
        members = additive_members(ensemble)
        order = best_order(members) if self.confidence == 1 else self._kept_order(len(members.answers))
        return (members.in_order(order), order), None

    def _answers(self, X):
        members, _ = self._ready()
        scores, queries = evaluate(members, self._checked(X), self.confidence)
        codes = scores.argmax(axis=1) if scores.shape[1] > 1 else (scores[:, 0] > 0).astype(int)
        return np.minimum(codes, len(members.classes) - 1), queries
