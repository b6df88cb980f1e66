"""What all two- and many-class kernel machines share."""

from abc import abstractmethod
from functools import partial

import numpy as np
from scipy.special import expit, softmax
from sklearn.base import ClassifierMixin

from ..likelihoods import Likelihood
from .labels import check_labels, one_against_rest
from .vector_machine import VectorMachine

# The machines of a many-class problem see the same rows: their odds are combined with less than full force.
_ODDS_POWER = 0.8
# Vectors are picked among many for how well they fit, so that their weights are too large: predictions are
# made with smaller ones, as far as a loss of evidence of so many nats a vector allows.
CAUTION = 0.4


def _log_odds(likelihood, mean, var, quadrature=False):
    """Logarithm of P(+1) / P(-1) with the latent value integrated out."""
    log_predictive = (
        partial(Likelihood.log_predictive, likelihood) if quadrature else likelihood.log_predictive
    )
    return log_predictive(1.0, mean, var) - log_predictive(-1.0, mean, var)


class VectorClassifier(ClassifierMixin, VectorMachine):
    """A kernel expansion with a posterior over its weights, one for two classes, else one for each class."""

    @abstractmethod
    def _recipe(self):
        """Likelihood, engine and prior."""

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
        self : object
        """
        self._check_arguments()
        X, y = self._check_X(X, y)
        self.classes_, codes, weights = check_labels(self, X, y, sample_weight)
        self._fit_machines(X, codes, weights, self._one_against_rest, self._recipe())
        return self

    def _one_against_rest(self, data):
        return one_against_rest(data.y, len(self.classes_))

    def decision_function(self, X):
        """Log odds of the predictive probability of each class (binary: of the second class)."""
        means, variances = self._latent(X)
        if len(self.expansions_) > 1:
            return self._many_decisions(means, variances)
        return _log_odds(self.expansions_[0].likelihood, means, variances)[:, 0]

    def predict_proba(self, X, *, quadrature=False):
        """Probability of each class, integrated over the posterior of the weights.

        With more than two classes, p_k is proportional to the odds of machine k to the power 0.8. The
        machines of `EPCVMClassifier` and `PCVMClassifier` share one multinomial probit model instead, which
        is integrated numerically in any case.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.
        quadrature : bool, default=False
            Integrate over the latent value on a grid rather than in closed form, where the logistic
            function is a mixture of probits (error below 1e-5).

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; each row sums to one.
        """
        means, variances = self._latent(X)
        likelihood = self.expansions_[0].likelihood
        if len(self.expansions_) > 1:
            return self._combined(means, variances, quadrature)
        if quadrature:
            log_odds = _log_odds(likelihood, means, variances, quadrature)
            return expit(np.hstack([-log_odds, log_odds]))
        less = likelihood.predict(-np.abs(means), variances)
        pair = np.hstack([less, 1 - less])
        return np.where(means > 0, pair, pair[:, ::-1])

    def _combined(self, means, variances, quadrature):
        """Probabilities of many classes from the latent values of their machines."""
        log_odds = _log_odds(self.expansions_[0].likelihood, means, variances, quadrature)
        return softmax(log_odds * _ODDS_POWER, axis=1)

    def _many_decisions(self, means, variances):
        """What ``decision_function`` returns for many classes."""
        return _log_odds(self.expansions_[0].likelihood, means, variances)

    def predict(self, X):
        """Most probable class of each row."""
        most_probable = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[most_probable]
