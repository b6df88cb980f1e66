"""Hamiltonian Monte Carlo: draws from the exact posterior, slow but free of approximations."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .chains import effective_samples, split_r_hat
from .posterior import Posterior
from .protocols import SamplingPrior, SmoothLikelihood, check_parts

# Mean acceptance probability that the warm-up aims at; set by hand.
_TARGET_ACCEPTANCE = 0.8
# Leapfrog steps of a trajectory are drawn from this range, the end excluded; set by hand.
_N_STEPS = (8, 16)
# First step size in posterior standard deviations, and the share by which steps vary at random; set by hand.
_FIRST_STEP, _JITTER = 0.5, 0.2
# Parameters γ, t₀ and κ of the dual averaging of the step size (Hoffman & Gelman 2014, section 3.2).
_SHRINKAGE, _DELAY, _FORGETTING = 0.05, 10, 0.75


@dataclass(frozen=True)
class Chains:
    """Draws of the weights from several Markov chains.

    Parameters
    ----------
    draws : ndarray of shape (n_chains, n_draws, n_weights)
        Draws after the warm-up.
    step : float
        Step size in posterior standard deviations.
    acceptance : float
        Mean acceptance probability after the warm-up.
    """

    draws: NDArray
    step: float
    acceptance: float

    @property
    def flat(self) -> NDArray:
        """Draws of all chains as rows."""
        return self.draws.reshape(-1, self.draws.shape[-1])

    @property
    def r_hat(self) -> NDArray:
        """Split R̂ of every weight: near one where the chains agree."""
        return np.array([split_r_hat(draws) for draws in np.moveaxis(self.draws, -1, 0)])

    @property
    def effective_samples(self) -> NDArray:
        """Effective sample size of every weight."""
        return np.array([effective_samples(draws) for draws in np.moveaxis(self.draws, -1, 0)])


def hmc(
    likelihood: SmoothLikelihood,
    prior: SamplingPrior,
    Phi: NDArray,
    y: NDArray,
    weights: NDArray,
    posterior: Posterior,
    rng: np.random.Generator,
    *,
    n_chains: int = 4,
    n_draws: int = 1000,
    n_warmup: int = 500,
) -> Chains:
    """Draws from p(y | Φw) p(w); weights that must be positive are reflected at zero (EPCVM 2014, II-D).

    The prior may be any with ``log_density`` and ``derivatives``; of factors besides the Gaussian, those that
    are smooth count as they are, and a truncation at zero is the reflection.

    Parameters
    ----------
    likelihood : Likelihood
        Likelihood with ``log_prob`` and ``derivatives``.
    prior : Prior
        Prior of the weights; weights are reflected at zero where it says ``is_positive`` and ``has_factors``.
    Phi : ndarray of shape (n_rows, n_weights)
        Design matrix.
    y : ndarray of shape (n_rows,)
        Observations.
    weights : ndarray of shape (n_rows,)
        Weights of the rows.
    posterior : Posterior
        Gaussian approximation: chains start from draws of it, and its standard deviations scale the moves.
    rng : numpy.random.Generator
        Source of randomness.
    n_chains : int, default=4
        Number of chains.
    n_draws : int, default=1000
        Draws of each chain that are kept.
    n_warmup : int, default=500
        Draws of each chain before them, during which the step size is adapted to an acceptance of 80 %.

    Returns
    -------
    chains : Chains
    """
    check_parts("hmc", (likelihood, SmoothLikelihood), (prior, SamplingPrior))
    target = _Target(likelihood, prior, Phi, y, weights, np.sqrt(posterior.variances))
    state = target.start(posterior.mean, rng, n_chains)
    sizes, step, kept, rates = _StepSize(_FIRST_STEP), _FIRST_STEP, [], []
    for t in range(n_warmup + n_draws):
        state, accepted = _move(target, state, step * rng.uniform(1 - _JITTER, 1 + _JITTER), rng)
        if t < n_warmup:
            step = sizes.updated(accepted) if t < n_warmup - 1 else sizes.final
        else:
            kept.append(state.w)
            rates.append(accepted)
    return Chains(np.stack(kept, axis=1), float(step), float(np.mean(rates)))


@dataclass(frozen=True)
class _State:
    """Current point of every chain, its log density and gradient."""

    w: NDArray
    log_density: NDArray
    gradient: NDArray


@dataclass(frozen=True)
class _Target:
    """Log density of the weights, and the ``scale`` of moves in each."""

    likelihood: SmoothLikelihood
    prior: SamplingPrior
    Phi: NDArray
    y: NDArray
    weights: NDArray
    scale: NDArray

    def start(self, mean: NDArray, rng: np.random.Generator, n_chains: int) -> _State:
        """Random points around the mean, one for each chain."""
        w = mean + self.scale * rng.standard_normal((n_chains, len(mean)))
        return self.at(self.reflected(w, np.zeros_like(w))[0])

    def at(self, w: NDArray) -> _State:
        """State of chains at the points ``w``."""
        f = w @ self.Phi.T
        latent_gradient, _ = self.likelihood.derivatives(self.y, f)
        prior = [self.prior.expand(each)[:2] for each in w]
        log_prior = np.array([density for density, _ in prior])
        gradient = (self.weights * latent_gradient) @ self.Phi + np.array([pull for _, pull in prior])
        return _State(w, self.likelihood.log_prob(self.y, f) @ self.weights + log_prior, gradient)

    def reflected(self, w: NDArray, momentum: NDArray) -> tuple[NDArray, NDArray]:
        """Weights and momenta, reflected at zero where a weight must not be negative; the bias may be."""
        if not (self.prior.is_positive and self.prior.has_factors):
            return w, momentum
        flip = np.where(w < 0, -1.0, 1.0)
        flip[:, 0] = 1.0
        return flip * w, flip * momentum


def _move(target: _Target, state: _State, step: float, rng: np.random.Generator) -> tuple[_State, float]:
    """State of all chains after one trajectory, and the mean acceptance probability."""
    momentum = rng.standard_normal(state.w.shape)
    end, last = _leapfrog(target, state, momentum, step, int(rng.integers(*_N_STEPS)))
    energy = 0.5 * (np.square(momentum) - np.square(last)).sum(axis=1)
    log_ratio = np.nan_to_num(end.log_density - state.log_density + energy, nan=-np.inf)
    accepted = np.log(rng.uniform(size=len(log_ratio))) < log_ratio
    new = _State(
        np.where(accepted[:, None], end.w, state.w),
        np.where(accepted, end.log_density, state.log_density),
        np.where(accepted[:, None], end.gradient, state.gradient),
    )
    return new, float(np.exp(np.minimum(log_ratio, 0.0)).mean())


def _leapfrog(
    target: _Target, state: _State, momentum: NDArray, step: float, n_steps: int
) -> tuple[_State, NDArray]:
    """State and momenta after ``n_steps`` leapfrog steps."""
    for _ in range(n_steps):
        momentum = momentum + 0.5 * step * target.scale * state.gradient
        w, momentum = target.reflected(state.w + step * target.scale * momentum, momentum)
        state = target.at(w)
        momentum = momentum + 0.5 * step * target.scale * state.gradient
    return state, momentum


class _StepSize:
    """Step size that dual averaging adapts to the target acceptance."""

    def __init__(self, first: float) -> None:
        self._centre, self._error, self._log_average, self._count = np.log(10 * first), 0.0, 0.0, 0

    def updated(self, acceptance: float) -> float:
        """Step size to try next, given the acceptance of the last trajectory."""
        self._count += 1
        t = self._count
        share = 1 / (t + _DELAY)
        self._error = (1 - share) * self._error + share * (_TARGET_ACCEPTANCE - acceptance)
        log_step = self._centre - np.sqrt(t) / _SHRINKAGE * self._error
        weight = t**-_FORGETTING
        self._log_average = weight * log_step + (1 - weight) * self._log_average
        return np.exp(log_step)

    @property
    def final(self) -> float:
        """Averaged step size, for use after the warm-up."""
        return np.exp(self._log_average)
