"""Base of Gaussian process classifiers with label noise."""

import warnings
from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from numbers import Integral
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import column_or_1d

from ...atomic_fit import atomic
from ...basis import Gram, Linear, is_precomputed, scale_gamma, symmetric
from ...fitting import FitProblem, Limits, Recipe, majority_targets
from ...fitting.fitters import LabelNoiseFitter, choose_noise_kernel
from ...inference.ep import dual_ep
from ...likelihoods import LabelNoise
from ...numerics import threads_for
from ...reporting import tell
from ...validation import check_gamma, check_number
from ..expansion import DualExpansion
from .classification import check_labels
from .kernel_classifier import KernelClassifier, binary_probabilities

# Gamma is chosen by the evidence of at most this many rows, drawn at random; set by hand for the time of a
# fit.
_SEARCH_ROWS = 200
# Tolerance of the trials of gamma, in posterior standard deviations of a site: evidences are stationary where
# expectation propagation settles, so that a rough one is enough. Set by hand.
_SEARCH_TOL = 1e-2
# Share of the mean of k(x, x) that is added to the diagonal; without noise, contradicting rows would have no
# solution. Numerical guards.
_JITTER, _NOISE_FREE_JITTER = 1e-10, 1e-6
_TRIAL_RECORD = np.dtype([("gamma", float), ("log_evidence", float), ("settled", bool)])


