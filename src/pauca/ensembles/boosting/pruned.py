"""Pruned boosted classifiers: few rounds with new weights."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, check_random_state, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ...atomic_fit import atomic
from ...config import LinksToSite
from ...validation import check_number, check_share
from ..checks import check_member_count
from ..members import codes_of
from ..prefitted import PrefittedEnsemble
from ..training import unfrozen
from .boosted_model import linked
from .evaluation import EarlyExit, exact_exit
from .readers import read_boosting

# The weights of all rounds kept are found anew each time that their number has grown by this share.
_GROWTH = 1.25


class PrunedBoostingClassifier(LinksToSite, ClassifierMixin, BaseEstimator):
    """Boosted classifier reduced to the rounds that matter, each with a new weight.

    Rounds are added one by one where the log-loss falls most steeply; the weights of those kept are
    found together, by penalised log-loss.

    Parameters
    ----------
    ensemble : estimator, default=None
        Boosted classifier as in `InstancePrunedBoostingClassifier`. A fitted one is used as it is, and `fit`
        selects rounds on the rows given, which should not be those it was trained on; an unfitted one is
        trained on a part of the rows and pruned on the rest. By default HistGradientBoostingClassifier.
    size : float or int, default=0.2
        Share or number of rounds to keep.
    penalty : float, default=1.0
        Strength with which the contributions of rounds are held at those of the ensemble: half the squared
        change of a weight, in nats, times the standard deviation of what the round adds.
    holdout_size : float, default=0.25
        Share of the rows on which an unfitted ensemble is not trained but pruned.
    random_state : int, RandomState or None, default=None
        Seed of the rows held out, and of an ensemble whose own ``random_state`` is None.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    selected_ : ndarray of shape (n_kept,)
        Indices of the kept rounds, in the order in which they were added.
    weights_ : ndarray of shape (n_kept,)
        Factors of the kept rounds, 1 for an unchanged one.
    loss_ : tuple of float
        Log-loss on the rows for selection of all rounds, and of those kept.
    n_features_in_ : int
        Number of features.

    Notes
    -----
    Ordered aggregation (thesis, section 3.1) with the log-loss of an additive model in place of the squared
    error of an average: each step adds the round with the largest derivative of the log-loss for its unit of
    spread, and re-weighting stands for the division by the number of members.

    References
    ----------
    D. Hernández-Lobato, "Prediction Based on Averages over Automatically Induced Learners", 2009, sections
    3.1 and 8.1; Pati, Rezaiifar & Krishnaprasad, "Orthogonal matching pursuit", 1993.

    Examples
    --------
    >>> from pauca import PrunedBoostingClassifier
    >>> from pauca.datasets import make_twonorm
    >>> from sklearn.ensemble import GradientBoostingClassifier
    >>> X, y = make_twonorm(600, random_state=0)
    >>> boosted = GradientBoostingClassifier(random_state=0).fit(X[:300], y[:300])
    >>> few = PrunedBoostingClassifier(boosted).fit(X[300:], y[300:])
    >>> len(few.selected_)
    20
    """

    _exits: EarlyExit

    def __init__(
        self,
        ensemble: Any = None,
        *,
        size: float | int = 0.2,
        penalty: float = 1.0,
        holdout_size: float = 0.25,
        random_state: int | np.random.RandomState | None = None,
    ):
        self.ensemble = ensemble
        self.size = size
        self.penalty = penalty
        self.holdout_size = holdout_size
        self.random_state = random_state

    @atomic
    def fit(self, X: Any, y: Any) -> Self:
        """Train the ensemble if it is not fitted, and keep the best rounds.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows for selection, and for training where the ensemble is not fitted.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_share("holdout_size", self.holdout_size)
        check_number("penalty", self.penalty, 0.0)
        checked, y = validate_data(self, X, y, dtype=None, ensure_all_finite=False)
        check_classification_targets(y)
        X = X if hasattr(X, "columns") else checked
        ensemble = HistGradientBoostingClassifier() if self.ensemble is None else self.ensemble
        if not PrefittedEnsemble._is_trained(unfrozen(ensemble)):
            ensemble, X, y = self._trained(clone(ensemble), X, y)
        model = read_boosting(ensemble)
        X = exact_exit(model, 0).check(X, ensemble)
        y = codes_of(y, model.classes, "y")
        trees = model.trees
        count = check_member_count(self.size, trees.n_rounds)
        added = _contributions(model, X)
        self.selected_, self.weights_ = _selected(model, added, y, count, self.penalty)
        whole = trees.base + added.sum(axis=0)
        few = trees.base + np.tensordot(self.weights_, added[self.selected_], 1)
        self.loss_ = _loss(model, whole, y)[0] / len(y), _loss(model, few, y)[0] / len(y)
        self._source = ensemble
        self._exits = exact_exit(_reduced(model, self.selected_, self.weights_), 0)
        return self

    def predict(self, X: Any) -> NDArray:
        """Class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        check_is_fitted(self)
        codes, _ = self._exits.decide(self._checked(X))
        return self.classes_[codes]

    def predict_proba(self, X: Any) -> NDArray:
        """Probabilities of all classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
            Probabilities.
        """
        check_is_fitted(self)
        return self._exits.probabilities(self._checked(X), 0.0)[0]

    @property
    def classes_(self) -> NDArray:
        """Class labels."""
        check_is_fitted(self)
        return self._exits.model.classes

    def __sklearn_is_fitted__(self) -> bool:
        """Whether rounds have been selected."""
        return "_exits" in self.__dict__

    def __sklearn_tags__(self):
        """Tags with the input tags of the ensemble, where it has some."""
        tags = super().__sklearn_tags__()
        ensemble = HistGradientBoostingClassifier() if self.ensemble is None else self.ensemble
        if hasattr(ensemble, "__sklearn_tags__"):
            tags.input_tags.allow_nan = get_tags(ensemble).input_tags.allow_nan
        return tags

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


def _contributions(model, X):
    """Scores that each round adds to every row, shape (n_rounds, n_rows, n_outputs)."""
    from .compiled_sums import add_rounds  # imports numba

    trees = model.trees
    added = np.zeros((trees.n_rounds, len(X), len(trees.base)))
    parts = trees.nodes, trees.values, trees.kinds, trees.missing_right, trees.words
    general = trees.general or bool(np.isnan(X).any())
    add_rounds(parts, trees.roots, trees.outputs, X, general, added)
    return added


def _selected(model, added, y, count, penalty):
    """Indices of the rounds kept in the order in which they were added, and their weights."""
    spread = added.std(axis=1).sum(axis=1) + np.finfo(float).tiny
    base, left = model.trees.base, np.ones(len(added), dtype=bool)
    order: list[int] = []
    weights, refit_at = np.empty(0), 1.0
    scores = np.tile(base, (len(y), 1))
    while len(order) < count:
        _, gradient = _loss(model, scores, y)
        gains = -np.tensordot(added, gradient, 2) / spread
        best = int(np.argmax(np.where(left, gains, -np.inf)))
        order.append(best)
        left[best] = False
        weights = np.append(weights, 1.0)
        if len(order) >= refit_at or len(order) == count:
            weights = _reweighted(model, added[order], y, weights, penalty * spread[order])
            refit_at = max(len(order) + 1, _GROWTH * len(order))
        scores = base + np.tensordot(weights, added[order], 1)
    return np.array(order), weights


def _reweighted(model, added, y, weights, penalties):
    """Weights, none negative, of the least log-loss plus the penalty on their distance from one."""

    def objective(weights):
        loss, gradient = _loss(model, model.trees.base + np.tensordot(weights, added, 1), y)
        change = weights - 1
        return loss + penalties @ np.square(change) / 2, np.tensordot(added, gradient, 2) + penalties * change

    bounds = [(0.0, None)] * len(weights)
    return minimize(objective, weights, jac=True, method="L-BFGS-B", bounds=bounds).x


def _loss(model, scores, y):
    """Log-loss of all rows in nats, and its derivatives in the scores."""
    p = linked(scores, model.link, model.steepness)
    if model.link == "sigmoid":
        loss = np.logaddexp(0, np.where(y == 1, -1, 1) * model.steepness * scores[:, 0]).sum()
        return float(loss), model.steepness * (p[:, 1:] - y[:, None])
    truth = np.eye(len(model.classes))[y]
    if model.link == "softmax":
        top = scores.max(axis=1)
        total = top + np.log(np.exp(scores - top[:, None]).sum(axis=1))
        return float((total - scores[np.arange(len(y)), y]).sum()), p - truth
    loss = np.logaddexp(0, np.where(truth > 0, -1, 1) * model.steepness * scores).sum()
    return float(loss), model.steepness * (p - truth)


def _reduced(model, rounds, weights):
    """Model of the given rounds, their leaves times the weights."""
    trees = model.trees.in_order(rounds)
    factors = np.repeat(np.repeat(weights, trees.trees_per_round), trees.sizes)
    return replace(model, trees=replace(trees, values=trees.values * factors[:, None]))
