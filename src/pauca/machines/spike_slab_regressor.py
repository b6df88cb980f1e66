"""Spike-and-slab regression."""

from functools import partial
from typing import Any, Literal, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from ..atomic_fit import atomic
from ..export import Link
from ..fitting.fitters import choose_noise
from ..likelihoods import Gaussian
from ..numerics import steady_units
from ..validation import check_case_weights, check_number, check_option, check_size
from .bases.spike_slab_machine import EP_ENGINES, SpikeSlabMachine

# Share of the variance of y that the noise has at the start of its search, and its bounds; set by hand.
_FIRST_SHARE, _MIN_SHARE, _MAX_SHARE = 0.25, 1e-4, 1.0


class SpikeSlabRegressor(RegressorMixin, SpikeSlabMachine):
    """Linear regression with a posterior inclusion probability for every feature.

    y = w_0 + w·x + Gaussian noise, where each weight is N(0, slab_variance) with probability ρ₀, else zero;
    or, with a prior probability of ``no_signal``, all are zero. The posterior is found by expectation
    propagation, as in :class:`SpikeSlabClassifier`.

    Parameters
    ----------
    expected_features : float, "evidence" or "posterior", default=32
        Prior expectation of the number of features with a weight, where any matters: ρ₀ = expected_features /
        n_features, at most 1/2. "evidence" doubles or halves it from 32 while the log evidence rises;
        "posterior", for "ep", averages over 32, 8, 2 and 0.5.
    slab_variance : float, default=1.0
        Prior variance of the weights of included features, for features and targets of variance one.
    spike_variance : float, default=0.0
        Prior variance of the weights of excluded features; with zero they are exactly zero.
    noise_variance : float or "evidence", default="evidence"
        Variance of the noise in the units of y, at least 1/10000 of the variance of y. "evidence" doubles or
        halves it from a quarter of the variance of y while the log evidence rises.
    prior : {"spike-slab", "gaussian"}, default="spike-slab"
        Prior of the weights; "gaussian" includes every feature (ρ₀ = 1).
    inference : {"ep", "ep-correlated", "ep-independent", "single-effects"}, default="ep"
        Expectation propagation with one Gaussian for all weights ("ep-correlated"), with independent weights
        ("ep-independent"), or the first where it is fast ("ep"), as in :class:`SpikeSlabClassifier`; or a sum
        of single effects and their credible sets (up to 12 features: all subsets), which re-estimates the
        noise.
    n_effects : int or None, default=None
        Number of single effects; None: twice the expected number of features, at least 10. Only for
        ``inference="single-effects"``.
    coverage : float, default=0.95
        Probability that one of the features of a credible set matters.
    min_purity : float, default=0.5
        Smallest absolute correlation between two features of a credible set; sets below it are dropped.
    network : sparse matrix, ndarray or list of arrays of int, default=None
        Weights of the edges between features, (n_features, n_features), or groups of features, such as
        pathways: a feature is more probable where its neighbours are. None: features are exchangeable.
    coupling : float, default=20.0
        Log odds that a feature gains a priori where all of its neighbours in ``network`` are included.
    no_signal : float, default=0.5
        Prior probability that no feature matters, below 1; the evidence updates it, and the model without
        features is part of the average. Of very large tables "ep" has no evidence that is good enough.
    standardize : bool, default=True
        Whether features are scaled to mean zero and variance one on the training rows. The prior assumes
        comparable features: switch this off only if they are.
    threshold : float, default=0.5
        Smallest inclusion probability of features that `transform` keeps; it always keeps the most probable
        one.
    n_features_to_select : int or None, default=None
        Number of features that `transform` keeps, whatever their probabilities; None: by ``threshold``.
    tol : float, default=0.001
        Largest change of an inclusion probability, and of a weight as a share of the largest weight, at which
        the sweeps end.
    max_iter : int, default=200
        Limit on the number of sweeps of each of three schedules, tried in turn: with damping, and two that
        keep all factors of the posterior proper.
    verbose : int, default=0
        0 is silent; 1 shows a bar and what was chosen; 2 prints each trial, on standard error.

    Attributes
    ----------
    noise_std_ : float
        Standard deviation of the noise.
    inclusion_probabilities_ : ndarray of shape (n_features,)
        Posterior inclusion probability of each feature.
    inclusion_by_class_ : ndarray of shape (1, n_features)
        Posterior inclusion probabilities as a matrix, as in `SpikeSlabClassifier`.
    ranking_ : ndarray of shape (n_features,)
        Features from the most to the least probable; ties by the size of the weight, then by index.
    coef_ : ndarray of shape (n_features,)
        Posterior means of the weights, in the units of X and y.
    coef_std_ : ndarray of shape (n_features,)
        Posterior standard deviations of the weights, in the units of X and y.
    intercept_ : float
        Posterior mean of the constant term.
    prior_inclusion_ : float
        Prior inclusion probability ρ₀ of a feature, where any matters.
    expected_features_ : float
        Prior expectation of the number of features in use, where any matters.
    no_signal_probability_ : float
        Posterior probability that no feature matters; nan where it was not computed.
    log_evidence_ : float
        Log evidence of y.
    n_iter_ : int
        Number of sweeps.
    converged_ : bool
        Whether the sweeps ended before ``max_iter``.
    credible_sets_ : list of CredibleSet
        Groups of correlated features of which one matters with probability ``coverage``, with ``features``,
        ``probabilities``, ``probability`` and ``purity``; for ``inference="single-effects"`` only.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, if they were all strings.

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
        expected_features: float | str = 32,
        slab_variance: float = 1.0,
        spike_variance: float = 0.0,
        *,
        noise_variance: float | str = "evidence",
        prior: str = "spike-slab",
        inference: str = "ep",
        n_effects: int | None = None,
        coverage: float = 0.95,
        min_purity: float = 0.5,
        network: Any = None,
        coupling: float = 20.0,
        no_signal: float = 0.5,
        standardize: bool = True,
        threshold: float = 0.5,
        n_features_to_select: int | None = None,
        tol: float = 1e-3,
        max_iter: int = 200,
        verbose: int = 0,
    ) -> None:
        self.expected_features = expected_features
        self.slab_variance = slab_variance
        self.spike_variance = spike_variance
        self.noise_variance = noise_variance
        self.prior = prior
        self.inference = inference
        self.n_effects = n_effects
        self.coverage = coverage
        self.min_purity = min_purity
        self.network = network
        self.coupling = coupling
        self.no_signal = no_signal
        self.standardize = standardize
        self.threshold = threshold
        self.n_features_to_select = n_features_to_select
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def _check_arguments(self) -> None:
        super()._check_arguments()
        check_option("inference", self.inference, (*EP_ENGINES, "single-effects"))
        if self.noise_variance != "evidence":
            check_number("noise_variance", self.noise_variance, 0, strict=True)

    @atomic
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the posterior of the weights and the noise.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training data; single precision is kept.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Number of times each row counts.

        Returns
        -------
        self : SpikeSlabRegressor
            The fitted estimator.
        """
        self._check_arguments()
        X, targets = self._check_data(X, y, y_numeric=True)
        check_size("y", targets)
        weights = check_case_weights(sample_weight, X)
        self._centre, self._spread = steady_units(targets, weights)
        rows = self._rows(X, targets.astype(float), weights)
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
        if self.inference == "single-effects":
            trial = self._fitter(rows, _FIRST_SHARE).choose(self.expected_features)
            return trial, trial.posteriors[0].noise
        fitter_at = partial(self._fitter, rows)
        return choose_noise(fitter_at, self.expected_features, _FIRST_SHARE, (_MIN_SHARE, _MAX_SHARE))

    def _single_effects(self, observations, prior, learn_noise=False):
        return super()._single_effects(observations, prior, self.noise_variance == "evidence")

    def _store(self, trial, fitter):
        super()._store(trial, fitter)
        self.noise_std_ = float(np.sqrt(fitter.noise) * self._spread)

    def _link(self) -> Link:
        return Link("number", Gaussian(1 / self.noise_std_**2))

    def _restore_units(self, total_weight: float) -> None:
        """Put weights and evidence back in the units of y."""
        self._latents = [latent.rescaled(self._centre, self._spread) for latent in self._latents]
        self.coef_, self.coef_std_ = self._spread * self.coef_[0], self._spread * self.coef_std_[0]
        self.intercept_ = float(self._centre + self._spread * self.intercept_[0])
        self.log_evidence_ -= float(total_weight * np.log(self._spread))

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
        means, variances = self._latent(X)
        if not return_std:
            return means[:, 0]
        return means[:, 0], np.sqrt(variances[:, 0] + self.noise_std_**2)
