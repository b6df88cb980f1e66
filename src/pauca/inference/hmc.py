"""Hamiltonian Monte Carlo: draws from the exact posterior, slowly. The referee of the approximations."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .chains import effective_samples, split_r_hat

_TARGET_ACCEPTANCE = 0.8
_STEPS = (8, 16)
_JITTER = 0.2
# Dual averaging of the step size (Hoffman & Gelman 2014, section 3.2).
_SHRINKAGE, _DELAY, _FORGETTING = 0.05, 10, 0.75


@dataclass(frozen=True)
class Chains:
    """Draws of the weights (n_chains, n_draws, n_weights), and how they were come by."""

    draws: np.ndarray
    step: float
    acceptance: float

    @property
    def flat(self):
        """All draws as rows."""
        return self.draws.reshape(-1, self.draws.shape[-1])

    @property
    def r_hat(self):
        """Split R̂ of every weight: near one where the chains agree."""
        return np.array([split_r_hat(draws) for draws in np.moveaxis(self.draws, -1, 0)])

    @property
    def effective_samples(self):
        """How many independent draws of every weight the chains are worth."""
        return np.array([effective_samples(draws) for draws in np.moveaxis(self.draws, -1, 0)])


def hmc(likelihood, prior, Phi, y, weights, posterior, rng, *, n_chains=4, n_draws=1000, n_warmup=500):
    """Draws from p(y | Φw) p(w); weights that must be positive are reflected at zero (EPCVM 2014, II-D).

    The chains begin at random points of a Gaussian ``posterior``, whose standard deviations are the units
    of the moves. During the warm-up the step size is adapted to an acceptance of 80 %.
    """
    target = _Target(likelihood, prior, Phi, y, weights, np.sqrt(posterior.variances))
    state = target.start(posterior.mean, rng, n_chains)
    sizes, step, kept, rates = _StepSize(), 0.5, [], []
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
    """One point of every chain, its log density and gradient."""

    w: np.ndarray
    log_density: np.ndarray
    gradient: np.ndarray


@dataclass(frozen=True)
class _Target:
    """Log density of the weights, in units of ``scale``."""

    likelihood: Any
    prior: Any
    Phi: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    scale: np.ndarray

    def start(self, mean, rng, n_chains):
        """Points around the mean, one for each chain."""
        w = mean + self.scale * rng.standard_normal((n_chains, len(mean)))
        return self.at(self.reflected(w, np.zeros_like(w))[0])

    def at(self, w):
        """The state at some points."""
        f = w @ self.Phi.T
        slope, _ = self.likelihood.derivatives(self.y, f)
        gradient = (self.weights * slope) @ self.Phi - self.prior.precision * w
        log_prior = -0.5 * np.square(w) @ self.prior.precision
        return _State(w, self.likelihood.log_prob(self.y, f) @ self.weights + log_prior, gradient)

    def reflected(self, w, momentum):
        """Weights and momenta with those mirrored that must not be negative; the bias may."""
        if not self.prior.is_positive:
            return w, momentum
        flip = np.where(w < 0, -1.0, 1.0)
        flip[:, 0] = 1.0
        return flip * w, flip * momentum


def _move(target, state, step, rng):
    """One trajectory of all chains: where they end, and the mean acceptance probability."""
    momentum = rng.standard_normal(state.w.shape)
    end, last = _leapfrog(target, state, momentum, step, rng.integers(*_STEPS))
    energy = 0.5 * (np.square(momentum) - np.square(last)).sum(axis=1)
    log_ratio = np.nan_to_num(end.log_density - state.log_density + energy, nan=-np.inf)
    accepted = np.log(rng.uniform(size=len(log_ratio))) < log_ratio
    new = _State(
        np.where(accepted[:, None], end.w, state.w),
        np.where(accepted, end.log_density, state.log_density),
        np.where(accepted[:, None], end.gradient, state.gradient),
    )
    return new, float(np.exp(np.minimum(log_ratio, 0.0)).mean())


def _leapfrog(target, state, momentum, step, n_steps):
    for _ in range(n_steps):
        momentum = momentum + 0.5 * step * target.scale * state.gradient
        w, momentum = target.reflected(state.w + step * target.scale * momentum, momentum)
        state = target.at(w)
        momentum = momentum + 0.5 * step * target.scale * state.gradient
    return state, momentum


class _StepSize:
    """Step sizes that approach the wanted acceptance."""

    def __init__(self, first=0.5):
        self._centre, self._error, self._log_average, self._count = np.log(10 * first), 0.0, 0.0, 0

    def updated(self, acceptance):
        """The step to try next."""
        self._count += 1
        t = self._count
        share = 1 / (t + _DELAY)
        self._error = (1 - share) * self._error + share * (_TARGET_ACCEPTANCE - acceptance)
        log_step = self._centre - np.sqrt(t) / _SHRINKAGE * self._error
        weight = t**-_FORGETTING
        self._log_average = weight * log_step + (1 - weight) * self._log_average
        return np.exp(log_step)

    @property
    def final(self):
        """The step to stay with."""
        return np.exp(self._log_average)
