"""Bases of kernel classifiers: probabilities from latent values, and fit by selected columns."""

from abc import abstractmethod
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, log_softmax, softmax

from ...atomic_fit import atomic
from ...export import Link
from ...fitting import Recipe, one_vs_rest
from ...likelihoods import Likelihood
from ..extrapolation import BaseRates
from .classification import ProbabilisticClassifier, check_labels
from .kernel_machine import KernelMachine
from .vector_machine import VectorMachine

# Power of the one-vs-rest odds before they are normalised: the latent functions see the same rows, so that
# their odds count with less than full force. Set by hand, not tuned.
_ODDS_POWER = 0.8
# Loss of log evidence, in nats a vector, that predictions spend on smaller weights: vectors are picked
# among many for their fit, so that their weights are too large. Chosen by test log-loss on half splits.
SHRINKAGE_NATS = 0.4


def log_odds(likelihood: Any, mean: NDArray, var: NDArray, quadrature: bool = False) -> NDArray:
    """Logarithm of P(+1) / P(-1) with the latent value integrated out, in nats."""
    log_predictive = (
        partial(Likelihood.log_predictive, likelihood) if quadrature else likelihood.log_predictive
    )
    return log_predictive(1.0, mean, var) - log_predictive(-1.0, mean, var)


def binary_probabilities(likelihood: Any, means: NDArray, variances: NDArray) -> NDArray:
    """Probabilities of two classes, shape (n_rows, 2), exact for the less probable one."""
    less = likelihood.predict(-np.abs(means), variances)
    pair = np.hstack([less, 1 - less])
    return np.where(means > 0, pair, pair[:, ::-1])


class KernelClassifier(ProbabilisticClassifier, KernelMachine):
    """Classifier with one latent function for two classes, else one for each class."""

    def decision_function(self, X: ArrayLike) -> NDArray:
        """Log odds of the predicted probability of each class (two classes: of the second class).

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        log_odds : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Log odds in nats.
        """
        means, variances = self._latent(X)
        if len(self.expansions_) > 1:
            return self._class_log_odds(means, variances)
        return log_odds(self.expansions_[0].likelihood, means, variances)[:, 0]

    def _link(self) -> Link:
        likelihood = self.expansions_[0].likelihood
        if len(self.expansions_) > 1:
            return Link("odds", likelihood, _ODDS_POWER)
        return Link("binary", likelihood)

    def _class_log_odds(self, means: NDArray, variances: NDArray) -> NDArray:
        """Log odds of each of many classes."""
        return log_odds(self.expansions_[0].likelihood, means, variances)

    def _class_probabilities(self, means: NDArray, variances: NDArray, quadrature: bool = False) -> NDArray:
        """Probabilities of many classes: one-vs-rest odds to the power 0.8, normalised."""
        odds = log_odds(self.expansions_[0].likelihood, means, variances, quadrature)
        return softmax(odds * _ODDS_POWER, axis=1)

    def _log_probabilities(self, X: ArrayLike) -> NDArray:
        means, variances = self._latent(X)
        likelihood = self.expansions_[0].likelihood
        if len(self.expansions_) > 1:
            return self._class_log_probabilities(means, variances)
        return np.hstack([likelihood.log_predictive(sign, means, variances) for sign in (-1.0, 1.0)])

    def _class_log_probabilities(self, means: NDArray, variances: NDArray) -> NDArray:
        """Logarithms of the probabilities of many classes."""
        odds = log_odds(self.expansions_[0].likelihood, means, variances)
        return log_softmax(odds * _ODDS_POWER, axis=1)


class VectorClassifier(KernelClassifier, VectorMachine):
    """Classifier whose kernel columns are selected."""

    class_weight: dict | str | None

    @abstractmethod
    def _recipe(self) -> Recipe:
        """Likelihood, engine and prior."""

    @atomic
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the relevance vectors and the posterior of their weights.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training data; for ``kernel="precomputed"`` the kernel matrix (n_samples, n_samples).
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Number of times each row counts.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._check_arguments()
        X, y = self._check_X(X, y)
        self.classes_, codes, weights = check_labels(self, X, y, sample_weight, self.class_weight)
        self._fit_expansions(X, codes, weights, self._one_vs_rest, self._recipe())
        return self

    def _store(self, data, trial, basis, targets, recipe):
        super()._store(data, trial, basis, targets, recipe)
        if self.fallback and not self._columns_are_given and len(self.relevance_):
            shares = np.bincount(data.y.astype(int), data.weights, len(self.classes_)) / data.weights.sum()
            vectors = self._placed(self.relevance_vectors_, self._scales)
            rows, n_latent = self._placed(data.X, self._scales), len(self.expansions_)
            self._base_rates = BaseRates.of(shares, self._probabilities_of, n_latent, rows, vectors)

    def _store_margins(self, source: Any) -> None:
        """Keep what a bound on the error needs of all rows of a table; nothing where there is none."""

    def _probabilities_of(self, means, variances):
        """Probabilities of all classes given moments of the latent functions."""
        if len(self.expansions_) > 1:
            return self._class_probabilities(means, variances)
        return binary_probabilities(self.expansions_[0].likelihood, means, variances)

    def _one_vs_rest(self, data):
        return one_vs_rest(data.y, len(self.classes_))

    def predict_proba(self, X: ArrayLike, *, quadrature: bool = False) -> NDArray:
        """Probability of each class, integrated over the posterior of the weights.

        With more than two classes they are proportional to the one-vs-rest odds to the power 0.8, except in
        `EPCVMClassifier` and `PCVMClassifier`, whose multinomial probit model is integrated numerically.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.
        quadrature : bool, default=False
            Whether to integrate over the latent value by quadrature. The default uses a closed form, for
            which the logistic function is a mixture of probits (error below 1e-5).

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; each row sums to one.
        """
        means, variances = self._latent(X)
        likelihood = self.expansions_[0].likelihood
        if len(self.expansions_) > 1:
            return self._class_probabilities(means, variances, quadrature)
        if quadrature:
            odds = log_odds(likelihood, means, variances, quadrature)
            return expit(np.hstack([-odds, odds]))
        return binary_probabilities(likelihood, means, variances)
