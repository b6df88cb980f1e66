"""Expectation propagation whose posterior is a sum of single effects, for correlated features.

The latent value is u = w_0 + Σ_l x·b_l, where each vector b_l has one weight that is not zero, or none. Sites
approximate the likelihood of u_i alone; given them the model is Gaussian, and every b_l is updated exactly in
turn (iterative Bayesian stepwise selection: Wang, Sarkar, Carbonetto & Stephens, "A simple new approach to
variable selection in regression", JRSS B 82 (2020)). So features that stand in for one another share the
probability of one effect. For few features all subsets are added up instead.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...protocols import SpikeSlabPrior, check_parts
from ..sites import log_scale
from .correlated import CorrelatedPosterior
from .effects import Effects
from .observations import Observations
from .subsets import MAX_SUBSETS, Subsets

__all__ = ["SingleEffectsPosterior", "single_effects"]

# Share of the update of the sites that is made, the sweeps without a smaller change after which it is halved,
# and its least value; set by hand.
_DAMPING, _PATIENCE, _LEAST_DAMPING = 0.8, 8, 0.05
# Smallest share of the marginal precision that a cavity keeps; numerical guard.
_LEAST_CAVITY = 1e-6


@dataclass(frozen=True)
class SingleEffectsPosterior(CorrelatedPosterior):
    """Posterior of the weights and of single effects.

    Parameters
    ----------
    assignments : ndarray of shape (n_effects, n_features)
        Probability that each single effect is that of each feature; the rest is that there is none.
    noise : float
        Variance of Gaussian noise; zero: labels.
    """

    assignments: NDArray
    noise: float


def single_effects(
    observations: Observations,
    prior: SpikeSlabPrior,
    n_effects: int,
    *,
    learn_noise: bool = False,
    tol: float = 1e-3,
    max_iter: int = 200,
) -> SingleEffectsPosterior:
    """Posterior of a linear model with correlated features.

    Parameters
    ----------
    observations : Observations
        Rows and targets; the first column of X is that of the bias.
    prior : SpikeSlab
        Prior of the weights, with a spike of variance zero.
    n_effects : int
        Number of single effects.
    learn_noise : bool, default=False
        Whether the variance of Gaussian noise is re-estimated from its start.
    tol : float, default=1e-3
        Largest change of a probability, or of a latent value in units of the largest one, at which the sweeps
        end.
    max_iter : int, default=200
        Most sweeps.

    Returns
    -------
    posterior : SingleEffectsPosterior
    """
    check_parts("single_effects", (prior, SpikeSlabPrior))
    problem = _Problem(observations, learn_noise)
    effects = Effects(problem.X, prior, n_effects)
    few = problem.X.shape[1] <= MAX_SUBSETS
    model: Any = Subsets(problem.X, prior) if few else effects
    n_iter, converged = problem.converge(model, tol, max_iter)
    if few:
        converged = effects.settle(problem.precision, problem.shift, tol, max_iter) and converged
    summary = model.summary()
    return SingleEffectsPosterior(
        **summary,
        assignments=effects.assignments,
        log_evidence=problem.log_evidence(model),
        noise=problem.noise,
        n_iter=n_iter,
        converged=converged,
        schedule="subsets" if few else "single effects",
    )


class _Problem:
    """Likelihood of the rows as Gaussian sites, with the scales that give its evidence."""

    def __init__(self, observations: Observations, learn_noise: bool) -> None:
        X, self.y, self.weights, self.noise = observations
        self.X = X[:, 1:]
        self.learn_noise = learn_noise
        self.precision, self.shift = np.zeros(len(self.y)), np.zeros(len(self.y))
        self._tilt = import_module("pauca.inference.ep.wide.factorised_sweep").tilt_rows

    def converge(self, model: Any, tol: float, max_iter: int) -> tuple[int, bool]:
        """Update sites and model in turn; number of sweeps, and whether they ended before the limit."""
        latent, share = np.zeros(len(self.y)), _DAMPING
        best, best_at = np.inf, 0
        for n_iter in range(1, max_iter + 1):
            self._update(model, 1.0 if n_iter == 1 else share)
            moved = model.update(self.precision, self.shift)
            before, latent = latent, model.mean
            largest = np.abs(latent).max() or 1.0
            change = max(moved, np.abs(latent - before).max() / largest)
            if change < tol:
                return n_iter, True
            if change < best:
                best, best_at = change, n_iter
            elif n_iter - best_at >= _PATIENCE:
                share, best, best_at = max(share / 2, _LEAST_DAMPING), np.inf, n_iter
        return max_iter, False

    def _update(self, model: Any, share: float) -> None:
        """Sites that match the moments of the likelihood, exact for Gaussian noise."""
        if self.noise > 0:
            if self.learn_noise and self.precision.any():
                misfit = np.square(self.y - model.mean) + model.var
                self.noise = max(float(self.weights @ misfit / self.weights.sum()), _LEAST_CAVITY)
            self.precision, self.shift = self.weights / self.noise, self.weights * self.y / self.noise
            return
        mean, var = self._cavities(model)
        _, gradient, curvature = self._tilt(self.y, mean, var, self.weights)
        left = 1 - curvature * var
        self.precision += share * (curvature / left - self.precision)
        self.shift += share * ((gradient + mean * curvature) / left - self.shift)

    def _cavities(self, model: Any) -> tuple[NDArray, NDArray]:
        """Mean and variance of each latent value without its own site."""
        left = np.maximum(1 - self.precision * model.var, _LEAST_CAVITY)
        return (model.mean - model.var * self.shift) / left, model.var / left

    def log_evidence(self, model: Any) -> float:
        """Log evidence of the model with sites, and the scales of the sites."""
        evidence = model.log_evidence(self.precision, self.shift)
        if self.noise > 0:
            squares = self.weights @ np.square(self.y) / self.noise
            return float(evidence - 0.5 * (squares + self.weights.sum() * np.log(2 * np.pi * self.noise)))
        mean, var = self._cavities(model)
        log_z = self._tilt(self.y, mean, var, self.weights)[0]
        return float(evidence + log_scale(log_z, self.precision, self.shift, mean, var).sum())