class LabelNoiseClassifier(KernelClassifier):
    """Classifier with label noise, whose class is the sign of a Gaussian process.

    There is one latent function for two classes, else one for each class; all share the kernel.
    """

    # Remedy when expectation propagation does not settle.
    _merges_precomputed = True
    _gamma_rules: tuple[str, ...] = ("evidence", "scale")
    _advice = "raise max_iter or tol, or use a narrower kernel"
    noise: float | None
    noise_prior: tuple[float, float]
    class_weight: dict | str | None
    tol: float
    max_iter: int
    converged_: bool

    @abstractmethod
    def _row_fitter(self, n_rows: int) -> Callable:
        """Final fit of one latent function on all rows."""

    def _check_arguments(self) -> None:
        self._check_kernel_arguments()
        if np.ndim(self.gamma) == 1 and len(self.gamma):
            for value in self.gamma:
                check_gamma(value, ())
        else:
            check_gamma(self.gamma, self._gamma_rules)
        check_number("tol", self.tol, 0, strict=True)
        check_number("max_iter", self.max_iter, 1, kind=Integral)
        _check_noise(self.noise, self.noise_prior)

    @atomic
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the posterior of the latent function, the label noise and the flip probabilities.

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
        rows, y = self._check_X(X, y)
        self.classes_, codes, weights = check_labels(self, rows, y, sample_weight, self.class_weight)
        data = self._training_rows(rows, codes, weights).grouped(len(self.classes_))
        if is_precomputed(self.kernel) and not symmetric(rows):
            raise ValueError("X must be a symmetric matrix for kernel='precomputed'.")
        self._set_kernel(data)
        fitter = self._fitter_of(data)
        with threads_for(float(len(data.y)) ** 2):
            chosen, trials = self._choose_kernel(data)
            trial = chosen if chosen.is_final else fitter.refit(chosen)
        self._store(data, fitter.problem, trial, [t for t in trials if t is not chosen] + [chosen])
        self.flip_probability_ = self._training_flips(rows, codes, data, fitter.problem.targets, trial.fits)
        self._check_outcome(rows[data.rows])
        return self

    def _check_outcome(self, X):
        """Warn where expectation propagation did not settle, or all training rows get the same class."""
        means = np.column_stack([mean for mean, _ in self._latent_moments(X)])
        many = means.shape[1] > 1
        one_class = len(np.unique(means.argmax(axis=1) if many else means > 0)) == 1
        problem = "found one class for all training rows" if self.converged_ else "did not settle"
        self.converged_ = self.converged_ and not one_class
        if not self.converged_:
            message = f"{type(self).__name__} {problem}: {self._advice}."
            warnings.warn(message, ConvergenceWarning, stacklevel=4)

    def _set_kernel(self, data):
        """Store the kernel; the linear one has the constant ``coef0``, because there is no other bias."""
        super()._set_kernel(data)
        if isinstance(self._kernel, Linear) and isinstance(self.kernel, str):
            self._kernel = Linear(self.coef0)

    def _likelihood(self):
        """Likelihood with the prior of the share ε of wrong labels."""
        if self.noise is None:
            a, b = self.noise_prior
            return LabelNoise(float(a), float(b))
        return LabelNoise.fixed(self.noise)

    def _fitter_of(self, data, *mode):
        """Fitter of some training rows."""
        recipe = Recipe(self._likelihood(), dual_ep)
        limits = Limits(tol=self.tol, max_iter=self.max_iter)
        targets, votes = majority_targets(data.weights)
        gram_at = partial(self._gram, data, likelihood=recipe.likelihood)
        problem = FitProblem(data, targets, gram_at, recipe, limits, report=self._report)
        fit_rows, tol = self._row_fitter(len(data.y)), max(self.tol, _SEARCH_TOL)
        return LabelNoiseFitter(problem, votes, fit_rows, tol, *mode)

    def _choose_kernel(self, data):
        """Trial of the chosen gamma on a part of the rows, and all trials."""
        gammas, seed = self._candidate_gammas(data), self._seed()
        if len(data.y) > _SEARCH_ROWS:
            data = data.sample(_SEARCH_ROWS, np.random.default_rng(seed))
        known_sites: dict = {}

        def fitter_in(mode, is_last):
            return self._fitter_of(data, mode, is_last, known_sites)

        return choose_noise_kernel(fitter_in, self._kernel.reference_gamma(data.X), gammas)

    def _candidate_gammas(self, data):
        """Values of gamma to compare, None for those around the reference."""
        if not self._kernel.has_gamma or (isinstance(self.gamma, str) and self.gamma == "scale"):
            return [scale_gamma(data.X)]
        return None if isinstance(self.gamma, str) else np.atleast_1d(self.gamma)

    def _gram(self, data, gamma, likelihood):
        """Kernel matrix of the rows, without labels."""
        X = data.X[:, data.rows] if self._kernel.is_precomputed else self._shifted(data.X)
        share = _NOISE_FREE_JITTER if likelihood.mean == 0 else _JITTER
        return Gram.of(self._kernel.with_gamma(gamma), X, share)

    def _report(self, trial):
        noise = np.mean([posterior.noise.mean for posterior in trial.fits])
        message = f"log evidence {trial.score:.2f}, noise {noise:.3f}"
        tell(f"gamma {trial.gamma:.4g}, {trial.mode.name}: {message}")

    def _store(self, data, problem, trial, trials):
        """Store the active rows and their posterior."""
        fits, gram = trial.fits, problem.basis_at(trial.gamma)
        used = np.unique(np.concatenate([fit.rows for fit in fits]))
        self.gamma_ = trial.gamma
        self._kernel = self._kernel.with_gamma(trial.gamma)
        self.relevance_ = data.rows[used]
        self.relevance_vectors_ = np.empty((0, 0)) if self._kernel.is_precomputed else data.X[used]
        self._prior_variance = float(gram.diagonal.mean())
        self.expansions_ = [
            DualExpansion.of(gram.signed(target), fit.rows, fit.posterior, used)
            for fit, target in zip(fits, problem.targets, strict=True)
        ]
        posteriors = [fit.posterior for fit in fits]
        self.log_evidence_ = trial.log_evidence
        self.ep_mode_ = max((posterior.mode for posterior in posteriors), key=_steadiness).name
        self.n_negative_sites_ = int(sum((posterior.sites[:, 0] < 0).sum() for posterior in posteriors))
        self.n_iter_ = max(fit.n_iter for fit in fits)
        self.converged_ = all(fit.converged for fit in fits)
        records = [(each.gamma, each.score, each.settled) for each in trials]
        self.trials_ = np.array(records, dtype=_TRIAL_RECORD)

    @property
    def noise_(self) -> float | NDArray:
        """Posterior mean of the share of wrong labels; with more than two classes, one for each class."""
        means = np.array([expansion.likelihood.mean for expansion in self.expansions_])
        return float(means[0]) if len(means) == 1 else means

    @property
    def noise_posterior_(self) -> tuple[float, float] | NDArray:
        """Parameters (a, b) of the Beta posterior of the share of wrong labels, a row for each class."""
        pairs = np.array([(each.likelihood.a, each.likelihood.b) for each in self.expansions_])
        return tuple(pairs[0].tolist()) if len(pairs) == 1 else pairs

    def _prior_variances(self, X):
        """k(x, x); for a precomputed kernel its mean over the training rows."""
        if self._kernel.is_precomputed:
            return np.full(X.shape[0], self._prior_variance)
        return self._kernel.diagonal(self._shifted(X))

    def _latent_moments(self, X):
        K, prior = self._kernel_values(X), self._prior_variances(X)
        return [expansion.latent(K, prior) for expansion in self.expansions_]

    def predict_proba(self, X: ArrayLike) -> NDArray:
        """Probability of each class, integrated over the posterior.

        For two classes it lies between ``noise_`` and 1 − ``noise_``: a new label is as noisy as the others.
        With more classes the probabilities are proportional to the one-vs-rest odds to the power 0.8.

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
        if len(self.expansions_) > 1:
            return self._class_probabilities(means, variances)
        return binary_probabilities(self.expansions_[0].likelihood, means, variances)

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
        means, variances = self._latent(X)
        labels = column_or_1d(y)
        if len(labels) != len(means) or not np.isin(labels, self.classes_).all():
            raise ValueError("y must have one of classes_ for each row of X.")
        return self._flips(means, variances, np.searchsorted(self.classes_, labels))

    def _flips(self, means, variances, codes):
        """Probability that the latent function of each label disagrees with it."""
        many = len(self.expansions_) > 1
        flips = np.empty(len(codes))
        for code in np.unique(codes):
            rows, which = codes == code, int(code) if many else 0
            sign = 1.0 if many or code == 1 else -1.0
            likelihood = self.expansions_[which].likelihood
            flips[rows] = likelihood.tilt(sign * means[rows, which], variances[rows, which])[1]
        return flips

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
            flips[absent] = self._flips(means, variances, codes[absent])
        return flips


def _check_noise(noise, prior):
    a, b = prior if isinstance(prior, tuple | list) and len(prior) == 2 else (prior, prior)
    check_number("noise_prior", a, 0, strict=True)
    check_number("noise_prior", b, 0, strict=True)
    if a >= b:
        raise ValueError(
            f"noise_prior (a, b) must have a < b, else labels might as well be wrong as right; got {prior!r}."
        )
    if noise is not None:
        check_number("noise", noise, 0, optional=True)
        if noise >= 0.5:
            raise ValueError(f"noise must be None or a share below 0.5; got {noise!r}.")


def _steadiness(mode):
    """Sort key of modes of expectation propagation, from the most exact to the steadiest."""
    return -mode.power, -mode.damping
