"""Linear regression with a posterior probability for every feature."""

from functools import partial

import numpy as np
from sklearn.base import RegressorMixin

from ..fitting.fitters import choose_noise
from ..validation import check_number, check_size, check_weights
from .bases.spike_slab_machine import SpikeSlabMachine

# Share of the variance of y that the noise has at the start of its search, and its bounds; set by hand.
_FIRST_SHARE, _MIN_SHARE, _MAX_SHARE = 0.25, 1e-4, 1.0


class SpikeSlabRegressor(RegressorMixin, SpikeSlabMachine):
    """Which of very many features a number depends on, and how surely.

    y = w_0 + w·x + noise, where each weight is nothing with probability 1 − ρ₀ and Gaussian else: the model
    and the algorithm of `SpikeSlabClassifier` with Gaussian noise in place of classes.

    Parameters
    ----------
    expected_features : float or "evidence", default=32
        How many features have a weight before any data; see `SpikeSlabClassifier`.
    slab_variance : float, default=1.0
        Variance of the weights that matter, for features and targets of variance one.
    spike_variance : float, default=0.0
        Variance of the others.
    noise_variance : float or "evidence", default="evidence"
        Variance of the noise in the units of y, or chosen by the evidence among shares of the variance of
        y; at least 1/10000 of that.
    prior, standardize, threshold, n_features_to_select, tol, max_iter, verbose
        See `SpikeSlabClassifier`.

    Attributes
    ----------
    noise_std_ : float
        Standard deviation of the noise.
    inclusion_probabilities_, ranking_, coef_, coef_std_, intercept_, prior_inclusion_, expected_features_, \
log_evidence_, n_iter_, converged_
        See `SpikeSlabClassifier`; ``coef_`` and ``coef_std_`` have shape (n_features,), ``intercept_`` is a
        number.

    Examples
    --------
    >>> import numpy as np
    >>> from pauca import SpikeSlabRegressor
    >>> X = np.random.default_rng(0).normal(size=(80, 300))
    >>> machine = SpikeSlabRegressor(8).fit(X, 3 * X[:, 5] + 0.1 * X[:, 6])
    >>> int(machine.ranking_[0])
    5
    """

    def __init__(
        self,
        expected_features=32,
        slab_variance=1.0,
        spike_variance=0.0,
        *,
        noise_variance="evidence",
        prior="spike-slab",
        standardize=True,
        threshold=0.5,
        n_features_to_select=None,
        tol=1e-3,
        max_iter=200,
        verbose=False,
    ):
        self.expected_features = expected_features
        self.slab_variance = slab_variance
        self.spike_variance = spike_variance
        self.noise_variance = noise_variance
        self.prior = prior
        self.standardize = standardize
        self.threshold = threshold
        self.n_features_to_select = n_features_to_select
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def _check_arguments(self):
        super()._check_arguments()
        if self.noise_variance != "evidence":
            check_number("noise_variance", self.noise_variance, 0, strict=True)

    def fit(self, X, y, sample_weight=None):
        """Learn the posterior of the weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data; single precision is kept.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            How many times each row counts.

        Returns
        -------
        self : SpikeSlabRegressor
        """
        self._check_arguments()
        X, y = self._check_data(X, y, y_numeric=True)
        check_size("y", y)
        weights = check_weights(sample_weight, X)
        self._centre = np.average(y, weights=weights)
        self._spread = np.sqrt(np.average(np.square(y - self._centre), weights=weights)) or 1.0
        rows = self._rows(X, y.astype(float), weights)
        trial, noise = self._chosen(rows)
        self._store(trial, self._fitter(rows, noise))
        self._restore_units(weights.sum())
        return self

    def _targets(self, rows):
        return [(rows.y - self._centre) / self._spread]

    def _chosen(self, rows):
        """Trial at the given noise variance, or at the one that the evidence chooses, and that variance."""
        if self.noise_variance != "evidence":
            noise = max(float(self.noise_variance) / self._spread**2, _MIN_SHARE)
            return self._fitter(rows, noise).choose(self.expected_features), noise
        fitter_at = partial(self._fitter, rows)
        return choose_noise(fitter_at, self.expected_features, _FIRST_SHARE, (_MIN_SHARE, _MAX_SHARE))

    def _store(self, trial, fitter):
        super()._store(trial, fitter)
        self.noise_std_ = float(np.sqrt(fitter.noise) * self._spread)

    def _restore_units(self, total_weight):
        """Put weights and evidence back in the units of y."""
        self._means, self._variances = self._spread * self._means, self._spread**2 * self._variances
        self._means[:, 0] += self._centre
        self.coef_, self.coef_std_ = self._spread * self.coef_[0], self._spread * self.coef_std_[0]
        self.intercept_ = float(self._centre + self._spread * self.intercept_[0])
        self.log_evidence_ -= float(total_weight * np.log(self._spread))

    def predict(self, X, return_std=False):
        """Predictive mean and, on request, its standard deviation (noise included).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
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
        if not return_std:
            return means[:, 0]
        return means[:, 0], np.sqrt(variances[:, 0] + self.noise_std_**2)
