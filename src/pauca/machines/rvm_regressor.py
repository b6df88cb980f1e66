"""Relevance vector machine for regression."""

import numpy as np
from sklearn.base import RegressorMixin

from ..fitting import Limits, Recipe
from ..inference import exact
from ..likelihoods import GammaGaussian, Gaussian
from ..priors import Gamma
from ..validation import check_hyperprior, check_number, check_option, check_size, check_weights
from .bases.variational import VariationalAttributes, check_variational_arguments, variational_recipe
from .bases.vector_machine import VectorMachine

_MAX_PRECISION = 1e6


class RVMRegressor(RegressorMixin, VariationalAttributes, VectorMachine):
    """Sparse Bayesian kernel regression with error bars.

    f(x) = w_0 + Σ_j w_j k(x, x_j) with Gaussian noise of learned variance and a Gaussian prior of its own
    precision for every weight. Maximising the evidence leaves a handful of training rows, the relevance
    vectors, and the posterior of their weights; the kernel parameter is learned with the rest.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        "rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "poly", "linear", "cosine",
        "precomputed", or a kernel of `pauca.basis` such as ``RBF() + Linear()``. A callable takes two
        matrices and returns the matrix of kernel values.
    gamma : {"evidence", "loo", "cv", "scale"} or float, default="evidence"
        Kernel parameter; see `RVMClassifier`.
    feature_scales : {"evidence"} or None, default="evidence"
        Whether each feature gets a scale of its own in the distances of the "rbf" kernel, with
        ``gamma="evidence"`` and no more features than rows: the scales that maximise the evidence, if they
        are worth 1.5 nats each and 10 in all, else none.
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1.0
        Constant of the "poly" kernel.
    inference : {"evidence", "variational"}, default="evidence"
        How precisions and noise are learned: as the numbers that maximise the evidence, or as Gamma
        posteriors that maximise a lower bound on it.
    noise_hyperprior : (float, float), default=(1e-6, 1e-6)
        Shape and rate of the Gamma prior of the noise precision of targets with variance one; variational
        inference only.
    min_gain, tol, max_iter, max_candidates, hyperprior, threshold, random_state, verbose
        See `RVMClassifier`.

    Attributes
    ----------
    noise_std_ : float
        Standard deviation of the noise; for variational inference ⟨precision⟩^(-1/2).
    noise_posterior_ : Gamma
        Posterior of the noise precision in the units of y, for variational inference only.
    lower_bound_, alpha_posterior_, relevance_, relevance_vectors_, dual_coef_, intercept_, coef_, gamma_, \
feature_scales_, log_evidence_, path_, trials_, n_iter_, converged_
        See `RVMClassifier`.

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
        kernel="rbf",
        gamma="evidence",
        *,
        feature_scales="evidence",
        degree=3,
        coef0=1.0,
        inference="evidence",
        min_gain=1e-2,
        tol=1e-3,
        max_iter=500,
        max_candidates=500,
        hyperprior=(1e-6, 1e-6),
        noise_hyperprior=(1e-6, 1e-6),
        threshold=1e-3,
        random_state=0,
        verbose=False,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.feature_scales = feature_scales
        self.degree = degree
        self.coef0 = coef0
        self.inference = inference
        self.noise_hyperprior = noise_hyperprior
        self.min_gain = min_gain
        self.tol = tol
        self.max_iter = max_iter
        self.max_candidates = max_candidates
        self.hyperprior = hyperprior
        self.threshold = threshold
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None):
        """Learn the relevance vectors, the posterior of their weights and the noise.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training data; for ``kernel="precomputed"`` the kernel matrix (n_samples, n_samples).
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            How many times each row counts.

        Returns
        -------
        self : RVMRegressor
        """
        self._check_arguments()
        check_number("min_gain", self.min_gain, 0)
        check_number("tol", self.tol, 0)
        check_variational_arguments(self)
        check_hyperprior("noise_hyperprior", self.noise_hyperprior)
        check_option("inference", self.inference, ("evidence", "variational"))
        X, y = self._check_X(X, y, y_numeric=True)
        check_size("y", y)
        weights = check_weights(sample_weight, X)
        centre = np.average(y, weights=weights)
        spread = np.sqrt(np.average(np.square(y - centre), weights=weights)) or 1.0
        recipe = self._recipe(weights.sum())
        self._fit_expansions(X, (y - centre) / spread, weights, lambda data: [data.y], recipe)
        self._restore_units(centre, spread, weights.sum())
        return self

    def _recipe(self, n):
        """Q(w) is exact for Gaussian noise whether or not the precisions are known."""
        if self.inference == "variational":
            hyperprior = Gamma(*check_hyperprior("noise_hyperprior", self.noise_hyperprior))
            shape = hyperprior.shape + 0.5 * n
            return variational_recipe(self, GammaGaussian(10.0, _MAX_PRECISION, shape, hyperprior), exact)
        return Recipe(Gaussian(10.0, _MAX_PRECISION), exact)

    def _limits(self):
        min_weight = self.threshold if self.inference == "variational" else None
        options = {"max_candidates": self.max_candidates, "min_weight": min_weight}
        return Limits(self.min_gain, self.tol, self.max_iter, **options)

    def _restore_units(self, centre, spread, total_weight):
        """Put the posterior, the noise and the evidence back in the units of y."""
        self.expansions_ = [self.expansions_[0].in_units(centre, spread)]
        self.noise_std_ = float(self.expansions_[0].likelihood.precision ** -0.5)
        self.log_evidence_ -= total_weight * np.log(spread)
        self.path_["log_evidence"] -= total_weight * np.log(spread)
        self.trials_["log_evidence"] -= self._trial_weight * np.log(spread)
        if self._searches_gamma():
            self.trials_["score"] -= self._trial_weight * np.log(spread)

    def predict(self, X, return_std=False):
        """Predictive mean and, on request, its standard deviation (noise included).

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.
        return_std : bool, default=False
            Whether to return the standard deviation too.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
            Predictive means.
        std : ndarray of shape (n_samples,)
            Predictive standard deviations; only when ``return_std``.
        """
        means, variances = self._latent(X)
        mean, std = self.expansions_[0].likelihood.predict(means[:, 0], variances[:, 0])
        return (mean, std) if return_std else mean

    def predict_distribution(self, X):
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
        means, variances = self._latent(X)
        return self.expansions_[0].likelihood.predictive(means[:, 0], variances[:, 0])

    @property
    def noise_posterior_(self):
        """Posterior of the noise precision."""
        self._need_posteriors("noise_posterior_")
        return self.expansions_[0].likelihood.posterior
