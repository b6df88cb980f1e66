"""What Bayes machines share: a Gaussian process whose sign is the class, seen through noisy labels."""

import sys
import warnings
from abc import abstractmethod
from numbers import Integral
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ..basis import KERNELS, Linear, is_precomputed, scale_gamma
from ..inference.ep import DualPosterior
from ..likelihoods import LabelNoise
from ..numerics import threads_for
from ..validation import check_gamma, check_kernel, check_number, check_seed
from .dual_expansion import DualExpansion
from .gram import Gram, symmetric
from .kernel_ladder import choose
from .training import training_rows
from .vector_classifier import VectorClassifier

# Gamma is chosen by the evidence of at most so many rows, drawn at random.
_SEARCH_ROWS = 200
# Evidences are compared at this tolerance: they are stationary where expectation propagation settles.
_SEARCH_TOL = 1e-2
# Share of the mean of k(x, x) that is added to it: without noise, contradicting rows would have no solution.
_JITTER, _NOISE_FREE_JITTER = 1e-10, 1e-6
_TRIAL_RECORD = np.dtype([("gamma", float), ("log_evidence", float), ("settled", bool)])


class Fit(NamedTuple):
    """One machine: its posterior over some active rows, and the flip probabilities of all rows."""

    rows: np.ndarray
    posterior: DualPosterior
    flip: np.ndarray
    n_iter: int
    converged: bool
    n_passes: int = 0
    settled: bool = True


