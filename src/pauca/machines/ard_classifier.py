"""Predictive automatic relevance determination."""

from collections.abc import Callable

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from ..basis import FeatureBasis, Kernel, Linear
from ..fitting import Limits, Recipe
from ..inference import ep
from ..likelihoods import Probit
from ..selection import CRITERIA, Criterion, novel
from ..validation import check_number, check_option
from .bases.kernel_classifier import VectorClassifier

# Limit on the terms that a round may change: few, so that the path misses no good model; set by hand.
_MAX_ACTIONS = 10


class ARDClassifier(SelectorMixin, VectorClassifier):
    """Sparse probit classifier that selects features or kernel columns by their leave-one-out error.

    The weights of features (``kernel="linear"``) or of kernel columns have Gaussian priors with a precision
    each. Maximising the evidence over the precisions removes one term after the other, and goes too far where
    there are many more terms than rows. Expectation propagation gives leave-one-out predictions of every
    model on this path at no extra cost; the model with the best ones is kept.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="linear"
        "linear": the terms are the features of X, and `transform` selects them. With any other kernel the
        terms are kernel columns centred on training rows: "rbf", "laplacian", "matern32", "matern52",
        "rational_quadratic", "poly", "cosine", "precomputed", a kernel of `pauca.basis` such as
        ``RBF() + Linear()``, or a function of two matrices that returns the matrix of kernel values.
    gamma : {"evidence", "loo", "cv", "scale"} or float, default="evidence"
        Kernel parameter, for kernels that have one. "evidence" maximises the log evidence less a penalty for
        the choice of the columns, "loo" the leave-one-out log density (each row without the column centred on
        it), "cv" the log density of held-out rows in five folds. "scale" is 1 / (n_features * X.var()). With
        more than 4000 rows the search uses 4000 of them, drawn at random.
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1.0
        Constant of the "poly" kernel.
    criterion : {"loo_error", "loo_probability", "evidence"}, default="loo_error"
        Criterion that chooses among the models of the path: the share of rows whose leave-one-out prediction
        is wrong, the mean leave-one-out probability of the wrong class, or the log evidence. Of equal models
        the first is kept.
    tail_scale : float, default=50.0
        Factor of the latent mean in "loo_probability". 1 gives the probability itself; larger values approach
        a count of errors without jumps.
    initial : float, default=0.07
        Share of the terms that the search starts with: those with the largest correlations with the labels,
        with prior variances that sum to one.
    shrinkage : bool, default=True
        Whether predictions use no term at all where no model of the path has an evidence that pays for the
        choice of its terms: labels drawn at random then have the probabilities of the base rates.
        ``relevance_`` stays as it was found.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn; only their ratios matter.
    min_gain : float, default=0.01
        Increase of the log evidence, in nats, that a term must bring to enter and to stay; larger values give
        fewer terms.
    tol : float, default=0.001
        Increase of the log evidence, in nats, below which a round that only re-estimates ends the search.
    max_iter : int, default=500
        Limit on the number of rounds.
    max_candidates : int or None, default=None
        Number of terms, drawn at random, that may enter; None: all of them.
    random_state : int, RandomState instance or None, default=0
        Seed or generator of the draws of candidates and rows.
    verbose : int, default=0
        0 is silent; 1 shows a bar and what was chosen; 2 prints each trial, on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    relevance_ : ndarray of shape (n_terms,)
        Indices of the features (``kernel="linear"``) or training rows that are kept.
    relevance_vectors_ : ndarray or sparse matrix of shape (n_terms, n_features)
        Training rows that are kept; empty for ``kernel="linear"`` and for a precomputed kernel.
    coef_ : ndarray of shape (n_latent, n_features)
        Posterior means of the weights of all features; for ``kernel="linear"`` only. ``n_latent`` is 1 for
        two classes, else n_classes.
    dual_coef_ : ndarray of shape (n_latent, n_terms)
        Posterior means of the weights of the terms.
    intercept_ : ndarray of shape (n_latent,)
        Posterior means of the constant terms.
    gamma_ : float
        Kernel parameter in use.
    log_evidence_ : float
        Log evidence of the model that is kept, summed over latent functions.
    path_ : structured ndarray
        One record for each round: machine (index of the latent function), log_evidence, n_terms, n_added,
        n_removed, loo_error, loo_probability and loo_log_density, leave-one-out estimates as means over rows.
    chosen_rounds_ : ndarray of shape (n_latent,)
        Index of the round, among those of its latent function in ``path_``, whose model is kept.
    trials_ : structured ndarray
        One record for each gamma that was tried: gamma, score, log_evidence, n_terms and scaled (always
        False).
    n_iter_ : int
        Number of rounds.
    converged_ : bool
        Whether the search ended before ``max_iter``.
    expansions_ : list of length n_latent
        Posterior of the weights of each latent function.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, if they were all strings.

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
        kernel: str | Kernel | Callable = "linear",
        gamma: str | float = "evidence",
        *,
        degree: float = 3,
        coef0: float = 1.0,
        criterion: str = "loo_error",
        tail_scale: float = 50.0,
        initial: float = 0.07,
        shrinkage: bool = True,
        class_weight: dict | str | None = None,
        min_gain: float = 1e-2,
        tol: float = 1e-3,
        max_iter: int = 500,
        max_candidates: int | None = None,
        random_state: int | RandomState | None = 0,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.criterion = criterion
        self.tail_scale = tail_scale
        self.initial = initial
        self.shrinkage = shrinkage
        self.class_weight = class_weight
        self.min_gain = min_gain
        self.tol = tol
        self.max_iter = max_iter
        self.max_candidates = max_candidates
        self.random_state = random_state
        self.verbose = verbose

    def _check_arguments(self) -> None:
        super()._check_arguments()
        check_number("min_gain", self.min_gain, 0)
        check_number("tol", self.tol, 0)
        check_option("criterion", self.criterion, CRITERIA)
        check_number("tail_scale", self.tail_scale, 0, strict=True)
        check_number("initial", self.initial, 0)
        if self.initial > 1:
            raise ValueError(f"initial must be a share between 0 and 1; got {self.initial!r}.")

    def _recipe(self) -> Recipe:
        criterion = Criterion(self.criterion, float(self.tail_scale))
        return Recipe(
            Probit(),
            ep,
            may_be_null=self.shrinkage,
            records_loo=True,
            criterion=criterion,
            initial_columns=self._most_correlated,
        )

    def _limits(self) -> Limits:
        options = {"max_candidates": self.max_candidates, "max_actions": _MAX_ACTIONS}
        return Limits(self.min_gain, self.tol, self.max_iter, **options)

    @property
    def _columns_are_given(self) -> bool:
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
    def coef_(self) -> NDArray:
        """Weights of the features (``kernel="linear"`` only), shape (n_latent, n_features)."""
        if self.kernel not in ("linear", Linear()):
            raise AttributeError("coef_ exists for kernel='linear' only.")
        coef = np.zeros((len(self.expansions_), self.n_features_in_))
        coef[:, self.relevance_] = self.dual_coef_
        return coef

    def _get_support_mask(self) -> NDArray:
        check_is_fitted(self)
        if self._kernel.name != "linear":
            return np.ones(self.n_features_in_, dtype=bool)
        return np.isin(np.arange(self.n_features_in_), self.relevance_)
