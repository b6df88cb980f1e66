"""Ordered classes by a Gaussian process carried by few vectors."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ...atomic_fit import atomic
from ...basis import Kernel
from ...config import LinksToSite
from ...export import Link, Portable, Shippable
from ...fitting import training_rows
from ...fitting.processes import fit_process
from ...likelihoods import CumulativeProbit
from ...numerics import threads_for
from ...numerics.quadrature import normal_grid, spread
from ...validation import check_rows, check_seed, check_size
from ..bases.classification import ProbabilisticClassifier, check_labels
from ..portable import portable_processes
from .settings import ProcessSettings, moments
from .uncertainty import feature_shares, share_left

# Rows whose entropies are integrated at a time; bounds the memory.
_CHUNK = 1024


class SparseGPOrdinalClassifier(
    LinksToSite, ProcessSettings, ProbabilisticClassifier, Shippable, BaseEstimator
):
    """Gaussian-process classification of ordered classes: grades, ratings, stages.

    There is one latent function f(x) = constant + linear trend + Gaussian process, as in
    `SparseGPRegressor`, and a row belongs to the class between whose thresholds f plus normal noise falls.
    The thresholds are learned with the kernel, the amplitude and a scale for every feature by the evidence,
    so that classes need not be evenly spaced; few training rows carry the posterior. Far from all data the
    classes have about their base rates if there is no trend.

    Parameters
    ----------
    kernel : {"auto", "rbf", "matern32", "matern52", ...}, Kernel or callable, default="auto"
        Kernel of standardised features. "auto" takes the one of "rbf", "matern52" and "matern32" with the
        largest evidence. A callable takes two matrices and returns the matrix of kernel values.
    classes : array-like or None, default=None
        All classes from the lowest to the highest; None: the sorted labels of y.
    trend : {"evidence"} or bool, default="evidence"
        Whether there is a linear trend; "evidence": if the evidence is larger with it.
    feature_scales : {"evidence"} or None, default="evidence"
        Whether each feature gets a scale of its own in the kernel: the scales that maximise the evidence,
        if they raise it by 0.75 nats each and 3 in all, else none.
    max_vectors : int or float, default=0.1
        Largest number of vectors, or their share of the distinct training rows, and at least 10, if it is a
        float below one.
    min_gain : float, default=0.05
        Rise of the lower bound on the log evidence, in nats, below which no vector is added.
    max_candidates : int or None, default=500
        Number of training rows, drawn at random, that may become vectors; None: all of them.
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1.0
        Constant of the "poly" kernel.
    random_state : int, RandomState instance or None, default=0
        Source of the draws of rows.
    verbose : int, default=0
        0 is silent; 1 shows a bar and what was chosen; 2 prints each trial, on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Classes from the lowest to the highest.
    thresholds_ : ndarray of shape (n_classes - 1,)
        Values of f between neighbouring classes, in standard deviations of the noise; the first is zero.
    kernel_ : Kernel
        Kernel with its gamma, of standardised features times ``feature_scales_``.
    gamma_ : float
        Kernel parameter.
    feature_scales_ : ndarray of shape (n_features,)
        Factors of the standardised features in the kernel; large for features that matter.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the mean squared distance between training rows as the kernel sees them.
    amplitude_ : float
        Prior standard deviation of f.
    has_trend_ : bool
        Whether there is a linear trend.
    relevance_ : ndarray of shape (n_vectors,)
        Rows of the training data that are vectors.
    relevance_vectors_ : ndarray of shape (n_vectors, n_features)
        Features of those rows.
    log_evidence_ : float
        Laplace approximation of the log evidence of the hyperparameters, of at most 400 rows.
    trials_ : structured ndarray
        One record for each trial of hyperparameters: kernel, gamma, trend, scaled (whether features had
        scales), score (penalised log evidence), log_evidence.
    converged_ : bool
        Whether no vector was left to add at ``max_vectors``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X has them.

    References
    ----------
    Chu & Ghahramani, "Gaussian processes for ordinal regression", JMLR 6 (2005).

    Examples
    --------
    >>> import numpy as np
    >>> from pauca import SparseGPOrdinalClassifier
    >>> X = np.random.default_rng(0).uniform(-2, 2, size=(120, 1))
    >>> y = np.digitize(X[:, 0], [-1.0, 0.5])
    >>> machine = SparseGPOrdinalClassifier().fit(X, y)
    >>> machine.predict([[-2.0], [0.0], [1.5]]).tolist()
    [0, 1, 2]
    """

    _scheme = "ordinal"

    def __init__(
        self,
        kernel: str | Kernel | Callable = "auto",
        *,
        classes: ArrayLike | None = None,
        trend: str | bool = "evidence",
        feature_scales: str | None = "evidence",
        max_vectors: int | float = 0.1,
        min_gain: float = 0.05,
        max_candidates: int | None = 500,
        degree: float = 3,
        coef0: float = 1.0,
        random_state: Any = 0,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.classes = classes
        self.trend = trend
        self.feature_scales = feature_scales
        self.max_vectors = max_vectors
        self.min_gain = min_gain
        self.max_candidates = max_candidates
        self.degree = degree
        self.coef0 = coef0
        self.random_state = random_state
        self.verbose = verbose

    @atomic
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the thresholds, the hyperparameters, the vectors and the posterior of their weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            How many times each row counts.

        Returns
        -------
        self : SparseGPOrdinalClassifier
            The fitted machine.
        """
        self._check_arguments()
        rows, labels = check_rows(self, X, y, dtype=np.float64)
        check_size("X", rows)
        self._n_seen = rows.shape[0]
        found, codes, weights = check_labels(self, rows, labels, sample_weight)
        self.classes_, codes = _in_order(self.classes, found, codes)
        shares = np.bincount(codes, weights, len(self.classes_)) / weights.sum()
        seed = int(check_seed(self.random_state).randint(np.iinfo(np.int32).max))
        standards = moments(rows, weights)
        data = training_rows((rows - standards[0]) / standards[1], codes.astype(float), weights)
        likelihood = CumulativeProbit.of_shares(shares)
        with threads_for(len(data.y) * (self.max_candidates or len(data.y))):
            fit = fit_process(self._process_problem(data, likelihood, seed, learns_constant=True))
        self._store(data, fit, standards, (0.0, 1.0))
        self.thresholds_ = fit.likelihood.thresholds
        return self

    def predict_proba(self, X: ArrayLike) -> NDArray:
        """Probability of each class, integrated over f.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; each row sums to one.
        """
        mean, var = self._latent(X)
        return self._likelihood.predict(mean, var)

    def _portable(self) -> Portable:
        link = Link(self._scheme, self._likelihood)
        return portable_processes(self, self._posteriors, self._standards, (0.0, 1.0), link)

    def _placed(self, X):
        """Standardised rows."""
        check_is_fitted(self)
        rows = check_rows(self, X, dtype=np.float64, reset=False)
        return (rows - self._standards[0]) / self._standards[1]

    def _latent(self, X):
        """Mean and variance of f."""
        rows = self._placed(X)
        return self._posteriors[0].latent(rows)

    @property
    def feature_importances_(self) -> NDArray:
        """Shares of the features in the mean squared distance of training rows, as the kernel sees them."""
        check_is_fitted(self)
        return feature_shares(self._posteriors[0].process.scales, self._feature_variances)

    def novelty(self, X: ArrayLike) -> NDArray:
        """Share of the prior variance of the Gaussian process that remains once it is known at the vectors.

        It is 0 at the vectors and 1 far from all of them, whatever the labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to compare with the vectors.

        Returns
        -------
        novelty : ndarray of shape (n_samples,)
            Shares between 0 and 1.
        """
        rows, posterior = self._placed(X), self._posteriors[0]
        prior = posterior.process.variance(rows)
        return share_left(prior - np.square(posterior.whitened(rows)).sum(axis=1), prior)

    def _log_probabilities(self, X: ArrayLike) -> NDArray:
        mean, var = self._latent(X)
        codes = np.arange(len(self.classes_))
        return self._likelihood.log_predictive(codes, mean[:, None], var[:, None])

    def predict_uncertainty(self, X: ArrayLike) -> tuple[NDArray, NDArray]:
        """Entropy of the label of each row, split into noise and ignorance, in nats.

        Noise is the expected entropy of the label given f, which more data would not lower; ignorance is the
        mutual information between the label and f, which grows away from the data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        noise : ndarray of shape (n_samples,)
            Expected entropy of the label given f.
        ignorance : ndarray of shape (n_samples,)
            Mutual information between the label and f.
        """
        mean, var = self._latent(X)
        weights, parts = np.exp(normal_grid()[1]), []
        for first in range(0, max(len(mean), 1), _CHUNK):
            part = slice(first, first + _CHUNK)
            given = self._likelihood.predict(spread(mean[part], var[part]), 0.0)
            parts.append(entr(given).sum(axis=-1) @ weights)
        noise, total = np.concatenate(parts), entr(self._likelihood.predict(mean, var)).sum(axis=1)
        return np.minimum(noise, total), np.maximum(total - noise, 0.0)


def _in_order(classes, found, codes):
    """Classes in the order that is given, and the codes of the rows in it."""
    if classes is None:
        return found, codes
    order = np.asarray(classes)
    if order.ndim != 1 or len(np.unique(order)) != len(order):
        raise ValueError("classes must list each class once, from the lowest to the highest.")
    places = {label: place for place, label in enumerate(order.tolist())}
    unknown = [label for label in found.tolist() if label not in places]
    if unknown:
        raise ValueError(f"classes must list all labels of y; {unknown[0]!r} is missing.")
    return order, np.array([places[label] for label in found.tolist()])[codes]
