"""What the spike-and-slab machines share: from checked data to inclusion probabilities."""

import sys
import warnings
from abc import abstractmethod
from dataclasses import replace
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..inference.ep import Observations, factorised
from ..priors import SpikeSlab
from ..validation import check_number, check_option, check_size
from .design import design_of
from .evidence_climb import climb

_DEFAULT_FEATURES = 32
# Rows that are predicted at a time.
_CHUNK = 64
# Entries of features that are not standardised may be so large.
_LARGEST = 1e6
# Below this prior variance, single precision would lose what rows say beside what the prior says.
_LEAST_VARIANCE = 1e-4


class Trial(NamedTuple):
    """The posteriors of all machines at one setting."""

    expected_features: float
    noise: float
    posteriors: tuple[Any, ...]
    score: float


class SpikeSlabMachine(SelectorMixin, BaseEstimator):
    """Fit a linear model whose weights have a spike-and-slab prior; subclasses say what the targets mean."""

    def _check_arguments(self):
        if self.expected_features != "evidence":
            check_number("expected_features", self.expected_features, 0, strict=True)
        check_number("slab_variance", self.slab_variance, 0, strict=True)
        check_number("spike_variance", self.spike_variance, 0)
        if self.spike_variance >= self.slab_variance:
            raise ValueError(
                f"spike_variance must be below slab_variance={self.slab_variance!r}; "
                f"got {self.spike_variance!r}."
            )
        check_option("prior", self.prior, ("spike-slab", "gaussian"))
        check_number("threshold", self.threshold, 0)
        check_number("n_features_to_select", self.n_features_to_select, 1, kind=Integral, optional=True)
        check_number("tol", self.tol, 0)
        check_number("max_iter", self.max_iter, 1, kind=Integral)

    def _check_data(self, X, y, **kwargs):
        """X in its own precision, and y."""
        X, y = validate_data(self, X, y, dtype=(np.float64, np.float32), **kwargs)
        check_size("X", X)
        return X, y

    def _design(self, X, y, weights):
        if not self.standardize and np.abs(X).max() > _LARGEST:
            raise ValueError(
                f"X has entries beyond {_LARGEST:.0e}; scale it, or leave it to standardize=True."
            )
        return design_of(X, y, weights, self.standardize)

    @abstractmethod
    def _targets(self, design):
        """The targets of the machines: one, or one for each class."""

    def _prior(self, expected_features, design):
        """Inclusion probabilities: one for the bias, and at most one half for the features."""
        n_features = design.X.shape[1] - 1
        share = 1.0 if self.prior == "gaussian" else min(expected_features / n_features, 0.5)
        inclusion = np.append(1.0, np.full(n_features, share))
        return SpikeSlab(inclusion, float(self.slab_variance), float(self.spike_variance))

    def _trial(self, design, expected_features, noise=0.0):
        """Fit all machines at one setting."""
        prior = self._prior(expected_features, design)
        X = design.X if prior.variance.min() > _LEAST_VARIANCE else design.X.astype(float, copy=False)
        prior = replace(prior, inclusion=prior.inclusion.astype(X.dtype))
        posteriors = tuple(
            self._posterior(Observations(X, target, design.weights, noise), prior)
            for target in self._targets(design)
        )
        converged = all(posterior.converged for posterior in posteriors)
        evidence = sum(posterior.log_evidence for posterior in posteriors)
        self._report(f"{expected_features:.4g} features expected: log evidence {evidence:.2f}")
        return Trial(expected_features, noise, posteriors, evidence if converged else -np.inf)

    def _posterior(self, observations, prior):
        return factorised(observations, prior, tol=self.tol, max_iter=self.max_iter)

    def _searched(self, design, noise=0.0):
        """The trial at the given number of features, or at the one that the evidence chooses."""
        if self.expected_features != "evidence" or self.prior == "gaussian":
            named = self.expected_features == "evidence"
            return self._trial(design, _DEFAULT_FEATURES if named else float(self.expected_features), noise)
        highest = (design.X.shape[1] - 1) / 2
        trial_at = lambda number: self._trial(design, number, noise)  # noqa: E731
        return climb(trial_at, min(_DEFAULT_FEATURES, highest), min(1.0, highest), highest)

    def _report(self, message):
        if self.verbose:
            print(f"[{type(self).__name__}] {message}", file=sys.stderr, flush=True)

    def _store(self, trial, design):
        """Keep the moments of the weights, in the units of X where they are public."""
        posteriors, standards = trial.posteriors, design.standards
        self._standards = standards
        self._means = np.array([posterior.mean for posterior in posteriors], dtype=float)
        self._variances = np.array([posterior.var for posterior in posteriors], dtype=float)
        self.coef_ = self._means[:, 1:] / standards.scale
        self.coef_std_ = np.sqrt(self._variances[:, 1:]) / standards.scale
        self.intercept_ = self._means[:, 0] - self.coef_ @ standards.centre
        self.inclusion_by_class_ = np.array(
            [posterior.inclusion[1:] for posterior in posteriors], dtype=float
        )
        self.inclusion_probabilities_ = self.inclusion_by_class_.max(axis=0)
        self.ranking_ = np.lexsort((-np.abs(self._means[:, 1:]).max(axis=0), -self.inclusion_probabilities_))
        self.prior_inclusion_ = float(self._prior(trial.expected_features, design).inclusion[-1])
        self.expected_features_ = float(trial.expected_features)
        self.log_evidence_ = float(sum(posterior.log_evidence for posterior in posteriors))
        self.n_iter_ = max(posterior.n_iter for posterior in posteriors)
        self.converged_ = all(posterior.converged for posterior in posteriors)
        if not self.converged_:
            warnings.warn(
                f"{type(self).__name__} did not converge; raise {self._remedy()}.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _remedy(self):
        """What to raise where a fit does not converge."""
        return f"max_iter={self.max_iter} or tol={self.tol}"

    def _latent(self, X):
        """Mean and variance of the latent value of every machine: two arrays (n_rows, n_machines)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=(np.float64, np.float32), reset=False)
        parts = [self._chunk(X[first : first + _CHUNK]) for first in range(0, len(X), _CHUNK)]
        means, variances = (np.concatenate(part) for part in zip(*parts, strict=True))
        return means, variances

    def _chunk(self, X):
        """The same for rows that are checked."""
        x = self._standards.apply(X)
        mean = self._means[:, 0] + x @ self._means[:, 1:].T
        return mean, self._variances[:, 0] + np.square(x) @ self._variances[:, 1:].T

    def _get_support_mask(self):
        """The best features, or those that are probable enough; always at least one."""
        check_is_fitted(self)
        chosen = self.inclusion_probabilities_ >= self.threshold
        if self.n_features_to_select is not None:
            chosen = np.zeros(len(self.ranking_), dtype=bool)
            chosen[self.ranking_[: self.n_features_to_select]] = True
        chosen[self.ranking_[0]] = True
        return chosen
