"""Predictive automatic relevance determination."""

import numpy as np
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from ..basis import FeatureBasis, Linear
from ..fitting import Limits, Recipe
from ..inference import ep
from ..likelihoods import Probit
from ..selection import CRITERIA, Criterion, novel
from ..validation import check_number, check_option
from .bases.kernel_classifier import VectorClassifier

# Limit on the terms that a round may change: few, so that the path misses no good model; set by hand.
_MAX_ACTIONS = 10


class ARDClassifier(SelectorMixin, VectorClassifier):
    """Sparse probit classifier that chooses its terms by their leave-one-out error, at no extra cost.

    The weights of features (``kernel="linear"``) or of kernel columns have Gaussian priors of their own
    precision each. Maximising the evidence removes one term after the other, and where there are many more
    terms than rows it goes too far. Expectation propagation predicts every row from the others on the way;
    the machine is the point of the way where those predictions are best.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="linear"
        "linear": the terms are the features of X, and the machine is a feature selector too. Otherwise the
        terms are kernel columns centred on training rows, which use all features: "rbf", "laplacian",
        "matern32", "matern52", "rational_quadratic", "poly", "cosine", "precomputed", a kernel of
        `pauca.basis` such as ``RBF() + Linear()``, or a function of two matrices.
    gamma : {"evidence", "loo", "cv", "scale"} or float, default="evidence"
        Kernel parameter, if there is one; see `RVMClassifier`.
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1.0
        Constant of the "poly" kernel.
    criterion : {"loo_error", "loo_probability", "evidence"}, default="loo_error"
        What chooses among the models of the path: the number of rows that the others predict wrongly, the
        mean probability of that, or the evidence. Of equal models the earliest is taken.
    tail_scale : float, default=50.0
        The probability that a row is wrong is Ψ(−tail_scale · z) for a row predicted with z standard
        deviations. One gives the probability itself; a large value a count of errors without jumps.
    initial : float, default=0.07
        Share of the terms that the search begins with, those with the largest correlations with the labels.
        Together they have a prior variance of one.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn; only their ratios count.
    min_gain : float, default=0.01
        What a term must be worth, in nats of log evidence, to enter and to stay.
    tol : float, default=0.001
        The search ends when a round that only re-estimates raises the log evidence by less.
    max_iter : int, default=500
        Limit on the number of rounds.
    max_candidates : int or None, default=None
        Number of terms, drawn at random, that are looked at; None: all of them.
    random_state : int, RandomState instance or None, default=0
        Source of the draw of candidates.
    verbose : bool, default=False
        Report each value of gamma that is tried.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    relevance_ : ndarray of shape (n_terms,)
        Features that are kept (``kernel="linear"``), or rows of the training data.
    relevance_vectors_ : ndarray of shape (n_terms, n_features)
        Those rows; empty for features.
    coef_ : ndarray of shape (n_machines, n_features)
        Posterior means of the weights of all features, for ``kernel="linear"``; one machine for two
        classes, else one for each class.
    dual_coef_ : ndarray of shape (n_machines, n_terms)
        Posterior means of the weights of the terms.
    intercept_ : ndarray of shape (n_machines,)
        Constant terms.
    gamma_ : float
        Kernel parameter in use.
    log_evidence_ : float
        Log evidence of the model that is kept, summed over machines.
    path_ : structured ndarray
        One record a round: machine, log_evidence, n_terms, n_added, n_removed, loo_error, loo_probability,
        loo_log_density, the last three as means over rows.
    chosen_rounds_ : ndarray of shape (n_machines,)
        Which record of its path each machine is.
    trials_ : structured ndarray
        One record for each gamma tried: gamma, score, log_evidence, n_terms, scaled (never).
    n_iter_ : int
        Number of rounds.
    converged_ : bool
        Whether the search ended before ``max_iter``.

    References
    ----------
    Qi, Minka, Picard & Ghahramani, "Predictive automatic relevance determination by expectation
    propagation", ICML (2004).

    Examples
    --------
    >>> import numpy as np
    >>> from pauca import ARDClassifier
    >>> X = np.random.default_rng(0).normal(size=(60, 500))
    >>> y = X[:, 3] - X[:, 7] > 0
    >>> machine = ARDClassifier(criterion="evidence").fit(X, y)
    >>> sorted(int(feature) for feature in machine.relevance_)[:2]
    [3, 7]
    >>> machine.transform(X).shape == (60, len(machine.relevance_))
    True
    """

    def __init__(
        self,
        kernel="linear",
        gamma="evidence",
        *,
        degree=3,
        coef0=1.0,
        criterion="loo_error",
        tail_scale=50.0,
        initial=0.07,
        class_weight=None,
        min_gain=1e-2,
        tol=1e-3,
        max_iter=500,
        max_candidates=None,
        random_state=0,
        verbose=False,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.criterion = criterion
        self.tail_scale = tail_scale
        self.initial = initial
        self.class_weight = class_weight
        self.min_gain = min_gain
        self.tol = tol
        self.max_iter = max_iter
        self.max_candidates = max_candidates
        self.random_state = random_state
        self.verbose = verbose

    def _check_arguments(self):
        super()._check_arguments()
        check_number("min_gain", self.min_gain, 0)
        check_number("tol", self.tol, 0)
        check_option("criterion", self.criterion, CRITERIA)
        check_number("tail_scale", self.tail_scale, 0, strict=True)
        check_number("initial", self.initial, 0)
        if self.initial > 1:
            raise ValueError(f"initial must be a share between 0 and 1; got {self.initial!r}.")

    def _recipe(self):
        criterion = Criterion(self.criterion, float(self.tail_scale))
        return Recipe(
            Probit(), ep, records_loo=True, criterion=criterion, initial_columns=self._most_correlated
        )

    def _limits(self):
        options = {"max_candidates": self.max_candidates, "max_actions": _MAX_ACTIONS}
        return Limits(self.min_gain, self.tol, self.max_iter, **options)

    @property
    def _columns_are_given(self):
        return super()._columns_are_given or self._kernel.name == "linear"

    def _basis(self, data, gamma, scales=None):
        linear = self._kernel.name == "linear"
        return FeatureBasis(data.X) if linear else super()._basis(data, gamma, scales)

    def _most_correlated(self, search):
        """Candidates most correlated with the labels, with a prior variance of one all together."""
        pool, targets = search.pool, search.weights * search.y
        correlation = np.concatenate([np.abs(columns.T @ targets) for columns in pool])
        size = max(1, round(self.initial * len(pool.candidates)))
        first = pool.candidates[np.argsort(-correlation, kind="stable")[:size]]
        first = np.sort(first[novel(pool.columns(first), np.empty((len(search.y), 0)))])
        return first, np.full(len(first), float(max(len(first), 1)))

    def _store(self, data, trial, basis, targets, recipe):
        super()._store(data, trial, basis, targets, recipe)
        self.chosen_rounds_ = np.array([fit.chosen for fit in trial.fits])

    @property
    def coef_(self):
        """Weights of the features (``kernel="linear"`` only), shape (n_machines, n_features)."""
        if self.kernel not in ("linear", Linear()):
            raise AttributeError("coef_ exists for kernel='linear' only.")
        coef = np.zeros((len(self.expansions_), self.n_features_in_))
        coef[:, self.relevance_] = self.dual_coef_
        return coef

    def _get_support_mask(self):
        check_is_fitted(self)
        if self._kernel.name != "linear":
            return np.ones(self.n_features_in_, dtype=bool)
        return np.isin(np.arange(self.n_features_in_), self.relevance_)
