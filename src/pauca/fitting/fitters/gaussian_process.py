"""Fitter of sparse Gaussian processes: amplitude and kernel by evidence, then few vectors.

The latent function f has the covariance s · k(x, x'). At the mode every row is a vector of weight
s · ∂ log p(y | f) / ∂f, which has the sign of its label: few vectors with such signs come as near to the
process as one likes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from ...basis import drawn, with_bias
from ...inference import laplace
from ...priors import ARD
from ..classes import Binary
from ..fitter import FitProblem, Trial
from ..kernel_choice import LogSearch
from ..recipe import BIAS_PRECISION
from .kernel_expansion import ExpansionEvidence, select_vectors

# Multiples of the reference gamma from wide to narrow kernels, and factors of the refinements; chosen by
# `benchmarks regret` over all sets.
_MULTIPLES, _REFINEMENTS = 10.0 ** np.arange(-2.0, 1.01), 10.0 ** np.array([0.5, 0.25])
# Rows, drawn whatever their labels, whose kernel stands for that of all rows in the evidence; set by hand
# for time.
_N_LANDMARKS = 100
# Share of the largest eigenvalue below which principal columns are left out; numerical guard.
_NEGLIGIBLE = 1e-6
# Largest prior standard deviation of f, in units of the likelihood's saturation; numerical guard.
_MAX_STD = 30.0
# Half-width of the search for the log prior variance around its guess, and its tolerance; set by hand for
# time.
_REACH, _VARIANCE_TOL = 4.0, 0.2
# Memory for the columns of candidates, in bytes.
_MAX_BYTES = 256 * 2**20


@dataclass(frozen=True)
class Amplitudes:
    """Prior variances of the latent values, and the mean ``level`` of k(x, x) by which they are divided."""

    variances: tuple
    level: float

    @property
    def values(self) -> list[float]:
        """Amplitudes s of the covariances s · k(x, x'), one for each latent function."""
        return [variance / self.level for variance in self.variances]


@dataclass(frozen=True)
class GaussianProcessFitter:
    """Kernel and amplitudes by the evidence of each class against the rest, then vectors of all classes.

    A trial of one gamma has the evidence of the whole process, without a choice of vectors, so that it
    needs no penalty; `refit` selects the vectors.
    """

    problem: FitProblem

    # Rise of the evidence, in nats for each scale, that feature scales must bring; chosen by test log-loss on
    # half splits 0-11 of about 15 sets.
    scale_penalty = 0.75
    search = LogSearch(_MULTIPLES, 0, _REFINEMENTS, np.inf)

    def fit(self, value: float, known: Sequence[Trial] = (), scales: Any = None, draw: int = 0) -> Trial:
        """Trial at one gamma: the largest evidence over amplitudes, from those of the nearest known gamma."""
        problem, likelihood = self.problem, self.problem.recipe.likelihood
        V, level = _principal_columns(problem.basis_at(value, scales), problem.rng())
        nearest = min(known, key=lambda trial: abs(np.log(trial.gamma / value)), default=None)
        n_targets = len(problem.targets)
        starts = nearest.amplitudes.variances if nearest else [likelihood.saturation**2] * n_targets
        pairs = zip(problem.targets, starts, strict=True)
        found = [_best_variance(V, y, problem.weights, problem.recipe, start) for y, start in pairs]
        variances, log_evidences = zip(*found, strict=True)
        log_evidence, n_terms = float(sum(log_evidences)), V.shape[1] - 1
        options = {"weight": problem.weights.sum(), "amplitudes": Amplitudes(variances, level)}
        return Trial(value, log_evidence, log_evidence, n_terms, scales=scales, **options)

    def refit(self, trial: Trial) -> Trial:
        """Trial with vectors selected among this fitter's rows, at the kernel and amplitudes of a trial."""
        problem, limits = self.problem, self.problem.limits
        basis = problem.basis_at(trial.gamma, trial.scales)
        size = min(limits.max_candidates or basis.n_candidates, max(1, _MAX_BYTES // (8 * basis.n_rows)))
        candidates = drawn(basis, size, problem.rng())
        candidates = candidates[basis.centre_rows[candidates] >= 0]
        fits = select_vectors(basis, candidates, problem.classes, trial.amplitudes.values, limits)
        options = {"scales": trial.scales, "weight": trial.weight, "joint": problem.classes.is_joint}
        whole = Trial.of_fits(trial.gamma, fits, trial.score, amplitudes=trial.amplitudes, **options)
        problem.report(whole)
        return whole

    def scale_starts(self, chosen: Trial, trials: Sequence[Trial]) -> list[Trial]:
        """Trials from which the search for scales starts: the chosen one."""
        return [chosen]

    def evidence_gradient(self, trial: Trial) -> list:
        """Log evidence of the vectors, one-vs-rest, and its gradient as functions of the scales."""
        problem, basis = self.problem, self.problem.basis_at(trial.gamma)
        parts = zip(trial.fits, problem.targets, trial.amplitudes.values, strict=True)
        recipe = replace(problem.recipe, engine=laplace)
        return [
            ExpansionEvidence(
                problem.signed(basis, y),
                fit.model.active,
                amplitude,
                Binary(recipe, y, problem.weights).final,
            )
            for fit, y, amplitude in parts
            if len(fit.model.active)
        ]


def _principal_columns(basis, rng):
    """Column of ones and V with V Vᵀ ≈ k(X, X) / level, from the kernel of some rows; and the level."""
    centred = np.flatnonzero(basis.centre_rows >= 0)
    landmarks = rng.choice(centred, min(_N_LANDMARKS, len(centred)), replace=False)
    gram = basis.gram(landmarks)
    level = float(np.abs(np.diag(gram)).mean()) or 1.0
    variances, directions = np.linalg.eigh(gram / level)
    kept = variances > _NEGLIGIBLE * np.abs(variances).max()
    V = basis.plain(landmarks) @ (directions[:, kept] / np.sqrt(variances[kept]))
    return with_bias(V / level), level


def _best_variance(V, y, weights, recipe, guess):
    """Prior variance of the largest penalised evidence around a ``guess``, and that evidence."""
    likelihood = recipe.likelihood
    saturation = 2 * np.log(likelihood.saturation)
    largest = saturation + 2 * np.log(_MAX_STD)
    middle = min(np.log(guess), largest)
    start = None

    def penalty(log_variance):
        # Flat while labels are in doubt; where classes separate, the evidence would grow without end.
        return np.logaddexp(0.0, log_variance - saturation)

    def descent(log_variance):
        nonlocal start
        posterior = laplace(likelihood, _equal_precisions(V, log_variance), V, y, weights, start)
        start = posterior.warm_start(slice(None), 0)
        return penalty(log_variance) - posterior.log_evidence

    bounds = (middle - _REACH, min(middle + _REACH, largest))
    found = minimize_scalar(descent, bounds=bounds, method="bounded", options={"xatol": _VARIANCE_TOL})
    posterior = recipe.engine(likelihood, _equal_precisions(V, found.x), V, y, weights, start)
    return float(np.exp(found.x)), posterior.log_evidence - penalty(found.x)


def _equal_precisions(V, log_variance):
    return ARD(np.append(BIAS_PRECISION, np.full(V.shape[1] - 1, np.exp(-log_variance))))
