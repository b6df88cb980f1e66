"""Variational posterior of the weights by passes over all rows, each a sum over blocks."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...basis.blocks import RowBlocks
from ...numerics import half_log_det, robust_cholesky, solve_lower, solve_upper, solve_with_factor
from .projection import Projection
from .sums import KEPT_BYTES, Design, Sums, SumsPass, inverse

# Most passes over the rows, and halvings of a step; set by hand.
_MAX_PASSES, _MAX_HALVINGS = 50, 12
# Share of its last value above which a decrement falls slowly, so that steps may become longer; by how much,
# and longest step. Curvatures that change with the variances make full steps too short where labels are
# nearly certain. Set by hand, by passes on a part of the set skin.
_SLOW, _GROWTH, _LONGEST = 0.3, 1.3, 2.0
# Fall of the bound, as a share of its size, that is rounding; numerical guard.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Weights:
    """Gaussian posterior of the whitened weights.

    Parameters
    ----------
    mean : ndarray of shape (n_weights,)
        Means.
    factor : ndarray of shape (n_weights, n_weights)
        Lower Cholesky factor of the precision.
    bound : float
        Variational lower bound on the log evidence, in nats, at the last pass.
    n_passes : int
        Passes over the rows.
    converged : bool
        Whether the next step promised less than the tolerance.
    weight : float
        Sum of the weights of the rows.
    """

    mean: NDArray
    factor: NDArray
    bound: float = -np.inf
    n_passes: int = 0
    converged: bool = False
    weight: float = 0.0

    @classmethod
    def prior(cls, n_weights: int) -> "Weights":
        """Standard normal distribution."""
        return cls(np.zeros(n_weights), np.eye(n_weights))

    @property
    def precision(self) -> NDArray:
        """Precision matrix."""
        return self.factor @ self.factor.T

    def for_rows(self, ratio: float, prior: "Weights | None") -> "Weights":
        """Gaussian with the same mean and a precision as of ``ratio`` times the rows."""
        before = np.eye(len(self.mean)) if prior is None else prior.precision
        return Weights(self.mean, robust_cholesky(before + ratio * (self.precision - before)))

    def divergence_from(self, prior: "Weights") -> float:
        """Kullback-Leibler divergence of this Gaussian from a prior, in nats."""
        half = prior.factor.T @ inverse(self.factor).T
        shift = prior.factor.T @ (self.mean - prior.mean)
        trace = np.square(half).sum() + shift @ shift - len(shift)
        return float(0.5 * trace + half_log_det(self.factor) - half_log_det(prior.factor))


def infer(
    source: RowBlocks,
    projection: Projection,
    likelihood: Any,
    *,
    prior: Weights | None = None,
    start: Weights | None = None,
    tol: float = 1e-3,
    tol_share: float = 0.0,
    max_passes: int = _MAX_PASSES,
    dtype: Any = np.float64,
    design: Design | None = None,
    explained_only: bool = False,
    report: Callable[[int, float], None] | None = None,
) -> Weights:
    """Gaussian of the largest variational bound on the log evidence, by natural-gradient (Newton) steps.

    The bound is Σ E[log p(y | f)] − KL(q ‖ prior) with f = features · w + what the vectors leave of the
    process (Hensman, Matthews & Ghahramani 2015, eq. 18). Each pass adds up all rows.

    Parameters
    ----------
    source : RowBlocks
        Placed rows and targets.
    projection : Projection
        Process and vectors.
    likelihood : Likelihood
        Likelihood of the targets.
    prior : Weights, optional
        Distribution of the weights before these rows; by default standard normal.
    start : Weights, optional
        Where to begin; by default the prior.
    tol : float
        Predicted rise of the bound, in nats, at which the last step is taken.
    tol_share : float
        The same as a share of the bound, or of the rows where they are fewer than its nats.
    max_passes : int
        Most passes.
    dtype : dtype
        Precision of the whitened features, without ``design``.
    design : Design, optional
        Design of these vectors; by default one that lasts for these passes.
    explained_only : bool
        Whether the process is replaced by its projection on the vectors.
    report : callable, optional
        Told the number of the pass and the bound.

    Returns
    -------
    weights : Weights
    """
    prior = prior or Weights.prior(projection.n_weights)
    design = design or Design(projection, dtype, KEPT_BYTES)
    search = _Search(
        source, projection, likelihood, prior, {"design": design, "explained_only": explained_only}
    )
    here, decrement = search.at(start or prior), np.inf
    for n_passes in range(1, max_passes + 1):
        if report is not None:
            report(n_passes, here.bound)
        before, (after, decrement) = decrement, here.step(prior)
        nats = max(tol, tol_share * min(abs(here.bound), here.sums.weight))
        if decrement <= 2 * nats or n_passes == max_passes:
            return Weights(*after, here.bound, search.n_passes, decrement <= 2 * nats, here.sums.weight)
        here = search.climb(here, after, decrement > _SLOW * before)
    raise AssertionError("max_passes is at least one")


@dataclass(frozen=True)
class _Point:
    """Weights, their whitened sums and the bound."""

    weights: Weights
    sums: Sums
    gradient: NDArray
    bound: float

    def step(self, prior: Weights) -> tuple[tuple[NDArray, NDArray], float]:
        """Mean and factor after a full step, and the decrement: twice the predicted rise of the bound."""
        factor = robust_cholesky(prior.precision + self.sums.precision)
        pull = prior.precision @ (prior.mean - self.weights.mean)
        slack = self.gradient + pull
        step = solve_with_factor(factor, slack)
        return (self.weights.mean + step, factor), float(slack @ step)


@dataclass
class _Search:
    """Climb of the bound."""

    source: RowBlocks
    projection: Projection
    likelihood: Any
    prior: Weights
    options: dict[str, Any]
    n_passes: int = 0
    size: float = 1.0

    def at(self, weights: Weights) -> _Point:
        """Sums of all rows and the bound at some weights: one pass."""
        self.n_passes += 1
        moments = weights.mean, weights.factor
        function = SumsPass.at(self.projection, self.likelihood, *moments, **self.options)
        sums = self.source.total(function)
        bound = sums.log_likelihood - weights.divergence_from(self.prior)
        return _Point(weights, sums, self.projection.whitened(sums.gradient), bound)

    def climb(self, here: _Point, after: tuple[NDArray, NDArray], is_slow: bool = False) -> _Point:
        """Point after a part of a natural-gradient step that raises the bound: at first all of it.

        A part that lowers the bound is halved; the next step begins with somewhat more than the last part,
        and with more than all of it where decrements fall slowly.
        """
        target = Weights(*after)
        self.size = min(self.size, _LONGEST if is_slow else 1.0)
        for _ in range(_MAX_HALVINGS):
            there = self.at(_between(here.weights, target, self.size))
            if there.bound >= here.bound - _ROUNDING * abs(here.bound):
                self.size *= _GROWTH
                return there
            self.size *= 0.5
        return there


def _between(left: Weights, right: Weights, share: float) -> Weights:
    """Gaussian whose natural parameters are on the line through those of two others."""
    if share == 1:
        return right
    P, Q = left.precision, right.precision
    factor = robust_cholesky((1 - share) * P + share * Q)
    linear = (1 - share) * P @ left.mean + share * Q @ right.mean
    return Weights(solve_upper(factor, solve_lower(factor, linear)), factor)
