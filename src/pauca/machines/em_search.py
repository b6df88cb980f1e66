"""Cycles of expectation maximisation from many columns to few, the kernel parameter learned on the way."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..basis import with_bias
from ..inference.em import Penalty, expected_latents, maximise, width_step
from ..likelihoods import MultinomialProbit, Probit

EM_RECORD = np.dtype([("log_posterior", float), ("n_terms", int), ("gamma", float)])
_MAX_HALVINGS = 4
# Cycles between two steps of the kernel parameter.
_CYCLES_A_STEP = 3


@dataclass(frozen=True)
class Side:
    """One class against the rest on the way: labels, active columns of its signed basis, their weights with
    the bias first, and the latent values from which the next cycle starts."""

    y: np.ndarray
    signs: np.ndarray
    active: np.ndarray
    w: np.ndarray
    f: np.ndarray


@dataclass(frozen=True)
class EMSettings:
    """When to drop a weight, when to stop, and whether gamma is learned."""

    penalty: Penalty
    threshold: float
    tol: float
    max_iter: int
    learns_gamma: bool


@dataclass(frozen=True)
class EMResult:
    """Where the cycles ended."""

    sides: list
    gamma: float
    path: np.ndarray
    converged: bool


def em_search(basis_at, sides, gamma, weights, settings):
    """Cycle until the posterior stops rising. ``basis_at(gamma)`` gives the columns."""
    path: list[tuple] = []
    designs, converged = _designs(basis_at(gamma), sides), False
    while not converged and len(path) < settings.max_iter:
        n_terms, step = _n_terms(sides), 0.0
        sides, designs = _cycle_all(sides, designs, weights, settings)
        if settings.learns_gamma and len(path) % _CYCLES_A_STEP == 0:
            sides, step = _move_gamma(basis_at, gamma, sides, weights)
        if step:
            gamma *= float(np.exp(step))
            designs = _designs(basis_at(gamma), sides)
        path.append(_record(sides, gamma, weights, settings.penalty))
        still = _n_terms(sides) == n_terms and abs(step) < settings.tol and _settled(path, settings.tol)
        # The bias alone is found exactly when the posterior is.
        converged = still or _n_terms(sides) == 0
    return EMResult(sides, gamma, np.array(path, dtype=EM_RECORD), converged)


def _n_terms(sides):
    return sum(len(side.active) for side in sides)


def _settled(path, tol):
    """Whether the last cycles raised the posterior by less than ``tol`` each, or that share of a percent."""
    if len(path) <= _CYCLES_A_STEP:
        return False
    rise = path[-1][0] - path[-1 - _CYCLES_A_STEP][0]
    return rise < tol * _CYCLES_A_STEP * max(1.0, 0.01 * abs(path[-1][0]))


def _designs(basis, sides):
    return [with_bias(basis.signed(side.signs).columns(side.active)[0]) for side in sides]


def _cycle_all(sides, designs, weights, settings):
    """One cycle of every side, and the columns that are left to each."""
    parts = zip(sides, designs, _latents(sides), strict=True)
    after = [_moved(side, Phi, H, weights, settings) for side, Phi, H in parts]
    return _centred([side for side, _ in after]), [Phi for _, Phi in after]


def _centred(sides):
    """Many classes without what their biases have in common: it changes no probability."""
    if len(sides) == 1:
        return sides
    common = np.mean([side.w[0] for side in sides])
    return [replace(side, w=np.append(side.w[0] - common, side.w[1:]), f=side.f - common) for side in sides]


def _together(sides):
    """The class of each row, and the latent values of all classes."""
    return np.argmax([side.y for side in sides], axis=0), np.column_stack([side.f for side in sides])


def _latents(sides):
    """E step: means of the latent values with noise, given that one is positive, or the largest of many."""
    if len(sides) == 1:
        return [expected_latents(sides[0].y, sides[0].f)]
    codes, F = _together(sides)
    return (F + MultinomialProbit().slopes(codes, F)).T


def _log_likelihoods(sides):
    if len(sides) == 1:
        return Probit().log_prob(sides[0].y, sides[0].f)
    return MultinomialProbit().log_prob(*_together(sides))


def _moved(side, Phi, H, weights, settings):
    """The side after one M step; small weights are dropped."""
    w = maximise(Phi, H, weights, side.w, settings.penalty.scales(side.w))
    stays = np.append(True, w[1:] > settings.threshold)
    Phi, w = Phi[:, stays], w[stays]
    return replace(side, active=side.active[stays[1:]], w=w, f=Phi @ w), Phi


def _record(sides, gamma, weights, penalty):
    log_prior = sum(penalty.log_density(side.w) for side in sides)
    return float(weights @ _log_likelihoods(sides) + log_prior), _n_terms(sides), gamma


def _move_gamma(basis_at, gamma, sides, weights):
    """A step of log gamma that lowers the squares of the M step, with the plain weights as they are.

    Rows that own an active column do not count: their columns would speak for any narrow kernel.
    Returns the sides in their new columns and the step, zero where there is none to be made.
    """
    basis = basis_at(gamma)
    counts = np.concatenate([_without_owners(basis, side, weights) for side in sides])
    if not counts.any():
        return sides, 0.0
    pairs = zip(sides, _latents(sides), strict=True)
    plains = [_plain(basis.signed(side.signs), side, H) for side, H in pairs]
    residual, slope = (_stacked(part, plains, basis) for part in (_PlainSide.residual, _PlainSide.slope))
    step, now = width_step(residual, slope, counts), counts @ np.square(residual)
    for _ in range(_MAX_HALVINGS):
        there = basis_at(gamma * np.exp(step))
        if counts @ np.square(_stacked(_PlainSide.residual, plains, there)) < now:
            return [plain.at(there) for plain in plains], step
        step /= 2
    return sides, 0.0


def _stacked(part, plains, basis):
    return np.concatenate([part(plain, basis) for plain in plains])


def _without_owners(basis, side, weights):
    counts = weights.copy()
    owners = basis.centre_rows[side.active]
    counts[owners[owners >= 0]] = 0.0
    return counts


@dataclass(frozen=True)
class _PlainSide:
    """A side with the weights of plain columns, which keep their meaning when gamma changes."""

    side: Side
    H: np.ndarray
    weights: Any
    bias: float

    def residual(self, basis):
        """H − f under another basis."""
        columns = basis.signed(self.side.signs).plain(self.side.active)
        return self.H - self.bias - columns @ self.weights

    def slope(self, basis):
        """∂f / ∂ log gamma."""
        return basis.signed(self.side.signs).log_gamma_derivatives(self.side.active) @ self.weights

    def at(self, basis):
        """The side with standardised columns of another basis."""
        columns, shift, scale = basis.signed(self.side.signs).columns(self.side.active)
        w = np.append(self.bias + self.weights @ shift, self.weights * scale)
        return replace(self.side, w=w, f=with_bias(columns) @ w)


def _plain(basis, side, H):
    _, shift, scale = basis.columns(side.active)
    weights = side.w[1:] / scale
    return _PlainSide(side, H, weights, side.w[0] - weights @ shift)
