"""EP in inner-product form: sites in u_i = y_i f(x_i), whose covariance before any data is the matrix C.

For likelihoods of label noise, whose sites may have negative precision. Hernández-Lobato's thesis (2009),
section 6.2; power EP and its evidence are ours.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.linalg.blas import dgemm
from scipy.special import betaln

from .sites import cavity, log_scale

__all__ = ["MODES", "DualPosterior", "EPMode", "dual_ep", "dual_kernel", "dual_moments"]

_BLOCK = 48
# A mode is given up when the changes of this many sweeps are not smaller than those of as many before.
_PATIENCE = 20


class EPMode(NamedTuple):
    """Which share of a site is taken out at a time, and which part of the step is made."""

    name: str
    power: float
    damping: float


#: From the most exact to the steadiest.
MODES = (EPMode("sequential", 1.0, 1.0), EPMode("damped", 1.0, 0.5), EPMode("power", 0.7, 0.7))


@dataclass(frozen=True)
class DualPosterior:
    """u ~ N(mean, cov), ε ~ Beta(noise.a, noise.b); ``sites`` has columns precision, shift, wrong, right.

    ``flip`` is the probability of each row that its label is wrong. ``log_evidence`` is −inf where a row
    has no proper cavity. ``converged`` says that the last sweep skipped no row and changed little.
    """

    mean: np.ndarray
    cov: np.ndarray
    sites: np.ndarray
    noise: object
    flip: np.ndarray
    log_evidence: float
    mode: EPMode
    n_iter: int
    n_skipped: int
    converged: bool

    @property
    def coef(self):
        """The mean of u at rows with kernel values c is c·coef (thesis B.21)."""
        return self.sites[:, 1] - self.sites[:, 0] * self.mean


def dual_ep(C, noise, weights, mode=MODES[0], *, start=None, tol=1e-4, max_iter=150):
    """Posterior of (u, ε), one mode of the ladder.

    Parameters
    ----------
    C : ndarray of shape (n, n)
        Prior covariance of u: kernel values times both labels.
    noise : LabelNoise
        Likelihood with the prior of ε.
    weights : ndarray of shape (n,)
        How many times each row counts.
    mode : EPMode
        Power and damping.
    start : ndarray of shape (n, 4), optional
        Sites to start from; those that do not make a proper posterior are forgotten.
    tol : float
        Largest change of a site, in posterior standard deviations, at which it ends.
    max_iter : int
        Limit on the number of sweeps.

    Returns
    -------
    posterior : DualPosterior
    """
    sites, (mean, cov, log_det) = _start(C, start)
    changes: list[float] = []
    n_skipped = len(C)
    while len(changes) < max_iter and not _given_up(changes):
        beta = _beta(noise, sites)
        n_skipped, change, swept = _sweep(cov, mean, sites, beta, noise.known, weights, mode)
        try:
            mean, cov, log_det = dual_moments(C, *swept[:, :2].T)
        except LinAlgError:
            n_skipped = len(C)
            break
        moved = np.abs(_beta(noise, swept) - _beta(noise, sites)).max() / mode.damping
        sites = swept
        changes.append(np.inf if n_skipped else max(change, moved))
        if changes[-1] < tol:
            break
    settled = n_skipped == 0 and bool(changes) and changes[-1] < tol
    return _posterior(noise, weights, mode, sites, (mean, cov, log_det), len(changes), n_skipped, settled)


def _start(C, sites):
    """Sites to start from and their posterior."""
    if sites is not None:
        try:
            return sites, dual_moments(C, *sites[:, :2].T)
        except LinAlgError:
            pass
    return np.zeros((len(C), 4)), (np.zeros(len(C)), np.array(C, order="C"), 0.0)


def _given_up(changes):
    """Whether the changes have ceased to fall."""
    recent, before = changes[-_PATIENCE:], changes[-2 * _PATIENCE : -_PATIENCE]
    return len(before) == _PATIENCE and min(recent) >= min(before)


def _beta(noise, sites):
    return np.array([noise.a, noise.b]) + sites[:, 2:].sum(axis=0)


def _sweep(cov, mean, sites, beta, known, weights, mode):
    """All sites in turn: rows of a block one by one, then the block's effect on all rows at once.

    ``cov`` and ``mean`` are used up. Gives the skipped rows, the largest change and the new sites.
    """
    visit = import_module("laconic.inference.ep.dual_sweep").visit
    sites, n_skipped, change = sites.copy(), 0, 0.0
    for first in range(0, len(mean), _BLOCK):
        rows = slice(first, first + _BLOCK)
        old, part, inner = sites[rows].copy(), sites[rows], cov[rows, rows].copy()
        skipped, moved = visit(
            inner.copy(), mean[rows].copy(), part, beta, known, weights[rows], mode.power, mode.damping
        )
        _spread(cov, mean, rows, inner, *(part - old)[:, :2].T)
        n_skipped, change = n_skipped + skipped, max(change, moved)
    return n_skipped, change, sites


def _spread(cov, mean, rows, inner, precision, shift):
    """The posterior after the sites of some rows got more ``precision`` and ``shift``, in place.

    With D = diag(precision): cov − X D (I + inner D)⁻¹ X', X the columns of these rows.
    """
    columns = cov[:, rows].copy()
    both = np.column_stack([np.diag(precision), shift - precision * mean[rows]])
    solved = np.linalg.solve(np.eye(len(inner)) + precision[:, None] * inner, both)
    mean += columns @ solved[:, -1]
    dgemm(-1.0, columns, solved[:, :-1] @ columns.T, beta=1.0, c=cov.T, overwrite_c=True)


def dual_moments(C, precision, shift):
    """Mean and covariance (C⁻¹ + diag(precision))⁻¹ of u, and log det(I + C diag(precision)).

    First the rows of positive precision, then the others. Raises LinAlgError if there is no proper posterior.
    """
    cov, log_det = _covariance(C, precision, precision > 0, 1.0)
    less = precision < 0
    if less.any():
        cov, log_det_less = _covariance(cov, precision, less, -1.0)
        log_det += log_det_less
    return cov @ shift, cov, log_det


def _covariance(C, precision, rows, sign):
    """C − C R (sign I + R C R)⁻¹ R C over ``rows``, R² = |precision|, and log |det(sign I + R C R)|."""
    root = np.sqrt(np.abs(precision[rows]))
    columns = C[:, rows] * root
    inner = np.eye(len(root)) + sign * root[:, None] * columns[rows]
    factor = cholesky(inner, lower=True, check_finite=False)
    half = solve_triangular(factor, columns.T, lower=True, check_finite=False)
    cov = C - sign * (half.T @ half)
    return np.ascontiguousarray(cov), 2 * float(np.log(np.diag(factor)).sum())


def dual_kernel(C, precision):
    """K with posterior covariance C − C K C: diag(t) (I + C diag(t))⁻¹ (thesis B.20)."""
    inner = np.eye(len(C)) + precision[:, None] * C
    kernel = np.linalg.solve(inner, np.diag(precision))
    return (kernel + kernel.T) / 2


def _posterior(noise, weights, mode, sites, moments, n_iter, n_skipped, settled):
    """The posterior with its evidence."""
    mean, cov, log_det = moments
    a, b = _beta(noise, sites)
    learned = noise if noise.known else type(noise)(float(a), float(b))
    flip, evidence = _evidence(noise, learned, weights, mode, sites, mean, np.diag(cov))
    if np.isfinite(evidence):
        evidence += 0.5 * (sites[:, 1] @ mean - log_det)
    return DualPosterior(
        mean, cov, sites, learned, flip, float(evidence), mode, n_iter, n_skipped, settled
    )


def _evidence(noise, learned, weights, mode, sites, mean, var):
    """Flip probabilities, and the part of the log evidence (6.82) that belongs to sites and ε."""
    precision, shift, wrong, right = mode.power * sites.T
    cavity_mean, cavity_var = cavity(mean, var, precision, shift)
    a, b = learned.a - wrong, learned.b - right
    proper = (cavity_var > 0) & ((a > 0) & (b > 0) | noise.known)
    inside = [np.where(proper, part, 1.0) for part in (cavity_mean, cavity_var, a, b)]
    log_z, flip, _, _ = noise.tilt(*inside, mode.power * weights)
    flip = np.where(proper, flip, 0.5)
    if not proper.all():
        return flip, -np.inf
    scales = log_scale(log_z, precision, shift, cavity_mean, cavity_var)
    if not noise.known:
        scales += betaln(a, b) - learned.log_norm
    return flip, scales.sum() / mode.power + learned.log_norm - noise.log_norm
