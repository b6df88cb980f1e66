"""Relevance vector machines."""

from dataclasses import replace

import numpy as np
from scipy.special import softmax
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets

from ..inference import exact, laplace
from ..likelihoods import Gaussian, Logit
from .validation import check_class_weight, check_option, check_size, check_weights
from .vector_machine import VectorMachine

# The machines of a many-class problem see the same rows: their odds are combined with less than full force.
_ODDS_POWER = 0.8
_MAX_PRECISION = 1e6


def _log_odds(likelihood, mean, var):
    """Logarithm of P(+1) / P(-1) with the latent value integrated out."""
    return likelihood.log_predictive(1.0, mean, var) - likelihood.log_predictive(-1.0, mean, var)


class RVMClassifier(ClassifierMixin, VectorMachine):
    """Sparse Bayesian kernel classifier with native probabilities.

    A logistic model f(x) = w_0 + Σ_j w_j k(x, x_j) whose weights have a Gaussian prior of their own
    precision each. Maximising the evidence leaves a handful of training rows, the relevance vectors, and
    a posterior over their weights, which ``predict_proba`` integrates over. No cross-validation is needed:
    the kernel parameter is learned with the rest.

    Parameters
    ----------
    kernel : {"rbf", "laplacian", "poly", "linear", "cosine", "precomputed"} or callable, default="rbf"
        Kernel. A callable takes two matrices and returns the matrix of kernel values.
    gamma : {"evidence", "loo", "cv", "scale"} or float, default="evidence"
        Kernel parameter of "rbf", "laplacian" and "poly". "evidence" maximises the log evidence less the
        price of choosing the columns, "loo" the leave-one-out log density (each row without the column
        centred on it), "cv" the log density of five held-out folds. "scale" is
        1 / (n_features * X.var()).
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1.0
        Constant of the "poly" kernel.
    inference : {"laplace"}, default="laplace"
        How the posterior of the weights is approximated.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn.
    min_gain : float, default=0.01
        What a column must be worth, in nats of log evidence, to enter and to stay.
    tol : float, default=0.001
        The search ends when a round that only re-estimates raises the log evidence by less.
    max_iter : int, default=500
        Limit on the number of rounds.
    max_candidates : int or None, default=500
        Number of training rows, drawn at random, that may become relevance vectors; None: all of them.
        Memory grows as n_samples * max_candidates.
    random_state : int, RandomState instance or None, default=0
        Source of the random start and of the draw of candidates.
    verbose : bool, default=False
        Report each value of gamma that is tried.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    relevance_ : ndarray of shape (n_relevance_vectors,)
        Rows of the training data that are kept.
    relevance_vectors_ : ndarray of shape (n_relevance_vectors, n_features)
        Those rows.
    dual_coef_ : ndarray of shape (n_machines, n_relevance_vectors)
        Posterior means of the weights; one machine for two classes, else one for each class.
    intercept_ : ndarray of shape (n_machines,)
        Posterior means of the constant terms.
    coef_ : ndarray of shape (n_machines, n_features)
        Weights of the features, for the linear kernel.
    gamma_ : float
        Kernel parameter in use.
    log_evidence_ : float
        Log evidence of the model that is kept, summed over machines.
    path_ : structured ndarray
        One record a round: machine, log_evidence, n_terms, n_added, n_removed.
    trials_ : structured ndarray
        One record for each gamma tried: gamma, score, log_evidence, n_terms.
    n_iter_ : int
        Number of rounds.
    converged_ : bool
        Whether the search ended before ``max_iter``.

    References
    ----------
    Tipping, "Sparse Bayesian learning and the relevance vector machine", JMLR 1 (2001); Tipping & Faul,
    "Fast marginal likelihood maximisation for sparse Bayesian models", AISTATS (2003).

    Examples
    --------
    >>> from laconic import RVMClassifier
    >>> from laconic.datasets import make_ripley
    >>> X, y = make_ripley(250, random_state=0)
    >>> machine = RVMClassifier().fit(X, y)
    >>> len(machine.relevance_) < 15
    True
    """

    def __init__(
        self,
        kernel="rbf",
        gamma="evidence",
        *,
        degree=3,
        coef0=1.0,
        inference="laplace",
        class_weight=None,
        min_gain=1e-2,
        tol=1e-3,
        max_iter=500,
        max_candidates=500,
        random_state=0,
        verbose=False,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.inference = inference
        self.class_weight = class_weight
        self.min_gain = min_gain
        self.tol = tol
        self.max_iter = max_iter
        self.max_candidates = max_candidates
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None):
        """Learn the relevance vectors and the posterior of their weights.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training data; for ``kernel="precomputed"`` the kernel matrix (n_samples, n_samples).
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            How many times each row counts.

        Returns
        -------
        self : RVMClassifier
        """
        self._check_arguments()
        check_option("inference", self.inference, ("laplace",))
        X, y = self._check_X(X, y)
        check_classification_targets(y)
        weights = check_weights(sample_weight, X) * check_class_weight(self.class_weight, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        n_present = len(np.unique(codes[weights > 0]))
        if n_present < 2:
            raise ValueError(f"{type(self).__name__} needs at least two classes in y; got {n_present} class.")
        self._fit_machines(X, codes, weights, self._one_against_rest, Logit(), laplace)
        return self

    def _one_against_rest(self, data):
        """Targets in {-1, +1}: one machine for two classes, else one for each class."""
        codes = range(len(self.classes_)) if len(self.classes_) > 2 else (1,)
        return [np.where(data.y == code, 1.0, -1.0) for code in codes]

    def decision_function(self, X):
        """Log odds of the predictive probability of each class (binary: of the second class)."""
        means, variances = self._latent(X)
        log_odds = _log_odds(self.expansions_[0].likelihood, means, variances)
        return log_odds[:, 0] if len(self.expansions_) == 1 else log_odds

    def predict_proba(self, X):
        """Probability of each class, integrated over the posterior of the weights.

        With more than two classes, p_k is proportional to the odds of machine k to the power 0.8.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; each row sums to one.
        """
        means, variances = self._latent(X)
        likelihood = self.expansions_[0].likelihood
        if len(self.expansions_) > 1:
            return softmax(_log_odds(likelihood, means, variances) * _ODDS_POWER, axis=1)
        return np.hstack([likelihood.predict(-means, variances), likelihood.predict(means, variances)])

    def predict(self, X):
        """Most probable class of each row."""
        most_probable = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[most_probable]


class RVMRegressor(RegressorMixin, VectorMachine):
    """Sparse Bayesian kernel regression with error bars.

    f(x) = w_0 + Σ_j w_j k(x, x_j) with Gaussian noise of learned variance and a Gaussian prior of its own
    precision for every weight. Maximising the evidence leaves a handful of training rows, the relevance
    vectors, and the posterior of their weights; the kernel parameter is learned with the rest.

    Parameters
    ----------
    kernel : {"rbf", "laplacian", "poly", "linear", "cosine", "precomputed"} or callable, default="rbf"
        Kernel. A callable takes two matrices and returns the matrix of kernel values.
    gamma : {"evidence", "loo", "cv", "scale"} or float, default="evidence"
        Kernel parameter; see `RVMClassifier`.
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1.0
        Constant of the "poly" kernel.
    inference : {"evidence"}, default="evidence"
        How precisions and noise are learned.
    min_gain, tol, max_iter, max_candidates, random_state, verbose
        See `RVMClassifier`.

    Attributes
    ----------
    noise_std_ : float
        Standard deviation of the noise.
    relevance_, relevance_vectors_, dual_coef_, intercept_, coef_, gamma_, log_evidence_, path_, trials_, \
n_iter_, converged_
        See `RVMClassifier`.

    References
    ----------
    Tipping, "Sparse Bayesian learning and the relevance vector machine", JMLR 1 (2001).

    Examples
    --------
    >>> from laconic import RVMRegressor
    >>> from laconic.datasets import make_sinc
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
        degree=3,
        coef0=1.0,
        inference="evidence",
        min_gain=1e-2,
        tol=1e-3,
        max_iter=500,
        max_candidates=500,
        random_state=0,
        verbose=False,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.inference = inference
        self.min_gain = min_gain
        self.tol = tol
        self.max_iter = max_iter
        self.max_candidates = max_candidates
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
        check_option("inference", self.inference, ("evidence",))
        X, y = self._check_X(X, y, y_numeric=True)
        check_size("y", y)
        weights = check_weights(sample_weight, X)
        centre = np.average(y, weights=weights)
        spread = np.sqrt(np.average(np.square(y - centre), weights=weights)) or 1.0
        self._fit_machines(
            X, (y - centre) / spread, weights, lambda data: [data.y], Gaussian(10.0, _MAX_PRECISION), exact
        )
        self._restore_units(centre, spread, weights.sum())
        return self

    def _restore_units(self, centre, spread, total_weight):
        """Put the posterior, the noise and the evidence back in the units of y."""
        expansion = self.expansions_[0]
        mean = expansion.mean * spread
        mean[0] += centre
        noise = Gaussian(expansion.likelihood.precision / spread**2)
        self.expansions_ = [replace(expansion, mean=mean, factor=expansion.factor / spread, likelihood=noise)]
        self.noise_std_ = float(noise.precision**-0.5)
        self.log_evidence_ -= total_weight * np.log(spread)
        self.path_["log_evidence"] -= total_weight * np.log(spread)
        self.trials_["log_evidence"] -= total_weight * np.log(spread)

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
