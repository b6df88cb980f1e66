"""Expectation maximisation from many columns to few, the kernel parameter learned on the way."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...basis import with_bias
from ...inference.em import Penalty, expected_latents, maximise, width_step
from ...likelihoods import MultinomialProbit, Probit

EM_RECORD = np.dtype([("log_posterior", float), ("n_terms", int), ("gamma", float)])
# Halvings of a step of log gamma before it is given up; numerical guard.
_MAX_HALVINGS = 4
# Cycles between two steps of the kernel parameter; set by hand for the time of a fit.
_CYCLES_A_STEP = 3


@dataclass(frozen=True)
class LatentState:
    """One latent function on the way: labels, signs of all columns, active columns, weights, latent values.

    ``w`` are the weights of the active columns with the bias first, ``f`` the latent values from which the
    next cycle starts.
    """

    y: NDArray
    signs: NDArray
    active: NDArray
    w: NDArray
    f: NDArray


@dataclass(frozen=True)
class EMSettings:
    """Penalty of the weights, smallest weight that is kept, when to stop, whether gamma is learned.

    ``counts_owners`` says whether rows that own an active column count where gamma is learned, ``plug_in``
    whether predictions take the weights as certain.
    """

    penalty: Penalty
    min_weight: float
    tol: float
    max_iter: int
    learns_gamma: bool
    counts_owners: bool = False
    plug_in: bool = False


@dataclass(frozen=True)
class EMResult:
    """States of all latent functions where the cycles ended, gamma, the path, and whether they converged."""

    states: list
    gamma: float
    path: NDArray
    converged: bool


def em_search(basis_at: Any, states: list, gamma: float, weights: NDArray, settings: EMSettings) -> EMResult:
    """Cycles of EM until the posterior stops rising; ``basis_at(gamma)`` gives the columns."""
    path: list[tuple] = []
    designs, converged = _designs(basis_at(gamma), states), False
    while not converged and len(path) < settings.max_iter:
        n_terms, step = _n_terms(states), 0.0
        states, designs = _cycle_all(states, designs, weights, settings)
        if settings.learns_gamma and len(path) % _CYCLES_A_STEP == 0:
            states, step = _move_gamma(basis_at, gamma, states, weights, settings.counts_owners)
        if step:
            gamma *= float(np.exp(step))
            designs = _designs(basis_at(gamma), states)
        path.append(_record(states, gamma, weights, settings.penalty))
        still = _n_terms(states) == n_terms and abs(step) < settings.tol and _settled(path, settings.tol)
        # The bias alone is found exactly when the posterior is.
        converged = still or _n_terms(states) == 0
    return EMResult(states, gamma, np.array(path, dtype=EM_RECORD), converged)


def _n_terms(states):
    return sum(len(state.active) for state in states)


def _settled(path, tol):
    """Whether the last cycles raised the log posterior by less than ``tol``, or that share of 1 %, each."""
    if len(path) <= _CYCLES_A_STEP:
        return False
    rise = path[-1][0] - path[-1 - _CYCLES_A_STEP][0]
    return rise < tol * _CYCLES_A_STEP * max(1.0, 0.01 * abs(path[-1][0]))


def _designs(basis, states):
    return [with_bias(basis.signed(state.signs).columns(state.active)[0]) for state in states]


def _cycle_all(states, designs, weights, settings):
    """States after one cycle, and the designs of the columns that are left to each."""
    parts = zip(states, designs, _latents(states), strict=True)
    after = [_moved(state, Phi, H, weights, settings) for state, Phi, H in parts]
    return _centred([state for state, _ in after]), [Phi for _, Phi in after]


def _centred(states):
    """States of many classes without the mean of their biases, which changes no probability."""
    if len(states) == 1:
        return states
    common = np.mean([state.w[0] for state in states])
    return [
        replace(state, w=np.append(state.w[0] - common, state.w[1:]), f=state.f - common) for state in states
    ]


def _together(states):
    """Class of each row, and the latent values of all classes."""
    return np.argmax([state.y for state in states], axis=0), np.column_stack([state.f for state in states])


def _latents(states):
    """E step: means of the latent values with noise, given that one is positive, or the largest of many."""
    if len(states) == 1:
        return [expected_latents(states[0].y, states[0].f)]
    codes, F = _together(states)
    return (F + MultinomialProbit().gradient(codes, F)).T


def _log_likelihoods(states):
    if len(states) == 1:
        return Probit().log_prob(states[0].y, states[0].f)
    return MultinomialProbit().log_prob(*_together(states))


def _moved(state, Phi, H, weights, settings):
    """State after one M step, without small weights."""
    w = maximise(Phi, H, weights, state.w, settings.penalty.scales(state.w))
    stays = np.append(True, w[1:] > settings.min_weight)
    Phi, w = Phi[:, stays], w[stays]
    return replace(state, active=state.active[stays[1:]], w=w, f=Phi @ w), Phi


def _record(states, gamma, weights, penalty):
    log_prior = sum(penalty.log_density(state.w) for state in states)
    return float(weights @ _log_likelihoods(states) + log_prior), _n_terms(states), gamma


def _move_gamma(basis_at, gamma, states, weights, counts_owners=False):
    """States in the columns of a new gamma, and the step of log gamma, zero where none lowers the squares.

    The squares are those of the M step at fixed weights of plain columns. Unless ``counts_owners``, rows that
    own an active column do not count, because their columns would favour any narrow kernel.
    """
    basis = basis_at(gamma)
    parts = [weights if counts_owners else _without_owners(basis, state, weights) for state in states]
    counts = np.concatenate(parts)
    if not counts.any():
        return states, 0.0
    pairs = zip(states, _latents(states), strict=True)
    plains = [_plain(basis.signed(state.signs), state, H) for state, H in pairs]
    methods = (_PlainState.residual, _PlainState.derivative)
    residual, derivative = (_stacked(part, plains, basis) for part in methods)
    step, now = width_step(residual, derivative, counts), counts @ np.square(residual)
    for _ in range(_MAX_HALVINGS):
        there = basis_at(gamma * np.exp(step))
        if counts @ np.square(_stacked(_PlainState.residual, plains, there)) < now:
            return [plain.at(there) for plain in plains], step
        step /= 2
    return states, 0.0


def _stacked(part, plains, basis):
    return np.concatenate([part(plain, basis) for plain in plains])


def _without_owners(basis, state, weights):
    counts = weights.copy()
    owners = basis.centre_rows[state.active]
    counts[owners[owners >= 0]] = 0.0
    return counts


@dataclass(frozen=True)
class _PlainState:
    """State with the weights of plain columns, which keep their meaning when gamma changes."""

    state: LatentState
    H: np.ndarray
    weights: Any
    bias: float

    def residual(self, basis):
        """H − f under another basis."""
        columns = basis.signed(self.state.signs).plain(self.state.active)
        return self.H - self.bias - columns @ self.weights

    def derivative(self, basis):
        """∂f / ∂ log gamma."""
        return basis.signed(self.state.signs).log_gamma_derivatives(self.state.active) @ self.weights

    def at(self, basis):
        """State in the standardised columns of another basis."""
        columns, shift, scale = basis.signed(self.state.signs).columns(self.state.active)
        w = np.append(self.bias + self.weights @ shift, self.weights * scale)
        return replace(self.state, w=w, f=with_bias(columns) @ w)


def _plain(basis, state, H):
    _, shift, scale = basis.columns(state.active)
    weights = state.w[1:] / scale
    return _PlainState(state, H, weights, state.w[0] - weights @ shift)
