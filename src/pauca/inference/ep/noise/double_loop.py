"""Double loop of expectation propagation: a descent of its free energy, which always settles.

The free energy of expectation propagation is a convex function of beliefs minus the convex entropies of their
overlaps u_i. The outer loop replaces those by their tangents; the inner loop minimises the convex bound that
is left, by coordinate ascent of its dual with a line search (Heskes & Zoeter 2002; Opper & Winther 2005). The
share ε of wrong labels has a factor of its own here, independent of u, whose update descends, too.
"""

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError

from ....numerics import robust_cholesky
from .dual_algebra import span_moments, span_of

__all__ = ["Descent", "descend"]

# Change of the inner loop, as a share of the last change of the outer one, at which it ends; its most sweeps
# at first, doubled up to the second number where the free energy does not fall. Set by hand.
_INNER_SHARE, _INNER_SWEEPS = 0.3, (2, 32)
# Rise of the free energy in nats that rounding can cause; numerical guard.
_ROUNDING = 1e-8
# Least change of overlaps that ends the descent: smaller ones may be rounding. Numerical guard.
_FINEST_TOL = 1e-10
# Smallest share of the precision of a marginal that a cavity has at the start; numerical guard.
_LEAST_CAVITY = 1e-6


@dataclass
class Descent:
    """State of the double loop.

    Parameters
    ----------
    U : ndarray of shape (n, rank)
        Factor of the prior covariance: u = U w, w ~ N(0, I).
    noise : LabelNoise
        Likelihood with the prior of ε.
    votes : ndarray of shape (n, 2)
        Weights of both labels of each row.
    natural : ndarray of shape (n, 2)
        Precisions and shifts of the sites in u.
    beta : ndarray of shape (2,)
        Parameters of the distribution of ε.
    """

    U: NDArray
    noise: Any
    votes: NDArray
    natural: NDArray
    beta: NDArray
    mean: NDArray = field(default_factory=lambda: np.empty(0))
    cov: NDArray = field(default_factory=lambda: np.empty(0))
    log_det: float = 0.0
    overlap: NDArray = field(default_factory=lambda: np.empty(0))
    flip: NDArray = field(default_factory=lambda: np.empty(0))
    log_evidence: float = -np.inf
    n_iter: int = 0
    converged: bool = False

    @property
    def sites(self) -> NDArray:
        """Sites as those of the other modes: precision, shift, and what the row adds to a and b of ε."""
        return np.column_stack([self.natural, self.counts])

    @property
    def counts(self) -> NDArray:
        """Expected weights of the wrong and of the right labels of each row."""
        right, wrong = self.votes.T
        return np.column_stack(
            [right * self.flip + wrong * (1 - self.flip), right * (1 - self.flip) + wrong * self.flip]
        )

    @property
    def halves(self) -> NDArray:
        """Logarithms of the factor of each row for u > 0 and for u < 0, shape (n, 2)."""
        rates = import_module("pauca.numerics.compiled_moments").mean_log_rates
        log_right, log_wrong = rates(*map(float, self.beta), self.noise.known)
        return np.stack(
            [_weighted(self.votes, log_right, log_wrong), _weighted(self.votes, log_wrong, log_right)]
        ).T

    def rebuild(self) -> None:
        """Recompute the posterior from the sites; raises LinAlgError where it is not proper."""
        self.mean, self.cov, self.log_det = span_moments(self.U, *self.natural.T)

    def marginals(self) -> NDArray:
        """Precisions and shifts of the marginals of u, shape (n, 2)."""
        var = ((self.U @ self.cov) * self.U).sum(axis=1)
        return np.column_stack([1 / var, (self.U @ self.mean) / var])


def _weighted(votes: NDArray, log_first: float, log_second: float) -> NDArray:
    """Sum of logarithms with the weights of both labels; labels of no weight count nothing."""
    pairs = np.where(votes > 0, np.array([log_first, log_second]), 0.0)
    return (votes * pairs).sum(axis=1)


def descend(run: Any, tol: float, max_sweeps: int) -> Descent:
    """Descend from the sites of a run until overlaps change by less than ``tol`` standard deviations."""
    state, change, n_inner = _begin(run), 1.0, _INNER_SWEEPS[0]
    tol = max(tol, _FINEST_TOL)
    while not state.converged and state.n_iter < max_sweeps:
        halves, before = state.halves, state.log_evidence
        inner = _ascend(state, halves, _INNER_SHARE * max(min(change, 1.0), tol), n_inner)
        try:
            state.rebuild()
        except LinAlgError:
            break
        change = max(_update_noise(state, halves), _move_overlap(state))
        state.converged = change < tol and inner < tol
        _evaluate(state)
        if state.log_evidence < before - _ROUNDING:
            n_inner = min(2 * n_inner, _INNER_SWEEPS[1])
    _evaluate(state)
    return state


