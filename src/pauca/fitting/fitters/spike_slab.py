"""Fitter of spike-and-slab machines: expected number of features and noise by evidence."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...inference.ep import (
    Observations,
    averaged_posterior,
    full_covariance,
    is_affordable,
    no_features,
)
from ...priors import SpikeSlab, coupled_inclusion
from ..data import WideRows
from ..kernel_choice import LogSearch, maximise

# Expected number of features where nothing else is said, and where the search for it starts; customary in
# chapter 7 of the thesis.
DEFAULT_FEATURES = 32
# Most rounds of the mean field of dependent features, and the change of a prior probability at which they
# end; set by hand.
_FIELD_ROUNDS, _FIELD_TOL = 10, 0.01
# Ratio of the expected numbers of features that are averaged, and the least of them; set by hand, after
# tables of noise of 40 x 30, 60 x 500 and 100 x 10.
_AVERAGED_FACTOR, _LEAST_AVERAGED = 4.0, 0.2
# Engines whose evidence is nearly right, also where features are correlated.
_WITH_EVIDENCE = ("full covariance", "subsets")
# Ratio of successive values of a hyperparameter that the evidence chooses; set by hand, not tuned.
_FACTOR = 2.0


@dataclass(frozen=True)
class SpikeSlabTrial:
    """Posteriors of all targets at one expected number of features, their log evidence and score in nats."""

    expected_features: float
    score: float
    log_evidence: float
    posteriors: tuple


@dataclass(frozen=True)
class SpikeSlabFitter:
    """Posterior of all weights for every target at one expected number of features.

    Parameters
    ----------
    rows : WideRows
        Standardised training rows.
    targets : list of ndarray
        Targets, one for each latent function.
    posterior_of : callable
        Inference engine: (Observations, SpikeSlab) -> posterior with moments and inclusion probabilities.
    slab_variance, spike_variance : float
        Variances of the weights that matter and of the others.
    is_gaussian : bool
        Whether every feature matters.
    noise : float
        Variance of Gaussian noise; zero: labels.
    report : callable
        Called with every trial.
    neighbours : csr_matrix or None
        Weights of the neighbours of each feature, where inclusion indicators depend on one another.
    coupling : float
        Log odds that a feature gains where all of its neighbours are included.
    no_signal : float
        Prior probability that no feature matters.
    """

    rows: WideRows
    targets: list
    posterior_of: Callable
    slab_variance: float
    spike_variance: float
    is_gaussian: bool
    noise: float = 0.0
    report: Callable = field(default=lambda trial: None)
    neighbours: Any = None
    coupling: float = 0.0
    no_signal: float = 0.0

    def fit(self, value: float, known: Sequence = (), scales: Any = None, draw: int = 0) -> SpikeSlabTrial:
        """Trial at one expected number of features."""
        prior = self.prior(value)
        X = self.rows.X
        prior = replace(prior, inclusion=prior.inclusion.astype(X.dtype))
        posteriors = tuple(self._posterior(X, target, prior) for target in self.targets)
        trial = _trial(value, posteriors)
        self.report(trial)
        return trial

    def _posterior(self, X: Any, target: Any, prior: SpikeSlab) -> Any:
        """Posterior for one target; where features depend on one another, in the mean field of the others."""
        observations = Observations(X, target, self.rows.weights, self.noise)
        posterior = self.posterior_of(observations, prior)
        if self.neighbours is None or self.is_gaussian:
            return posterior
        base, inclusion = prior.inclusion.astype(float), prior.inclusion.astype(float)
        for _ in range(_FIELD_ROUNDS):
            wanted = coupled_inclusion(base[1:], self.neighbours, self.coupling, posterior.inclusion[1:])
            change = np.abs(wanted - inclusion[1:]).max()
            if change < _FIELD_TOL:
                return posterior
            inclusion = np.append(1.0, (inclusion[1:] + wanted) / 2)
            posterior = self.posterior_of(observations, replace(prior, inclusion=inclusion.astype(X.dtype)))
        return posterior

    def refit(self, trial: SpikeSlabTrial) -> SpikeSlabTrial:
        """Trial at the expected number of features of another trial."""
        return self.fit(trial.expected_features)

    def prior(self, expected_features: float) -> SpikeSlab:
        """Prior with inclusion probabilities of one for the bias and at most one half for the features."""
        n_features = self.rows.X.shape[1] - 1
        share = 1.0 if self.is_gaussian else min(expected_features / n_features, 0.5)
        inclusion = np.append(1.0, np.full(n_features, share))
        return SpikeSlab(inclusion, float(self.slab_variance), float(self.spike_variance))

    def choose(self, expected_features: float | str) -> SpikeSlabTrial:
        """Trial at a number of features, at that of the largest evidence, or their average ("posterior")."""
        named, highest = isinstance(expected_features, str), (self.rows.X.shape[1] - 1) / 2
        if not named or self.is_gaussian:
            return self._with_none(self.fit(DEFAULT_FEATURES if named else float(expected_features)))
        start = min(DEFAULT_FEATURES, highest)
        if expected_features == "posterior":
            return self._average(start)
        return self._with_none(maximise(self.fit, start, doublings(start, min(1.0, highest), highest))[0])

    def _average(self, most: float) -> SpikeSlabTrial:
        """Average over numbers of features up to ``most``, and over none, by their evidence."""
        count = 1 + max(0, int(np.log(most / _LEAST_AVERAGED) / np.log(_AVERAGED_FACTOR)))
        values = most / _AVERAGED_FACTOR ** np.arange(count)
        trials = [self.fit(float(value)) for value in values]
        prior = np.append(np.full(count, (1 - self.no_signal) / count), self.no_signal)
        posteriors = []
        for k in range(len(self.targets)):
            parts = [trial.posteriors[k] for trial in trials]
            none, noise = self._none(k, parts[0])
            noises = [self.noise] * count + [noise]
            posteriors.append(averaged_posterior([*parts, none], prior, noises=noises))
        return _trial(float(values.mean()), posteriors)

    def _with_none(self, trial: SpikeSlabTrial) -> SpikeSlabTrial:
        """Average of a trial and of no feature, where there is an evidence to weigh them by."""
        if self.no_signal == 0 or self.is_gaussian or self.spike_variance > 0:
            return trial
        posteriors = []
        for k, posterior in enumerate(trial.posteriors):
            evidence = self._evidence(k, posterior, trial.expected_features)
            if evidence is not None:
                none, noise = self._none(k, posterior)
                posterior = averaged_posterior(
                    [posterior, none],
                    np.array([1 - self.no_signal, self.no_signal]),
                    log_evidences=[evidence, none.log_evidence],
                    noises=[getattr(posterior, "noise", self.noise), noise],
                )
            posteriors.append(posterior)
        return _trial(trial.expected_features, posteriors)

    def _none(self, which: int, posterior: Any) -> tuple[Any, float]:
        """Posterior where no feature matters, and its noise: its own where that of features was learned."""
        target, weights, noise = self.targets[which], self.rows.weights, self.noise
        if getattr(posterior, "noise", noise) != noise:
            noise = float(weights @ np.square(target) / weights.sum())
        observations = Observations(self.rows.X, target, weights, noise)
        return no_features(observations, float(self.slab_variance)), noise

    def _evidence(self, which: int, posterior: Any, expected_features: float) -> float | None:
        """Log evidence of a posterior, of all weights together where its own is a rough bound."""
        if hasattr(posterior, "draws") or not posterior.converged:
            return None
        if self.neighbours is None and posterior.schedule in _WITH_EVIDENCE:
            return posterior.log_evidence
        if not is_affordable(self.rows.X):
            return None
        noise = getattr(posterior, "noise", self.noise)
        observations = Observations(self.rows.X, self.targets[which], self.rows.weights, noise)
        found = full_covariance(observations, self.prior(expected_features))
        return found.log_evidence if found.converged else None


def _trial(expected_features: float, posteriors: Sequence) -> SpikeSlabTrial:
    """Trial of posteriors, with their evidence if all converged."""
    evidence = sum(posterior.log_evidence for posterior in posteriors)
    converged = all(posterior.converged for posterior in posteriors)
    return SpikeSlabTrial(expected_features, evidence if converged else -np.inf, evidence, tuple(posteriors))


@dataclass(frozen=True)
class _AtNoise:
    """Best trial at one noise variance, and its score in nats."""

    noise: float
    trial: SpikeSlabTrial
    score: float


def choose_noise(
    fitter_at: Callable[[float], SpikeSlabFitter], expected_features: float | str, start: float, bounds: tuple
) -> tuple[SpikeSlabTrial, float]:
    """Trial at the noise variance of the largest evidence within bounds, and that variance."""

    def fit(value: float, known: Sequence) -> Any:
        trial = fitter_at(value).choose(expected_features)
        return _AtNoise(value, trial, trial.score)

    best = maximise(fit, start, doublings(start, *bounds))[0]
    return best.trial, best.noise


def doublings(start: float, low: float, high: float) -> LogSearch:
    """Search over ``start`` times powers of two within bounds, from ``start`` on while the score rises."""
    lowest = int(np.floor(np.log(start / low) / np.log(_FACTOR) + 1e-9))
    highest = int(np.floor(np.log(high / start) / np.log(_FACTOR) + 1e-9))
    return LogSearch(_FACTOR ** np.arange(-lowest, highest + 1.0), start=lowest)
