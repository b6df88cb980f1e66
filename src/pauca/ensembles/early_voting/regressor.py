"""Regressor ensembles that evaluate, for each row, only as many members as its mean needs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import BaggingRegressor, ExtraTreesRegressor, RandomForestRegressor

from ...export import PortableEnsemble
from ...validation import as_numbers, check_number, check_option, check_share
from ..checks import check_confidence, check_jobs
from ..early_exit import EarlyExitRegressor
from ..members import members_of
from ..portable import portable_members
from .mean_rules import RULES, mean_rule, tolerance_of_share
from .value_tally import ValueTally, regressors_of

_KINDS = (RandomForestRegressor, ExtraTreesRegressor, BaggingRegressor)
# Default tolerance as a share of the standard deviation of the targets.
_SHARE = 0.05
# Criteria of trees under which the impurity of the root is the variance of the targets.
_SQUARED_ERRORS = "squared_error", "friedman_mse"


class InstancePrunedRegressor(EarlyExitRegressor):
    """Evaluate the members of an ensemble one by one, for each row until their mean is known well enough.

    The prediction is the mean of the members evaluated; it lies within a tolerance of the mean of all members
    with a given probability.

    Parameters
    ----------
    ensemble : RandomForestRegressor, ExtraTreesRegressor or BaggingRegressor, default=None
        Ensemble to evaluate. A fitted one is used as it is, without a call of `fit`; `fit` fits a copy. By
        default a random forest.
    tolerance : float, default=None
        Largest distance from the mean of all members, in units of the target. By default a twentieth of the
        standard deviation of the targets, which trees grown by squared error know from their roots; other
        ensembles need a number.
    confidence : float, default=0.95
        Probability in (0.5, 1] that a prediction lies within the tolerance. With 1 all members are evaluated.
    rule : {"t", "bernstein"}, default="t"
        "t": Student's t for a finite population, an approximation. "bernstein": the empirical
        Bernstein-Serfling inequality, a guarantee that needs many more members; only for decision trees,
        whose range is known.
    n_jobs : int, default=None
        Number of threads for trees, as in scikit-learn.
    random_state : int, RandomState or None, default=None
        Seed of the order in which the members are evaluated, drawn once and the same for all rows; in `fit`
        also of an ensemble whose own ``random_state`` is None.

    Attributes
    ----------
    ensemble_ : estimator
        The fitted ensemble.
    tolerance_ : ndarray of shape (n_outputs,)
        Tolerance in units of each target.
    n_members_ : int
        Number of members.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `fit` got any.

    Notes
    -----
    The members evaluated are a sample without replacement from all T, in a random order that is independent
    of the rows. "bernstein" holds for every row with probability ``confidence`` over the orders, whatever the
    members, with its risk divided over the members after which it looks. "t" assumes roughly normal members
    and does not correct for looking again after every member. Both exclude chance in the members themselves:
    the mean of all T is the quantity that is estimated.

    With members that scatter by s about the mean, about ``T / (1 + T (tolerance / (z s))**2)`` of them are
    needed, and no rule for a random order can do with fewer: a mean of t of T numbers drawn without
    replacement has the standard deviation ``s sqrt(1 / t - 1 / T)``. A k-th of the members is enough at the
    tolerance ``z s sqrt((k - 1) / T)``, which exceeds ``s / sqrt(T)``, the error of the whole ensemble's mean
    as an estimate for infinitely many members; `tolerance_for` computes it. Trees of a forest scatter by half
    of the standard deviation of the targets or more: a fifth of 500 is enough at about a tenth of that
    deviation, and at a hundredth of it only of tens of thousands.

    References
    ----------
    Bardenet & Maillard, "Concentration inequalities for sampling without replacement", Bernoulli 21 (2015).

    Examples
    --------
    >>> from pauca import InstancePrunedRegressor
    >>> from pauca.datasets import make_friedman1
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> X, y = make_friedman1(500, random_state=0)
    >>> forest = RandomForestRegressor(200, random_state=0).fit(X[:300], y[:300])
    >>> fast = InstancePrunedRegressor(forest, tolerance=0.5, random_state=0)
    >>> mean, queries = fast.predict(X[300:], return_queries=True)
    >>> bool(abs(mean - forest.predict(X[300:])).max() < 0.9), bool(queries.mean() < 100)
    (True, True)
    """

    def __init__(
        self,
        ensemble: Any = None,
        tolerance: float | None = None,
        confidence: float = 0.95,
        *,
        rule: str = "t",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ):
        self.ensemble = ensemble
        self.tolerance = tolerance
        self.confidence = confidence
        self.rule = rule
        self.n_jobs = n_jobs
        self.random_state = random_state

    def tolerance_for(self, X: Any, share: float = 0.2) -> NDArray:
        """Tolerance at which a share of the members is enough, on average over rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows like those to be predicted; all members are evaluated on them.
        share : float, default=0.2
            Share of the members in (0, 1).

        Returns
        -------
        tolerance : ndarray of shape (n_outputs,)
            Tolerance in units of each target, for the confidence of this estimator and a random order.
        """
        check_share("share", share)
        members, _ = self._ready()
        if self.confidence == 1:
            raise ValueError("confidence must be below 1: with 1 all members are evaluated.")
        scatter = members.scatter(members.check_X(X), self.n_jobs)
        return tolerance_of_share(scatter, self.n_members_, self.confidence, share)

    @property
    def tolerance_(self) -> NDArray:
        """Tolerance in units of each target."""
        return self._ready()[1][-1].copy()

    def _portable(self) -> PortableEnsemble:
        """Portable form of all members, which evaluates every one of them."""
        members = members_of(self._fitted())
        return portable_members(type(self).__name__, members, self.n_features_in_, False, None)

    def _check_arguments(self):
        check_confidence(self.confidence)
        check_number("tolerance", self.tolerance, 0, strict=True, optional=True)
        check_option("rule", self.rule, RULES)
        ensemble = self._ensemble_or_default()
        if not isinstance(ensemble, _KINDS):
            raise ValueError(
                f"ensemble must be a {', '.join(kind.__name__ for kind in _KINDS[:-1])} or "
                f"{_KINDS[-1].__name__}; got {type(ensemble).__name__}."
            )

    def _ensemble_or_default(self):
        return RandomForestRegressor() if self.ensemble is None else self.ensemble

    def _remember(self, X, y):
        self._target_std = np.atleast_1d(np.std(as_numbers("y", y), axis=0))

    def _settings(self):
        return getattr(self._fitted(), "estimators_", None), self.tolerance, self.confidence, self.rule

    def _evaluation_of(self, ensemble):
        """Members in their order with the rule, and the fast evaluation of single rows of trees."""
        tolerance = self._tolerances(ensemble)
        order = self._kept_order(len(ensemble.estimators_))
        members = regressors_of(ensemble, order, len(tolerance))
        if self.rule == "bernstein" and members.ranges is None:
            raise ValueError('rule="bernstein" needs decision trees, whose range is known; use rule="t".')
        spread, fixed = mean_rule(len(ensemble.estimators_), self.confidence, self.rule)
        ranges = np.zeros(len(tolerance)) if members.ranges is None else members.ranges
        rule, single_row = (spread, fixed, ranges, tolerance), None
        if members.forest is not None and not hasattr(ensemble, "feature_names_in_"):
            evaluate, start = ValueTally(0, rule).single_row(members.forest)
            single_row = evaluate, (*start, members.shift, *rule), (1, ensemble.n_features_in_)
        return (members, rule), single_row

    def _answers(self, X):
        members, rule = self._ready()
        check_jobs(self.n_jobs)
        mean, queries = members.evaluate(members.check_X(X), rule, self.n_jobs)
        return (mean[:, 0] if mean.shape[1] == 1 else mean), queries

    def _tolerances(self, ensemble):
        """Tolerance of each output: the argument, or a share of the standard deviation of the targets."""
        deviations = self.__dict__.get("_target_std")
        if deviations is None:
            deviations = _root_deviations(ensemble)
        if self.tolerance is not None:
            n_outputs = getattr(ensemble, "n_outputs_", 1 if deviations is None else len(deviations))
            return np.full(n_outputs, float(self.tolerance))
        if deviations is None:
            raise ValueError("tolerance must be a number: the spread of the ensemble's targets is not known.")
        return np.maximum(_SHARE * deviations, np.finfo(float).tiny)


def _root_deviations(ensemble):
    """Mean over trees of the standard deviation of their targets by the roots; None where they do not say."""
    members = ensemble.estimators_
    if any(getattr(member, "criterion", None) not in _SQUARED_ERRORS for member in members):
        return None
    if any(member.n_outputs_ > 1 for member in members):
        return None
    return np.array([np.mean([np.sqrt(max(member.tree_.impurity[0], 0.0)) for member in members])])
