"""Base of Gaussian process classifiers with label noise."""

import warnings
from abc import abstractmethod
from collections.abc import Callable
from copy import copy
from functools import partial
from numbers import Integral
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from ...atomic_fit import atomic
from ...basis import Gram, Linear, is_precomputed, scale_gamma, symmetric
from ...fitting import FitProblem, Limits, Recipe, majority_targets
from ...fitting.fitters import (
    LabelNoiseFitter,
    best_amplitude,
    choose_noise_kernel,
    confusion_prior,
    fit_confused,
    gamma_posterior,
)
from ...inference.ep import dual_ep
from ...likelihoods import LabelNoise
from ...numerics import threads_for
from ...reporting import tell
from ...validation import check_gamma, check_number, check_seed
from ..expansion import DualExpansion
from ..label_noise import LabelNoisePredictions
from .classification import check_labels

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


class LabelNoiseClassifier(LabelNoisePredictions):
    """Classifier with label noise, whose class is the sign of a Gaussian process.

    There is one latent function for two classes, else one for each class; all share the kernel.
    """

    # Remedy when expectation propagation does not settle.
    _merges_precomputed = True
    _gamma_rules: tuple[str, ...] = ("evidence", "posterior", "scale")
    # Whether the processes are represented at the rows of active sets, in place of all rows.
    _needs_vectors = False
    _advice = "raise max_iter or tol, or use a narrower kernel"
    noise: float | None
    noise_prior: tuple[float, float]
    confusion: bool
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
        check_seed(self.random_state)
        if not isinstance(self.confusion, bool | np.bool_):
            raise ValueError(f"confusion must be True or False; got {self.confusion!r}.")
        _check_noise(self.noise, self.noise_prior)
        if self.confusion and self.noise is not None:
            raise ValueError(
                f"noise must be None with confusion=True, which learns all shares; got {self.noise!r}."
            )

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
            self._members = []
            if self._by_posterior:
                self._learn_average(fitter, chosen, trials, rows, codes)
            else:
                self._learn(fitter, chosen, trials, rows, codes)
        self._check_outcome(rows[data.rows])
        return self

    @property
    def _by_posterior(self) -> bool:
        """Whether predictions are averaged over the posterior of gamma."""
        return isinstance(self.gamma, str) and self.gamma == "posterior" and self._kernel.has_gamma

    def _learn(self, fitter, chosen, trials, rows, codes):
        """Learn everything at the gamma of the chosen trial."""
        data, others = fitter.problem.data, [trial for trial in trials if trial is not chosen]
        trial = chosen
        if not chosen.is_final and (self._needs_vectors or not self.confusion):
            trial = fitter.refit(chosen)
        if self.confusion:
            self._store_confused(fitter, trial, [*others, chosen], rows, codes)
            return
        self._store(data, fitter.problem, trial, [*others, chosen])
        self.flip_probability_ = self._training_flips(rows, codes, data, fitter.problem.targets, trial.fits)

    def _learn_average(self, fitter, chosen, trials, rows, codes):
        """Learn a machine at each gamma of its posterior; this one is that of the largest probability."""
        part = self._weighing_rows(fitter.problem.data)
        known_sites: dict = {}

        def fitter_in(mode, is_last):
            return self._fitter_of(part, mode, is_last, known_sites)

        posterior = gamma_posterior(fitter_in, self._kernel.reference_gamma(part.X), chosen)
        members = []
        for trial in posterior.trials:
            member = copy(self)
            member._learn(fitter, trial, trials, rows, codes)
            members.append(member)
        self.__dict__.update(members[int(np.argmax(posterior.weights))].__dict__)
        self._average(members, posterior)

    def _weighing_rows(self, data):
        """Rows by whose evidence values of gamma are weighted."""
        return data

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
        gammas = self._candidate_gammas(data)
        data = self._search_rows(data)
        known_sites: dict = {}

        def fitter_in(mode, is_last):
            return self._fitter_of(data, mode, is_last, known_sites)

        return choose_noise_kernel(fitter_in, self._kernel.reference_gamma(data.X), gammas)

    def _search_rows(self, data):
        """At most 200 of the rows."""
        if len(data.y) <= _SEARCH_ROWS:
            return data
        return data.sample(_SEARCH_ROWS, np.random.default_rng(self._seed()))

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
        self._store_vectors(data, gram, used, trial.gamma, trials)
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

    def _store_vectors(self, data, gram, used, gamma, trials):
        """Store the rows whose kernel columns predict, and the values of gamma that were tried."""
        self.gamma_ = gamma
        self._kernel = self._kernel.with_gamma(gamma)
        self.relevance_ = data.rows[used]
        self.relevance_vectors_ = np.empty((0, 0)) if self._kernel.is_precomputed else data.X[used]
        self._prior_variance, self._confusion = float(gram.diagonal.mean()), None
        records = [(each.gamma, each.score, each.settled) for each in trials]
        self.trials_ = np.array(records, dtype=_TRIAL_RECORD)

    def _store_confused(self, fitter, trial, trials, rows, codes):
        """Store latent functions of all classes and the confusion of their labels."""
        data, problem = fitter.problem.data, fitter.problem
        prior = confusion_prior(len(self.classes_), self.noise_prior)
        part = self._search_rows(data)
        small = self._gram(part, trial.gamma, problem.recipe.likelihood)
        amplitude = best_amplitude(small, part.weights, prior)
        used, gram = np.arange(len(data.y)), problem.basis_at(trial.gamma)
        if self._needs_vectors:
            used = np.unique(np.concatenate([fit.rows for fit in trial.fits]))
        found = fit_confused(gram, used, data.weights, prior, amplitude)
        self._store_vectors(data, gram, used, trial.gamma, trials)
        self._store_confusion(found, rows, data.places, codes)


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
