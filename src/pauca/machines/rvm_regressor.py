"""Relevance vector machine for regression."""

from collections.abc import Callable
from typing import Any, Literal, Self, overload

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from ..atomic_fit import atomic
from ..basis import Kernel
from ..export import Link
from ..fitting import STARTS, Limits, Recipe
from ..inference import exact
from ..likelihoods import GammaGaussian, Gaussian
from ..numerics import steady_units
from ..priors import Gamma
from ..validation import check_case_weights, check_hyperprior, check_number, check_option, check_size
from .bases.variational import VariationalNoise, check_variational_arguments, variational_recipe
from .bases.vector_machine import VectorMachine
from .extrapolation import LinearFallback

# Noise precision of targets with variance one: the first, set by hand, and the largest, a numerical guard.
_FIRST_PRECISION, _MAX_PRECISION = 10.0, 1e6


class RVMRegressor(RegressorMixin, VariationalNoise, LinearFallback, VectorMachine):
    """Relevance vector machine for regression: sparse Bayesian kernel model with predictive uncertainty.

    f(x) = w_0 + Σ_j w_j k(x, x_j), Gaussian noise of learned variance, and a Gaussian prior with a precision
    of its own for every weight. Maximising the evidence over the precisions leaves few training rows, the
    relevance vectors, and a posterior over their weights. The kernel parameter is learned by the evidence,
    without cross-validation.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        Kernel: "rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "poly", "linear", "cosine",
        "precomputed", a kernel of `pauca.basis` such as ``RBF() + Linear()``, or a function of two matrices
        that returns the matrix of kernel values.
    gamma : {"evidence", "loo", "cv", "scale"} or float, default="evidence"
        Kernel parameter, for kernels that have one. "evidence" maximises the log evidence less a penalty for
        the choice of the columns, "loo" the leave-one-out log density (each row without the column centred on
        it), "cv" the log density of held-out rows in five folds. "scale" is 1 / (n_features * X.var()). With
        more than 4000 rows the search uses 4000 of them, drawn at random.
    feature_scales : {"evidence"} or None, default="evidence"
        "evidence" learns a scale for every feature in the distances of the "rbf" kernel, if
        ``gamma="evidence"`` and there are no more features than rows. The scales are kept if they raise the
        penalised log evidence by at least 1.5 nats for each feature and 10 nats in all. None: no scales.
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1.0
        Constant of the "poly" kernel.
    inference : {"evidence", "variational"}, default="evidence"
        Treatment of the precisions of weights and noise: "evidence" maximises the evidence over them,
        "variational" finds Gamma posteriors that maximise a lower bound on it.
    start : {"random", "empty", "all"}, default="random"
        First model of the search: a few random columns, the constant term alone, or all candidates. With
        "all", variational inference keeps every column whose weight is above ``threshold``, as in the paper.
    min_gain : float, default=0.01
        Increase of the log evidence, in nats, that a column must bring to enter and to stay; larger values
        give fewer columns.
    tol : float, default=0.001
        Increase of the log evidence, in nats, below which a round that only re-estimates ends the search.
    max_iter : int, default=500
        Limit on the number of rounds.
    max_candidates : int or None, default=500
        Number of training rows, drawn at random, that may become relevance vectors; None: all of them. Memory
        grows as n_samples * max_candidates.
    hyperprior : tuple (float, float), default=(1e-6, 1e-6)
        Shape and rate of the Gamma prior of the precisions of the weights, for columns and targets of
        variance one; variational inference only.
    noise_hyperprior : tuple (float, float), default=(1e-6, 1e-6)
        Shape and rate of the Gamma prior of the noise precision, for targets of variance one; variational
        inference only.
    threshold : float, default=0.001
        Absolute mean weight, in the units of ``hyperprior``, below which a column is dropped; variational
        inference only.
    fallback : bool, default=True
        Whether predictions are a mixture with a Bayesian linear model, which has the larger share the larger
        the variance of f is beside the noise and the smaller the evidence of the machine: large weights
        cannot run away outside of the data. Not for precomputed kernels and above 500 features.
    extra_basis : bool, default=False
        Whether each row that is predicted gets a basis function of its own (RVM*), so that the variance
        grows away from the training rows. All of these are kept and cost time in every prediction.
    random_state : int, RandomState instance or None, default=0
        Seed or generator of the random start and of the draws of candidates and rows.
    verbose : int, default=0
        0 is silent; 1 shows a bar and what was chosen; 2 prints each trial, on standard error.

    Attributes
    ----------
    relevance_ : ndarray of shape (n_relevance_vectors,)
        Indices of the training rows that are kept.
    relevance_vectors_ : ndarray or sparse matrix of shape (n_relevance_vectors, n_features)
        Training rows that are kept; empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (1, n_relevance_vectors)
        Posterior means of the weights of the kernel columns.
    intercept_ : ndarray of shape (1,)
        Posterior mean of the constant term.
    coef_ : ndarray of shape (1, n_features)
        Weights of the features; for ``kernel="linear"`` only.
    gamma_ : float
        Kernel parameter in use.
    feature_scales_ : ndarray of shape (n_features,)
        Factors of the features in the kernel, with mean square one; all are one where no scales were kept.
        Missing for ``feature_scales=None``.
    noise_std_ : float
        Standard deviation of the noise; for variational inference E[precision]^(-1/2).
    noise_posterior_ : Gamma
        Posterior of the noise precision in the units of y; variational inference only.
    log_evidence_ : float
        Log evidence of y given the columns that are kept; for variational inference the lower bound.
    lower_bound_ : float
        Lower bound on the log evidence, equal to ``log_evidence_``; variational inference only.
    alpha_posterior_ : Gamma
        Posteriors of the precisions of ``dual_coef_``, with arrays ``shape`` and ``rate`` of its shape;
        variational inference only.
    path_ : structured ndarray
        One record a round: machine (0), log_evidence (variational: lower bound), n_terms, n_added, n_removed.
    trials_ : structured ndarray
        One record for each gamma that was tried: gamma, score, log_evidence, n_terms and scaled (whether the
        features had scales).
    n_iter_ : int
        Number of rounds.
    converged_ : bool
        Whether the search ended before ``max_iter``.
    expansions_ : list of length 1
        Posterior of the weights of the latent function.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, if they were all strings.

    References
    ----------
    Tipping, "Sparse Bayesian learning and the relevance vector machine", JMLR 1 (2001); Bishop & Tipping,
    "Variational relevance vector machines", UAI (2000).

    Examples
    --------
    >>> from pauca import RVMRegressor
    >>> from pauca.datasets import make_sinc
    >>> X, y = make_sinc(100, random_state=0)
    >>> machine = RVMRegressor().fit(X, y)
    >>> mean, std = machine.predict([[0.0]], return_std=True)
    >>> bool(abs(mean[0] - 1) < 0.1)
    True
    """

    def __init__(
        self,
        kernel: str | Kernel | Callable = "rbf",
        gamma: str | float = "evidence",
        *,
        feature_scales: str | None = "evidence",
        degree: float = 3,
        coef0: float = 1.0,
        inference: str = "evidence",
        start: str = "random",
        min_gain: float = 1e-2,
        tol: float = 1e-3,
        max_iter: int = 500,
        max_candidates: int | None = 500,
        hyperprior: tuple[float, float] = (1e-6, 1e-6),
        noise_hyperprior: tuple[float, float] = (1e-6, 1e-6),
        threshold: float = 1e-3,
        fallback: bool = True,
        extra_basis: bool = False,
        random_state: int | RandomState | None = 0,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.feature_scales = feature_scales
        self.degree = degree
        self.coef0 = coef0
        self.inference = inference
        self.start = start
        self.noise_hyperprior = noise_hyperprior
        self.min_gain = min_gain
        self.tol = tol
        self.max_iter = max_iter
        self.max_candidates = max_candidates
        self.hyperprior = hyperprior
        self.threshold = threshold
        self.fallback = fallback
        self.extra_basis = extra_basis
        self.random_state = random_state
        self.verbose = verbose

    @atomic
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the relevance vectors, the posterior of their weights and the noise.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training data; for ``kernel="precomputed"`` the kernel matrix (n_samples, n_samples).
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Number of times each row counts.

        Returns
        -------
        self : RVMRegressor
            The fitted estimator.
        """
        self._check_arguments()
        check_variational_arguments(self)
        check_number("min_gain", self.min_gain, 0)
        check_number("tol", self.tol, 0)
        check_hyperprior("noise_hyperprior", self.noise_hyperprior)
        check_option("inference", self.inference, ("evidence", "variational"))
        check_option("start", self.start, tuple(STARTS))
        X, targets = self._check_X(X, y, y_numeric=True)
        check_size("y", targets)
        weights = check_case_weights(sample_weight, X)
        centre, spread = steady_units(targets, weights)
        recipe = self._recipe(weights.sum())
        self._fit_expansions(X, (targets - centre) / spread, weights, lambda data: [data.y], recipe)
        self._restore_units(centre, spread, weights.sum())
        self._fit_linear(X, targets, weights)
        return self

    def _recipe(self, n: float) -> Recipe:
        """Exact inference of the weights, for ``n`` rows and Gaussian noise."""
        if self.inference == "variational":
            shape, rate = check_hyperprior("noise_hyperprior", self.noise_hyperprior)
            noise = GammaGaussian(_FIRST_PRECISION, _MAX_PRECISION, shape + 0.5 * n, Gamma(shape, rate))
            return variational_recipe(self, noise, exact)
        start: dict[str, Any] = {"initial_columns": STARTS[self.start], "warm_starts": self.start == "random"}
        return Recipe(Gaussian(_FIRST_PRECISION, _MAX_PRECISION), exact, **start)

    def _link(self) -> Link:
        return Link("number", self.expansions_[0].likelihood)

    def _limits(self) -> Limits:
        min_weight = self.threshold if self.inference == "variational" else None
        return Limits(self.min_gain, self.tol, self.max_iter, self.max_candidates, None, min_weight)

    def _restore_units(self, centre: float, spread: float, total_weight: float) -> None:
        """Put the posterior, the noise and the evidence back in the units of y."""
        self.expansions_ = [self.expansions_[0].in_units(centre, spread)]
        self._extra = [extra.in_units(spread) for extra in self._extra]
        self.noise_std_ = float(self.expansions_[0].likelihood.precision ** -0.5)
        self.log_evidence_ -= total_weight * np.log(spread)
        self.path_["log_evidence"] -= total_weight * np.log(spread)
        self.trials_["log_evidence"] -= self._trial_weight * np.log(spread)
        if self._searches_gamma():
            self.trials_["score"] -= self._trial_weight * np.log(spread)

    @overload
    def predict(self, X: ArrayLike, return_std: Literal[False] = False) -> NDArray: ...

    @overload
    def predict(self, X: ArrayLike, return_std: Literal[True]) -> tuple[NDArray, NDArray]: ...

    @overload
    def predict(self, X: ArrayLike, return_std: bool) -> NDArray | tuple[NDArray, NDArray]: ...

    def predict(self, X: ArrayLike, return_std: bool = False) -> NDArray | tuple[NDArray, NDArray]:
        """Predictive mean and, on request, predictive standard deviation, noise included.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.
        return_std : bool, default=False
            Whether to return the standard deviations too.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
            Predictive means.
        std : ndarray of shape (n_samples,)
            Predictive standard deviations; only when ``return_std``.
        """
        moments = self._latent_value(X)
        mean, std = self.expansions_[0].likelihood.predict(*moments)
        return (mean, std) if return_std else mean

    def predict_distribution(self, X: ArrayLike) -> Any:
        """Predictive distribution of new observations.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        distribution : frozen distribution of scipy.stats
            Normal with the moments of ``predict``; for variational inference Student's t, which
            integrates over the noise precision too and has heavier tails where there are few rows.
        """
        moments = self._latent_value(X)
        return self.expansions_[0].likelihood.predictive(*moments)
