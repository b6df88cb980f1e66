"""Processes of many classes: one latent function each, with shared kernel, scales, amplitude and vectors."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....basis import Additive, Scaled
from ....inference import DesignPrior, joint_latent_ep
from ....likelihoods import Gaussian, MultinomialProbit, Probit
from ...fitter import ignore
from ..choice import Choice, kernel_like
from ..evidence import IndicatorEvidence
from ..fit import candidate_places
from ..many_features import Narrow
from ..posterior import ProcessPosterior
from ..problem import ProcessFit, ProcessProblem, ProcessTrial
from ..process import Process
from ..vectors import select_vectors
from .evidence import ClassEvidence, base_latents, class_offsets
from .sharpness import sharpness

# Precision of the noise of indicators to start from; set by hand.
_PRECISION = 10.0
# Amplitude of the latent functions to start from; set by hand, between those of iris and yeast.
_AMPLITUDE = 20.0
# Rows and vectors of the joint evidence, and the steps of its ascents: with each kernel, and with the best.
# Chosen by time and test log-loss on half splits 0-1 of 8 sets with many classes.
_N_ROWS, _N_VECTORS, _COMPARING_STEPS, _STEPS = 400, 60, 8, 12
# Change of the sites, in standard deviations, up to which the first vectors alone are enough to infer them;
# set by hand for the time of a fit.
_NEAR = 0.1
# Gain in nats below which no vector is added, as a multiple of ``min_gain``: it is summed over classes.
_GAIN_RATIO = 2.5


def fit_classes(problem: ProcessProblem, n_classes: int) -> ProcessFit:
    """Processes of classes whose codes are the observations of the problem.

    Indicators of the classes, as numbers with noise, give feature scales and vectors; the evidence of the
    multinomial probit model, by expectation propagation with few vectors, then kernel, scales and amplitude.
    """
    search = _ClassSearch(problem, n_classes)
    trial = search.chosen()
    rows, converged = search.vectors(trial.process, problem.limits.max_iter)
    posteriors, done, left_out = search.posteriors(trial.process, rows)
    parts = posteriors, MultinomialProbit(), rows, trial, search.trials, trial.log_evidence
    return ProcessFit(*parts, converged, done, left_out)


def first_class_evidence(problem: ProcessProblem, n_classes: int) -> float:
    """Penalised log evidence of indicators of the classes, by which problems are compared."""
    choice = _ClassSearch(replace(problem, report=ignore), n_classes).start
    return max(choice.first().score, choice.trials[-1].score)


class _Indicators(Choice):
    """Search for hyperparameters of indicators of classes."""

    dense_evidence = IndicatorEvidence


class _ClassSearch:
    """Hyperparameters, vectors and posteriors of the classes of a problem."""

    def __init__(self, problem: ProcessProblem, n_classes: int) -> None:
        self.problem, data = problem, problem.data
        shares = np.bincount(data.y, data.weights, n_classes) / data.weights.sum()
        self.bases = base_latents(shares)
        centred = np.eye(n_classes)[data.y] - shares
        self.indicators = centred / np.sqrt(max((shares * (1 - shares)).mean(), np.finfo(float).tiny))
        first = replace(
            problem,
            data=replace(data, y=self.indicators),
            likelihood=Gaussian(_PRECISION),
            kernels=problem.kernels[:1],
            fixed_base=0.0,
        )
        self.start = _Indicators(first, exact=False)
        self.trials: list[ProcessTrial] = self.start.trials

    def chosen(self) -> ProcessTrial:
        """Trial of the largest evidence of the multinomial probit model, from that of the indicators."""
        first = self.start.chosen()
        self.noise = self._variance(first.process), first.likelihood.precision
        if self.start.narrow is None:
            return self._joint(first)
        wide, narrow = self.problem, Narrow.of(self.problem, self.start.narrow.kept)
        self.problem = narrow.problem
        found = self._joint(narrow.narrowed(first))
        self.problem = wide
        return narrow.widened(found)

    def _joint(self, first: ProcessTrial) -> ProcessTrial:
        """Trial of the largest evidence of the multinomial probit model from a trial of the indicators."""
        amplitude = _AMPLITUDE / self.problem.level(first.process.kernel)
        ratio = amplitude / first.process.amplitude
        constant = (0.0, ratio * first.process.constant[1] if self.problem.learns_constant else 1.0)
        trend = ratio * first.process.trend
        process = replace(first.process, amplitude=amplitude, trend=trend, constant=constant)
        vectors, _ = self.vectors(process, _N_VECTORS)
        trial = ProcessTrial(process, Probit(), -np.inf, -np.inf)
        found = [self._climbed(trial, vectors, _COMPARING_STEPS)]
        for kernel in self.problem.kernels[1:]:
            other = self._with_kernel(found[0].process, kernel)
            if other is not None:
                found.append(self._climbed(replace(trial, process=other), vectors, _COMPARING_STEPS))
        best = max(found, key=lambda each: each.score)
        vectors, _ = self.vectors(best.process, _N_VECTORS)
        return self._climbed(best, vectors, _STEPS)

    def _with_kernel(self, process: Process, kernel: Any) -> Process | None:
        """Process with another kernel of all columns; None: it has main effects and pairs only."""
        X, parts = self.problem.data.X, process.kernel.parts
        scaled = next((part for part in parts if isinstance(part, Scaled)), None)
        if scaled is not None:
            other = replace(scaled, kernel=kernel_like(scaled.kernel, kernel, scaled.place(X)))
            return replace(process, kernel=parts[0] + other)
        if isinstance(process.kernel, Additive):
            return None
        return replace(process, kernel=kernel_like(process.kernel, kernel, process.place(X)))

    def _variance(self, process: Process) -> float:
        """Mean prior variance of a latent function over the rows, without the constant."""
        return process.amplitude * self.problem.level(process.kernel)

    def _climbed(self, trial: ProcessTrial, vectors: NDArray, max_steps: int) -> ProcessTrial:
        problem, places = self.problem, self.problem.places(_N_ROWS)
        X, hyperparameters = problem.data.X[places], self.start.hyperparameters(trial, problem.data.X)
        parts = (X, problem.data.y[places], problem.counts[places], hyperparameters)
        return self.start.noted(ClassEvidence(*parts, problem.data.X[vectors], self.bases), max_steps)

    def vectors(self, process: Any, most: int) -> tuple[NDArray, bool]:
        """Places of the rows whose covariances explain the indicators, and whether no other had a gain."""
        data, limits = self.problem.rows, self.problem.limits
        variance, precision = self.noise
        # Indicators in the units of the latent values: their variances have the same ratio to the noise.
        ratio = self._variance(process) / variance
        b = data.weights * precision / ratio
        sites = np.vstack([b, b * np.sqrt(ratio) * self.indicators.T])
        places = candidate_places(self.problem)
        return select_vectors(process, data.X, sites, places, most, _GAIN_RATIO * limits.min_gain)

    def posteriors(self, process: Any, rows: NDArray) -> tuple[list[ProcessPosterior], bool, tuple]:
        """Posterior of each class given all rows, whether inference converged, and moments without a row."""
        data = self.problem.rows
        offsets = class_offsets(self.bases, self._variance(process))
        prior, design = _design(process, data.X, rows)
        likelihood, start = MultinomialProbit(), None
        if len(rows) > 2 * _N_VECTORS:
            _, small = _design(process, data.X, rows[:_N_VECTORS])
            start = joint_latent_ep(likelihood, small, offsets, data.y, data.weights, tol=_NEAR).sites
        fits = joint_latent_ep(likelihood, design, offsets, data.y, data.weights, start)
        left = np.broadcast_to(design.left, len(data.y))[:, None]
        factor = sharpness(fits, left, offsets, self.problem)
        posteriors = _of_classes(prior, offsets, factor * fits.means, fits.factors)
        mean, var = fits.left_out(data.weights)
        return posteriors, fits.converged, (offsets + factor * mean, var + left)


def _design(process: Any, X: Any, rows: NDArray) -> tuple[ProcessPosterior, DesignPrior]:
    """Process with some rows as vectors before any data, and the prior of the latent values of all rows."""
    prior = ProcessPosterior.prior(process, X[rows])
    Phi = prior.design(X)
    return prior, DesignPrior(Phi, prior.left(X, Phi))


def _of_classes(
    prior: ProcessPosterior, offsets: NDArray, means: NDArray, factors: Sequence[NDArray]
) -> list[ProcessPosterior]:
    """Posteriors that share process, vectors and root but for the prior mean of each class."""
    variance = prior.process.constant[1]
    processes = [replace(prior.process, constant=(float(offset), variance)) for offset in offsets]
    parts = zip(processes, means, factors, strict=True)
    return [replace(prior, process=process, mean=mean, factor=factor) for process, mean, factor in parts]