def _ascend(state: Descent, halves: NDArray, end: float, n_sweeps: int) -> float:
    """Inner loop: sweeps until moments of beliefs differ by less than ``end``; returns their difference."""
    compiled = import_module("pauca.inference.ep.noise.double_loop_sweep")
    way = np.inf
    for _ in range(n_sweeps):
        way = compiled.sweep(state.U, state.cov, state.mean, state.natural, state.overlap, halves)
        state.n_iter += 1
        if way < end:
            break
    return way


def _move_overlap(state: Descent) -> float:
    """Outer loop: move overlaps to the marginals, as far as cavities stay proper; returns the change."""
    marginal, overlap = state.marginals(), state.overlap
    least = state.natural[:, 0] + _LEAST_CAVITY * overlap[:, 0]
    fits = marginal[:, 0] > least
    way = np.where(fits, 1.0, overlap[:, 0] - marginal[:, 0])
    share = np.where(fits, 1.0, 0.5 * np.maximum(overlap[:, 0] - least, 0.0) / way)
    state.overlap = overlap + share[:, None] * (marginal - overlap)
    return _distance(marginal, overlap)


def _begin(run: Any) -> Descent:
    """State at the sites of a run where all cavities are proper, else without sites."""
    U = span_of(run.C) if run.U is None else run.U
    U = np.ascontiguousarray(robust_cholesky(run.C)) if U is None else U
    beta = np.array([run.noise.a, run.noise.b], dtype=float)
    state = Descent(U, run.noise, run.weights, run.sites[:, :2].copy(), beta)
    try:
        state.rebuild()
        marginal = state.marginals()
        proper = bool((marginal[:, 0] * (1 - _LEAST_CAVITY) > state.natural[:, 0]).all())
    except LinAlgError:
        proper = False
    if not (proper and np.isfinite(state.natural).all()):
        state.natural[:] = 0.0
        state.rebuild()
    elif not run.noise.known and (run.beta() > 0).all():
        state.beta = run.beta()
    state.overlap = state.marginals()
    return state


def _distance(new: NDArray, old: NDArray) -> float:
    """Largest change of marginals: of the log precision, and of the mean in standard deviations."""
    means = new[:, 1] / new[:, 0] - old[:, 1] / old[:, 0]
    return float(max(np.abs(np.log(new[:, 0] / old[:, 0])).max(), np.abs(means * np.sqrt(new[:, 0])).max()))


def _tilted(state: Descent, halves: NDArray) -> NDArray:
    """log Z and P(u < 0) of each factor times its cavity, shape (2, n)."""
    cavity = state.overlap - state.natural
    compiled = import_module("pauca.inference.ep.noise.double_loop_sweep")
    return compiled.tilted(cavity[:, 1] / cavity[:, 0], 1 / cavity[:, 0], halves)


def _update_noise(state: Descent, halves: NDArray) -> float:
    """New flip probabilities and distribution of ε; returns the change of its parameters."""
    state.flip = _tilted(state, halves)[1]
    if state.noise.known:
        return 0.0
    before = state.beta
    state.beta = np.array([state.noise.a, state.noise.b]) + state.counts.sum(axis=0)
    return float(np.abs(state.beta - before).max())


def _evaluate(state: Descent) -> None:
    """Log evidence: minus the free energy, whose part in ε is a lower bound."""
    log_z, state.flip = _tilted(state, state.halves)
    cavity = state.overlap - state.natural
    scales = (log_z + _log_mass(cavity) - _log_mass(state.overlap)).sum()
    gauss = 0.5 * (state.natural[:, 1] @ (state.U @ state.mean) - state.log_det)
    divergence = 0.0
    if not state.noise.known:
        compiled = import_module("pauca.numerics.compiled_moments")
        prior = float(state.noise.a), float(state.noise.b)
        divergence = compiled.beta_divergence(*map(float, state.beta), *prior)
    state.log_evidence = float(scales + gauss - divergence)


def _log_mass(natural: NDArray) -> NDArray:
    """Log integral of exp(shift·u − ½ precision·u²) up to a constant."""
    return 0.5 * (np.square(natural[:, 1]) / natural[:, 0] - np.log(natural[:, 0]))
