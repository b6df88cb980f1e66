"""Predictions of classifiers with label noise."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ...export import CannotExport, Link, Portable
from ...likelihoods import MultinomialProbit
from ..bases.kernel_classifier import KernelClassifier, binary_probabilities
from ..expansion import DualExpansion
from .averages import averaged, averaged_logs, gamma_records, log_odds_of, matched_beta
from .confusion import Confusion


class LabelNoisePredictions(KernelClassifier):
    """Classifier whose latent functions are Gaussian processes and whose labels may be wrong.

    Machines that average over gamma hold one fitted machine for each of its values.
    """

    confusion: bool
    flip_probability_: NDArray
    _members: list
    _confusion: Confusion | None
    _amplitude: float = 1.0
    _prior_variance: float

    def _average(self, members: list, posterior: Any) -> None:
        """Predict by an average over fitted machines from now on."""
        self._members = members
        self.gamma_posterior_ = gamma_records(posterior.trials, posterior.weights)
        self.flip_probability_ = averaged(posterior.weights, [each.flip_probability_ for each in members])
        if self.confusion:
            probabilities = [each.true_class_probability_ for each in members]
            self.true_class_probability_ = averaged(posterior.weights, probabilities)
        self.converged_ = all(each.converged_ for each in members)

    @property
    def _shares(self) -> NDArray:
        """Posterior probability of each value of gamma."""
        return self.gamma_posterior_["probability"]

    def _over_members(self, name: str, *arguments: Any) -> Any:
        """Average of what a method or property of all members gives."""
        found = [getattr(each, name) for each in self._members]
        return averaged(self._shares, [each(*arguments) for each in found] if arguments else found)

    def _store_confusion(self, found: Any, X: Any, places: NDArray, codes: NDArray) -> None:
        """Store the posterior of latent functions and confusion, and the true classes of training rows."""
        fit, columns = found.fit, np.arange(len(found.rows))
        self._amplitude, self._confusion = found.amplitude, Confusion(fit.concentrations)
        self.expansions_ = [
            DualExpansion(columns, coef, kernel, self._likelihood())
            for coef, kernel in zip(found.coefs, found.kernels, strict=True)
        ]
        truth, absent = fit.true_classes[places], np.flatnonzero(places < 0)
        if len(absent):
            truth[absent] = self._confusion.true_classes(*self._latent(X[absent]), codes[absent])[0]
        self.true_class_probability_ = truth
        self.flip_probability_ = 1 - truth[np.arange(len(codes)), codes]
        self.log_evidence_, self.converged_ = fit.log_evidence, fit.converged
        self.ep_mode_, self.n_negative_sites_, self.n_iter_ = "joint", 0, fit.n_iter

    def _likelihood(self) -> Any:
        """Likelihood with the prior of the share of wrong labels."""
        raise NotImplementedError

    @property
    def confusion_(self) -> NDArray:
        """Posterior mean of the confusion: labels of each true class, rows that sum to one."""
        check_is_fitted(self)
        if self._confusion is None:
            raise AttributeError("confusion_ exists for confusion=True only.")
        return self._over_members("confusion_") if self._members else self._confusion.mean

    @property
    def noise_(self) -> float | NDArray:
        """Posterior mean of the share of wrong labels; with more than one latent function one for each."""
        if self._members:
            mean = self._over_members("noise_")
            return float(mean) if np.ndim(mean) == 0 else mean
        if self._confusion is not None:
            return 1 - np.diag(self.confusion_)
        means = np.array([expansion.likelihood.mean for expansion in self.expansions_])
        return float(means[0]) if len(means) == 1 else means

    @property
    def noise_posterior_(self) -> tuple[float, float] | NDArray:
        """Parameters (a, b) of the Beta posterior of the share of wrong labels, a row for each class."""
        if self._members:
            found = matched_beta(self._shares, np.array([each.noise_posterior_ for each in self._members]))
            return tuple(found.tolist()) if found.ndim == 1 else found
        if self._confusion is not None:
            return self._confusion.noise
        pairs = np.array([(each.likelihood.a, each.likelihood.b) for each in self.expansions_])
        return tuple(pairs[0].tolist()) if len(pairs) == 1 else pairs

    def _prior_variances(self, X):
        """k(x, x); for a precomputed kernel its mean over the training rows."""
        if self._kernel.is_precomputed:
            return np.full(X.shape[0], self._prior_variance * self._amplitude)
        return self._kernel.diagonal(self._shifted(X)) * self._amplitude

    def _latent_moments(self, X):
        K, prior = self._kernel_values(X), self._prior_variances(X)
        return [expansion.latent(K, prior) for expansion in self.expansions_]

    def predict_proba(self, X: ArrayLike) -> NDArray:
        """Probability of each class, integrated over the posterior.

        For two classes it lies between ``noise_`` and 1 − ``noise_``: a new label is as noisy as the others.
        With more classes the probabilities are proportional to the one-vs-rest odds to the power 0.8. With
        ``confusion=True`` they are those of the true class; times ``confusion_`` they are those of its label.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; each row sums to one.
        """
        check_is_fitted(self)
        if self._members:
            return self._over_members("predict_proba", X)
        means, variances = self._latent(X)
        if self._confusion is not None:
            return MultinomialProbit().predict(means, variances)
        if len(self.expansions_) > 1:
            return self._class_probabilities(means, variances)
        return binary_probabilities(self.expansions_[0].likelihood, means, variances)

    def _log_probabilities(self, X: ArrayLike) -> NDArray:
        check_is_fitted(self)
        if self._members:
            return averaged_logs(self._shares, [each._log_probabilities(X) for each in self._members])
        if self._confusion is not None:
            return MultinomialProbit().log_probabilities(*self._latent(X))
        return super()._log_probabilities(X)

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
        check_is_fitted(self)
        if self._members or self._confusion is not None:
            return log_odds_of(self._log_probabilities(X))
        return super().decision_function(X)

    def flip_probability(self, X: ArrayLike, y: ArrayLike) -> NDArray:
        """Probability that each label of new rows is wrong.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New rows.
        y : array-like of shape (n_samples,)
            Labels of the rows, which may be wrong.

        Returns
        -------
        probability : ndarray of shape (n_samples,)
            Probability that the label of each row is wrong.
        """
        check_is_fitted(self)
        members = self._members or [self]
        moments = [each._latent(X) for each in members]
        labels = column_or_1d(y)
        if len(labels) != len(moments[0][0]) or not np.isin(labels, self.classes_).all():
            raise ValueError("y must have one of classes_ for each row of X.")
        codes = np.searchsorted(self.classes_, labels)
        found = [each._flips(*parts, codes) for each, parts in zip(members, moments, strict=True)]
        if len(members) == 1:
            return found[0][0]
        logs = np.log(self._shares)[:, None] + np.array([log_label for _, log_label in found])
        shares = np.exp(logs - logsumexp(logs, axis=0))
        return (shares * np.array([flips for flips, _ in found])).sum(axis=0)

    def _flips(self, means, variances, codes):
        """Probability that each label is wrong, and the log probability of the label, at one gamma."""
        if self._confusion is not None:
            truth, log_label = self._confusion.true_classes(means, variances, codes)
            return 1 - truth[np.arange(len(codes)), codes], log_label
        many = len(self.expansions_) > 1
        flips, log_label = np.empty(len(codes)), np.empty(len(codes))
        for code in np.unique(codes):
            rows, which = codes == code, int(code) if many else 0
            sign = 1.0 if many or code == 1 else -1.0
            likelihood = self.expansions_[which].likelihood
            log_label[rows], flips[rows] = likelihood.tilt(sign * means[rows, which], variances[rows, which])[
                :2
            ]
        return flips, log_label

    def _training_flips(self, X, codes, data, targets, fits):
        """Flip probability of each training row, by the latent function of its label."""
        many, flips = len(fits) > 1, np.empty(len(codes))
        for code in np.unique(codes):
            rows, which = np.flatnonzero((codes == code) & (data.places >= 0)), int(code) if many else 0
            places, sign = data.places[rows], 1.0 if many or code == 1 else -1.0
            flip = fits[which].flip[places]
            flips[rows] = np.where(targets[which][places] == sign, flip, 1 - flip)
        absent = np.flatnonzero(data.places < 0)
        if len(absent):
            means, variances = self._latent(X[absent])
            flips[absent] = self._flips(means, variances, codes[absent])[0]
        return flips

    def _link(self) -> Link:
        return super()._link() if self._confusion is None else Link("multinomial")

    def _portable(self) -> Portable:
        if self._members:
            raise CannotExport(
                "gamma='posterior' averages machines, which have no portable form; "
                "fit with gamma='evidence' to export."
            )
        return super()._portable()
