"""Classifier ensembles that evaluate, for each row, only as many members as its decision needs."""

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from ...export import PortableEnsemble
from ...validation import check_option
from ..checks import VOTINGS, check_confidence, check_jobs
from ..early_exit import EarlyExitClassifier
from ..portable import portable_voters
from .rules import vote_rule
from .tally import posterior_shares
from .voters import ENGINES, check_kind, expected_queries, single_row_of, voters_of


class InstancePrunedClassifier(EarlyExitClassifier):
    """Evaluate the members of an ensemble one after another, for each row only until its class is decided.

    The predicted class is that of the whole ensemble with a given probability; most rows need a few of many
    members.

    Parameters
    ----------
    ensemble : RandomForestClassifier, ExtraTreesClassifier or BaggingClassifier, default=None
        Ensemble to evaluate. A fitted one is used as it is, without a call of `fit`; `fit` fits a copy. By
        default a random forest.
    confidence : float, default=0.99
        Probability in (0.5, 1] that the predicted class is that of the whole ensemble, on average over rows.
        With 1 it always is.
    voting : {"auto", "hard", "soft"}, default="auto"
        Prediction of the whole ensemble: the class with most votes ("hard") or, as in scikit-learn, with the
        largest mean probability ("soft"). The two are the same for trees whose leaves are pure; then, or if
        impure leaves hold less than a fifth of ``1 - confidence`` of the training rows, "auto" is "hard".
    engine : {"auto", "compiled", "members"}, default="auto"
        "compiled" sends rows through one array of all nodes, "members" calls the members themselves. "auto"
        is "compiled" for decision trees and "members" for everything else. Both give the same predictions.
    n_jobs : int, default=None
        Number of threads of the compiled engine, as in scikit-learn.
    random_state : int, RandomState or None, default=None
        Seed of the order in which the members are evaluated, drawn once and the same for all rows; in `fit`
        also of an ensemble whose own ``random_state`` is None.

    Attributes
    ----------
    ensemble_ : estimator
        The fitted ensemble.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_members_ : int
        Number of members.
    voting_ : {"hard", "soft"}
        Kind of voting in use.
    rule_ : {"exact", "bound", "student"}
        Stopping rule in use: the Polya urn exactly (two classes; three up to 1024 members), a bound of it
        that stops later (more), or Student's t of mean probabilities.
    expected_queries_ : float
        Expected number of members evaluated on a new row, from the out-of-bag votes of the training rows;
        only after `fit`, and nan unless members are trained on resampled rows.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `fit` got any.

    Notes
    -----
    Votes: after t of T members the votes to come follow a Polya urn, and evaluation stops when the leader
    wins the full vote with probability ``confidence``; see `vote_thresholds`. The guarantee holds on average
    over rows whose vote counts are all equally likely; rows near a tie disagree more often, clear rows almost
    never.

    Means: evaluation stops when the probabilities that the leader's mean probability is overtaken, one for
    each rival, add up to at most ``1 - confidence``. They come from Student's t for the mean lead over the
    members evaluated, with the correction for a finite ensemble and two imaginary opposite votes; for more
    than two classes the variance is an upper bound. This guarantee is approximate: it assumes that the leads
    of the members are roughly normal.

    References
    ----------
    D. Hernández-Lobato, "Prediction Based on Averages over Automatically Induced Learners", 2009, section
    3.3.

    Examples
    --------
    >>> from pauca import InstancePrunedClassifier
    >>> from pauca.datasets import make_twonorm
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = make_twonorm(500, random_state=0)
    >>> forest = RandomForestClassifier(101, random_state=0).fit(X[:300], y[:300])
    >>> fast = InstancePrunedClassifier(forest, random_state=0)
    >>> labels, queries = fast.predict(X[300:], return_queries=True)
    >>> bool((labels == forest.predict(X[300:])).mean() >= 0.99), bool(queries.mean() < 30)
    (True, True)
    """

    def __init__(
        self,
        ensemble: Any = None,
        confidence: float = 0.99,
        *,
        voting: str = "auto",
        engine: str = "auto",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ):
        self.ensemble = ensemble
        self.confidence = confidence
        self.voting = voting
        self.engine = engine
        self.n_jobs = n_jobs
        self.random_state = random_state

    @overload
    def predict_proba(self, X: Any, return_std: Literal[False] = False) -> NDArray: ...
    @overload
    def predict_proba(self, X: Any, return_std: Literal[True]) -> tuple[NDArray, NDArray]: ...
    def predict_proba(self, X: Any, return_std: bool = False) -> NDArray | tuple[NDArray, NDArray]:
        """Posterior mean of the vote share, or of the mean probability, of each class in the whole ensemble.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        return_std : bool, default=False
            Whether to return posterior standard deviations, too.

        Returns
        -------
        shares : ndarray of shape (n_samples, n_classes)
            Posterior means: members that were evaluated count with their answers, the others with the mean of
            the Polya urn. The largest share is that of the predicted class.
        std : ndarray of shape (n_samples, n_classes)
            Posterior standard deviations, zero where all members were evaluated; only if ``return_std``.
        """
        shares, std = posterior_shares(self._tally(X), self.n_members_)
        return (shares, std) if return_std else shares

    def _check_arguments(self):
        check_confidence(self.confidence)
        check_kind(self._ensemble_or_default())
        check_option("voting", self.voting, VOTINGS)
        check_option("engine", self.engine, ENGINES)

    def _ensemble_or_default(self):
        return RandomForestClassifier() if self.ensemble is None else self.ensemble

    @property
    def voting_(self) -> str:
        """Kind of voting in use, "hard" or "soft"."""
        return "soft" if self._ready().soft else "hard"

    @property
    def rule_(self) -> str:
        """Stopping rule in use: "exact" or "bound" for votes, "student" for means."""
        voters = self._ready()
        return "student" if voters.soft else vote_rule(len(voters.members), len(voters.classes))

    def _remember(self, X, y):
        voters = self._ready()
        self.expected_queries_ = expected_queries(voters, voters.check_X(X), self.confidence)

    def _settings(self):
        return getattr(self._fitted(), "estimators_", None), self.confidence, self.voting, self.engine

    def _evaluation_of(self, ensemble):
        order = self._kept_order(len(ensemble.estimators_))
        voters = voters_of(ensemble, self.confidence, self.voting, self.engine, order)
        return voters, single_row_of(voters, self.confidence)

    def _portable(self) -> PortableEnsemble:
        """Portable form of the fitted ensemble and its stopping rule."""
        voters = self._ready()
        return portable_voters(type(self).__name__, voters, self.confidence, self.n_features_in_)

    def _answers(self, X):
        tally = self._tally(X)
        return tally.totals.argmax(axis=1), tally.queries

    def _tally(self, X):
        """Partial sums of the rows of X when they are decided."""
        voters = self._ready()
        check_jobs(self.n_jobs)
        return voters.evaluate(voters.check_X(X), self.confidence, self.n_jobs)