class LabelNoiseClassifier(VectorClassifier):
    """One machine for two classes, else one for each class; all of them share the kernel."""

    # Rows may have weights; classes have none, for a step without a bias cannot follow them.
    class_weight = None
    # What to do when it does not settle.
    _advice = "raise max_iter or tol, or use a narrower kernel"

    @abstractmethod
    def _fit_one(self, gram, likelihood, weights, modes, start):
        """The `Fit` of one machine, given kernel values with labels, modes to try and sites to start from."""

    def _check_arguments(self):
        check_kernel(self.kernel, KERNELS)
        if np.ndim(self.gamma) == 1 and len(self.gamma):
            for value in self.gamma:
                check_gamma(value, ())
        else:
            check_gamma(self.gamma, ("evidence", "scale"))
        check_number("degree", self.degree, 0, strict=True)
        check_number("coef0", self.coef0, -np.inf)
        check_number("tol", self.tol, 0, strict=True)
        check_number("max_iter", self.max_iter, 1, kind=Integral)
        _check_noise(self.noise, self.noise_prior)

    def _recipe(self):
        """The likelihood with the prior of ε."""
        if self.noise is None:
            a, b = self.noise_prior
            return LabelNoise(float(a), float(b))
        return LabelNoise.fixed(self.noise)

    def _fit_machines(self, X, y, weights, targets_of, recipe):
        self._check_training_X(X)
        precomputed = is_precomputed(self.kernel)
        if precomputed and not symmetric(X):
            raise ValueError("X must be a symmetric matrix for kernel='precomputed'.")
        data = training_rows(X, y, weights, merge=not precomputed)
        self._set_kernel(data)
        with threads_for(float(len(data.y)) ** 2):
            choice = self._choose_gamma(data, targets_of, recipe)
            starts = choice.starts(data.rows)
            gram, targets = self._gram(data, choice.gamma, recipe), targets_of(data)
            fits = [
                self._fit_one(gram.signed(target), recipe, data.weights, choice.modes, start)
                for target, start in zip(targets, starts, strict=True)
            ]
        self._store_fits(data, gram, choice, fits, targets)
        self.flip_probability_ = self._training_flips(X, y, data, fits)
        if not self.converged_:
            warnings.warn(
                f"{type(self).__name__} did not settle: {self._advice}.", ConvergenceWarning, stacklevel=3
            )

    def _set_kernel(self, data):
        super()._set_kernel(data)
        if isinstance(self.kernel, str) and self.kernel == "linear":
            # These machines have no other bias.
            self._kernel = Linear(self.coef0)

    def _choose_gamma(self, data, targets_of, recipe):
        """Kernel parameter, mode and sites to start from, found on a part of the rows."""
        seed = check_seed(self.random_state).randint(np.iinfo(np.int32).max)
        gammas = self._candidates(data)
        if len(data.y) > _SEARCH_ROWS:
            data = data.sample(_SEARCH_ROWS, np.random.default_rng(seed))
        targets, rows = targets_of(data), np.arange(len(data.y))

        def grams(gamma):
            gram = self._gram(data, gamma, recipe)
            return (gram.signed(target).block(rows) for target in targets)

        return choose(
            grams,
            data.rows,
            data.weights,
            recipe,
            self._kernel.reference_gamma(data.X),
            gammas,
            tol=max(self.tol, _SEARCH_TOL),
            max_iter=self.max_iter,
            report=self._report,
        )

    def _candidates(self, data):
        """Values of gamma to compare, or None: around the reference."""
        if not self._kernel.has_gamma or (isinstance(self.gamma, str) and self.gamma == "scale"):
            return [scale_gamma(data.X)]
        return None if isinstance(self.gamma, str) else np.atleast_1d(self.gamma)

    def _gram(self, data, gamma, likelihood):
        """Kernel values of the rows, without labels."""
        X = data.X[:, data.rows] if self._kernel.is_precomputed else self._shifted(data.X)
        share = _NOISE_FREE_JITTER if likelihood.mean == 0 else _JITTER
        return Gram.of(self._kernel.with_gamma(gamma), X, share)

    def _report(self, trial):
        if self.verbose:
            noise = np.mean([posterior.noise.mean for posterior in trial.posteriors])
            mode = trial.posteriors[0].mode.name
            message = f"gamma {trial.gamma:.4g}, {mode}: log evidence {trial.score:.2f}, noise {noise:.3f}"
            print(f"[{type(self).__name__}] {message}", file=sys.stderr, flush=True)

    def _store_fits(self, data, gram, choice, fits, targets):
        """Keep the active rows and their posterior, nothing else."""
        used = np.unique(np.concatenate([fit.rows for fit in fits]))
        self.gamma_ = choice.gamma
        self._kernel = self._kernel.with_gamma(choice.gamma)
        precomputed = self._kernel.is_precomputed
        self.relevance_ = data.rows[used]
        self.relevance_vectors_ = np.empty((0, 0)) if precomputed else data.X[used]
        self._prior_variance = float(gram.diagonal.mean())
        self.expansions_ = [
            DualExpansion.of(gram.signed(target), fit.rows, fit.posterior, used)
            for fit, target in zip(fits, targets, strict=True)
        ]
        posteriors = [fit.posterior for fit in fits]
        self.log_evidence_ = float(sum(posterior.log_evidence for posterior in posteriors))
        self.ep_mode_ = max((posterior.mode for posterior in posteriors), key=_steadiness).name
        self.n_negative_sites_ = int(sum((posterior.sites[:, 0] < 0).sum() for posterior in posteriors))
        self.n_iter_ = max(fit.n_iter for fit in fits)
        self.converged_ = all(fit.converged for fit in fits)
        records = [(trial.gamma, trial.score, trial.settled) for trial in choice.trials]
        self.trials_ = np.array(records, dtype=_TRIAL_RECORD)

    @property
    def noise_(self):
        """Posterior mean of the share of wrong labels; with more than two classes, of each machine."""
        means = np.array([expansion.likelihood.mean for expansion in self.expansions_])
        return float(means[0]) if len(means) == 1 else means

    @property
    def noise_posterior_(self):
        """Parameters (a, b) of the Beta posterior of that share; with more classes, one row a machine."""
        pairs = np.array([(each.likelihood.a, each.likelihood.b) for each in self.expansions_])
        return tuple(pairs[0].tolist()) if len(pairs) == 1 else pairs

    def _kernel_values(self, X):
        if self._kernel.is_precomputed:
            return X[:, self.relevance_]
        return self._kernel(self._shifted(X), self._shifted(self.relevance_vectors_))

    def _prior_variances(self, X):
        """k(x, x); for a precomputed kernel its mean over the training rows."""
        if self._kernel.is_precomputed:
            return np.full(X.shape[0], self._prior_variance)
        return self._kernel.diagonal(self._shifted(X))

    def _latent(self, X):
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        with threads_for(X.shape[0] * len(self.relevance_)):
            K, prior = self._kernel_values(X), self._prior_variances(X)
            pairs = [expansion.latent(K, prior) for expansion in self.expansions_]
        means, variances = zip(*pairs, strict=True)
        return np.column_stack(means), np.column_stack(variances)

    def predict_proba(self, X):  # type: ignore[override]
        """Probability of each class, integrated over the posterior.

        For two classes it lies between ``noise_`` and 1 − ``noise_``: a new label is as noisy as the others.
        With more classes p_k is proportional to the odds of machine k to the power 0.8.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; each row sums to one.
        """
        return super().predict_proba(X)

    def flip_probability(self, X, y):
        """How likely each label is wrong, for rows that were not trained on.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Their labels, which may be wrong.

        Returns
        -------
        probability : ndarray of shape (n_samples,)
        """
        means, variances = self._latent(X)
        y = column_or_1d(y)
        if len(y) != len(means) or not np.isin(y, self.classes_).all():
            raise ValueError("y must have one of classes_ for each row of X.")
        return self._flips(means, variances, np.searchsorted(self.classes_, y))

    def _flips(self, means, variances, codes):
        """Probabilities that the machine of each label disagrees with it."""
        many = len(self.expansions_) > 1
        flips = np.empty(len(codes))
        for code in np.unique(codes):
            rows, which = codes == code, int(code) if many else 0
            sign = 1.0 if many or code == 1 else -1.0
            likelihood = self.expansions_[which].likelihood
            flips[rows] = likelihood.tilt(sign * means[rows, which], variances[rows, which])[1]
        return flips

    def _training_flips(self, X, codes, data, fits):
        """Flip probability of each training row, by the machine of its label; its own label counts once."""
        merged = np.empty(len(data.y))
        for code in np.unique(data.y):
            rows = data.y == code
            merged[rows] = fits[int(code) if len(fits) > 1 else 0].flip[rows]
        flips = merged[data.places]
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
    return -mode.power, -mode.damping
