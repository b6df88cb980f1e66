"""Fitter of sparse Gaussian-process regression: exact evidence of some rows, then few vectors."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...numerics import robust_cholesky, solve_lower, weighted_normal_equations
from ...selection import InducingSearch
from ..data import TrainingRows
from ..fitter import Trial
from ..recipe import Limits
from .gaussian_process import GaussianProcessFitter
from .process_evidence import Process, ProcessEvidence

# Rows, drawn at random, whose exact evidence compares kernels, and rows on which the chosen one is
# optimised; set by hand for the time of a fit.
_N_COMPARED, _N_OPTIMISED = 150, 400
# Multiples of the reference gamma from which the evidence is maximised; set by hand.
_STARTS = (1.0, 0.1)
# Share of the prior variance that is added to the covariance of the vectors; numerical guard.
_JITTER = 1e-9
# Least rise of the penalised evidence, in nats, for which feature scales are taken; set by hand.
_MIN_RISE = 3.0


@dataclass(frozen=True)
class ProcessPosterior:
    """Posterior of a process carried by few vectors, in whitened weights.

    Parameters
    ----------
    process : Process
        Hyperparameters.
    vectors : ndarray of shape (n_vectors, n_features)
        Inducing vectors.
    root : ndarray of shape (n_vectors, n_vectors)
        Lower Cholesky factor of their prior covariance.
    mean : ndarray of shape (n_weights,)
        Posterior mean of the weights of constant, trend and whitened vectors.
    factor : ndarray of shape (n_weights, n_weights)
        Lower Cholesky factor of their posterior precision.
    """

    process: Process
    vectors: NDArray
    root: NDArray
    mean: NDArray
    factor: NDArray

    @classmethod
    def of(
        cls, process: Process, vectors: NDArray, X: NDArray, y: NDArray, precision: NDArray
    ) -> "ProcessPosterior":
        """Posterior given targets with a noise ``precision`` for each row."""
        covariance = process.covariance(vectors, vectors)
        root = robust_cholesky(covariance + _JITTER * process.amplitude * np.eye(len(vectors)))
        empty = cls(process, vectors, root, np.empty(0), np.empty((0, 0)))
        Phi = empty.design(X)
        factor, mean = weighted_normal_equations(Phi, precision, 1.0, Phi.T @ (precision * y))
        return replace(empty, mean=mean, factor=factor)

    def whitened(self, X: NDArray) -> NDArray:
        """Whitened covariances of rows with the vectors, shape (n_rows, n_vectors)."""
        if len(self.vectors) == 0:
            return np.empty((len(X), 0))
        return solve_lower(self.root, self.process.covariance(self.vectors, X)).T

    def design(self, X: NDArray) -> NDArray:
        """Features whose weights have variance one before any data: constant, trend, whitened vectors."""
        return np.hstack([self.process.features(X), self.whitened(X)])

    def latent(self, X: NDArray) -> tuple[NDArray, NDArray]:
        """Mean and variance of f; the variance that the vectors do not explain is that of the prior."""
        Phi = self.design(X)
        explained = np.square(Phi[:, -len(self.vectors) :]).sum(axis=1) if len(self.vectors) else 0.0
        left = np.maximum(self.process.variance(X) - explained, 0.0)
        return Phi @ self.mean, np.square(solve_lower(self.factor, Phi.T)).sum(axis=0) + left

    def latent_covariance(self, X: NDArray) -> NDArray:
        """Posterior covariance matrix of f at some rows."""
        half, whitened = solve_lower(self.factor, self.design(X).T), self.whitened(X)
        return half.T @ half + self.process.covariance(X, X) - whitened @ whitened.T


@dataclass(frozen=True)
class ProcessRegressionFitter:
    """Gaussian-process regression with one kernel, with or without a linear trend.

    Parameters
    ----------
    data : TrainingRows
        Standardised rows and targets.
    kernel : Kernel
        Kernel without its gamma.
    has_trend : bool
        Whether f has a linear trend.
    limits : Limits
        ``min_gain`` of a vector in nats, and ``max_iter``, the largest number of vectors.
    seed : int
        Seed of the draws of rows.
    n_rows : int
        Rows whose exact evidence is maximised.
    """

    data: TrainingRows
    kernel: Any
    has_trend: bool
    limits: Limits
    seed: int = 0
    n_rows: int = _N_COMPARED

    def fit(self, value: float, known: Sequence[Trial] = (), scales: Any = None, draw: int = 0) -> Trial:
        """Trial from one gamma: hyperparameters of the largest penalised evidence, without any vectors.

        The best known trial is where the search starts, if there is one; ``scales`` are then optimised, too.
        """
        trend = 1 / max(self.data.X.shape[1], 1) if self.has_trend else 0.0
        start = Process(self.kernel.with_gamma(value), trend=trend)
        if known:
            start = max(known, key=lambda trial: trial.score).amplitudes
        start = replace(start, scales=scales)
        X, y, weights = self._rows()
        evidence = ProcessEvidence(X, y, weights, start)
        process, score = evidence.maximise()
        return self._trial(process, score, evidence.log_evidence)

    def _rows(self):
        data = self.data
        if len(data.y) > self.n_rows:
            data = data.sample(self.n_rows, np.random.default_rng(self.seed))
        return data.X, data.y, data.weights

    def _trial(self, process, score, log_evidence, fits=()):
        gamma = process.kernel.gamma if process.kernel.has_gamma else 1.0
        options = {"scales": process.scales, "weight": self.data.weights.sum(), "amplitudes": process}
        n_terms = sum(len(fit.vectors) for fit in fits)
        return Trial(gamma, score, log_evidence, n_terms, fits, **options)

    def refit(self, trial: Trial) -> Trial:
        """Trial with the inducing vectors that raise the lower bound most, and the posterior of all rows."""
        process, data, limits = trial.amplitudes, self.data, self.limits
        rng, n = np.random.default_rng(self.seed), len(data.centres)
        size = min(limits.max_candidates or n, n)
        places = data.centres[np.sort(rng.choice(n, size, replace=False))]
        Z, precision = data.X[places], data.weights / process.noise
        columns, covariance = process.covariance(data.X, Z), process.covariance(Z, Z)
        search = InducingSearch(columns, covariance, process.features(data.X), data.y, precision)
        chosen, converged = search.run(limits.max_iter, limits.min_gain)
        posterior = ProcessPosterior.of(process, Z[chosen], data.X, data.y, precision)
        fit = ProcessFit(posterior, places[chosen], converged)
        return replace(trial, fits=(fit,), n_terms=len(chosen))


@dataclass(frozen=True)
class ProcessFit:
    """Posterior of a process, the training rows that are its vectors, and whether no other had a gain."""

    posterior: ProcessPosterior
    rows: NDArray
    converged: bool

    @property
    def vectors(self) -> NDArray:
        """Inducing vectors."""
        return self.posterior.vectors


def choose_process(
    data: TrainingRows,
    kernels: Sequence,
    trends: Sequence[bool],
    limits: Limits,
    *,
    feature_scales: bool = True,
    seed: int = 0,
    report: Any = None,
) -> tuple[Trial, list[Trial]]:
    """Trial of the largest penalised evidence, with its vectors, and all trials.

    Kernels, with and without a linear trend, are compared on few rows; the best is optimised on more, then
    with a scale for every feature, which is taken if the evidence rises clearly.
    """
    trials: list[Trial] = []
    found: list[tuple[Trial, ProcessRegressionFitter]] = []

    def note(trial, fitter):
        trials.append(trial)
        found.append((trial, fitter))
        if report is not None:
            report(trial)
        return trial

    # The first kernel decides on the trend; the others are compared with that choice.
    options = trends
    for kernel in kernels:
        reference = kernel.reference_gamma(data.X) if kernel.has_gamma else 1.0
        for has_trend in options:
            fitter = ProcessRegressionFitter(data, kernel, has_trend, limits, seed)
            for multiple in _STARTS if kernel.has_gamma else _STARTS[:1]:
                note(fitter.fit(multiple * reference), fitter)
        options = [max(found, key=lambda pair: pair[0].score)[1].has_trend]
    best, fitter = max(found, key=lambda pair: pair[0].score)
    if len(data.y) > fitter.n_rows:
        fitter = replace(fitter, n_rows=_N_OPTIMISED)
        best = note(fitter.fit(best.gamma, [best]), fitter)
    n_features = data.X.shape[1]
    if feature_scales and fitter.kernel.has_scale_gradient and n_features > 1:
        scaled = note(fitter.fit(best.gamma, [best], np.ones(n_features)), fitter)
        if scaled.score - max(GaussianProcessFitter.scale_penalty * n_features, _MIN_RISE) > best.score:
            best = scaled
    return fitter.refit(best), trials
