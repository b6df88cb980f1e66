"""EP in inner-product form: sites in u_i = y_i f(x_i), whose covariance before any data is the matrix C.

For likelihoods of label noise, whose sites may have negative precision. Hernández-Lobato's thesis (2009),
section 6.2; power EP and its evidence are ours.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError
from scipy.special import betaln

from .dual_algebra import dual_moments, span_moments, span_of, spread
from .sites import cavity, log_scale

__all__ = ["MODES", "DualPosterior", "EPMode", "dual_ep"]

_BLOCK = 32
# A mode is given up when the changes of this many sweeps are not smaller than those of as many before.
_PATIENCE = 10
# The posterior is computed anew from the sites after so many sweeps, to remove drift.
_REFRESH = 10
# Shares of the mean of the diagonal that are added to it, and sweeps with each, before the first real sweep.
_EXTRA_DIAGONAL, _FIRST_SWEEPS, _FIRST_TOL = (1.0, 0.1, 0.01), 3, 1e-2
# Sites that would change by less than this share of the tolerance stay as they are.
_NEGLIGIBLE = 0.1


class EPMode(NamedTuple):
    """Which share of a site is taken out at a time, and which part of the step is made."""

    name: str
    power: float
    damping: float


#: From the most exact to the steadiest.
MODES = (
    EPMode("sequential", 1.0, 1.0),
    EPMode("damped", 1.0, 0.5),
    EPMode("power", 0.7, 0.7),
    EPMode("half-power", 0.5, 0.5),
)


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
    run = _Run(C, noise, weights, mode, _NEGLIGIBLE * tol, span_of(C))
    run.start(start)
    changes: list[float] = []
    while len(changes) < max_iter and not _given_up(changes):
        changes.append(run.sweep())
        settled = changes[-1] < tol
        if (settled or len(changes) % _REFRESH == 0) and not run.rebuild():
            break
        if settled:
            return run.posterior(len(changes), True)
    return run.posterior(len(changes), False)


def _given_up(changes):
    """Whether the changes have ceased to fall."""
    recent, before = changes[-_PATIENCE:], changes[-2 * _PATIENCE : -_PATIENCE]
    return len(before) == _PATIENCE and min(recent) >= min(before)


class _Run:
    """Sites, and the posterior that follows from them; with U, where C = U U' has few columns, that of w."""

    def __init__(self, C, noise, weights, mode, least, U=None):
        self.C, self.noise, self.weights, self.mode, self.least = C, noise, weights, mode, least
        self.U, self.n_skipped = U, len(C)

    def start(self, sites):
        """From given sites if they make a proper posterior, else from an easier problem.

        The easier problem has C with a larger diagonal, like a narrow kernel, and a known share of wrong
        labels: sites that start far from the truth may stay there, with half of the labels called wrong.
        """
        if sites is not None:
            self.sites, self.proper = np.array(sites, dtype=float), None
            if self.rebuild():
                return
        self.sites, self.proper = np.zeros((len(self.C), 4)), None
        if not self.noise.known:
            known, extra = type(self.noise).fixed(self.noise.mean), np.diag(self.C).mean()
            for share in _EXTRA_DIAGONAL:
                C = self.C + share * extra * np.eye(len(self.C))
                easier = _Run(C, known, self.weights, MODES[0], _FIRST_TOL)
                easier.start(self.sites)
                for _ in range(_FIRST_SWEEPS):
                    easier.sweep()
                self.sites = easier.sites if easier.rebuild() else self.sites
        if not self.rebuild():
            self.sites = np.zeros((len(self.C), 4))
            self.rebuild()

    def sweep(self):
        """All sites in turn; gives the largest change, which is infinite when rows were skipped.

        Without U the rows of a block one by one, then the block's effect on all rows at once.
        """
        before = self._beta()
        go = self._sweep_blocks if self.U is None else self._sweep_span
        self.n_skipped, change = go(before.copy())
        moved = np.abs(self._beta() - before).max() / self.mode.damping
        return np.inf if self.n_skipped else max(change, moved)

    def _sweep_blocks(self, beta):
        visit = import_module("laconic.inference.ep.dual_sweep").visit
        n_skipped, change = 0, 0.0
        for first in range(0, len(self.C), _BLOCK):
            rows = np.arange(first, min(first + _BLOCK, len(self.C)))
            old, part = self.sites[rows], self.sites[rows]
            cov, mean = self.cov[np.ix_(rows, rows)], self.mean[rows]
            skipped, moved = visit(cov, mean, part, beta, *self._settings(rows))
            self.sites[rows] = part
            changed = (part != old).any(axis=1)
            spread(self.cov, self.mean, rows[changed], *(part - old)[changed, :2].T)
            n_skipped, change = n_skipped + skipped, max(change, moved)
        return n_skipped, change

    def _sweep_span(self, beta):
        visit = import_module("laconic.inference.ep.dual_sweep").visit_span
        return visit(self.U, self.cov, self.mean, self.sites, beta, *self._settings(slice(None)))

    def _settings(self, rows):
        return self.noise.known, self.weights[rows], *self.mode[1:], self.least

    def rebuild(self):
        """The posterior of the sites; if it is not proper, back to the last sites for which it was."""
        try:
            self.mean, self.cov, self.log_det = self._moments()
        except LinAlgError:
            self.n_skipped = len(self.C)
            if self.proper is not None:
                self.sites = self.proper
                self.mean, self.cov, self.log_det = self._moments()
            return False
        self.proper = self.sites.copy()
        return True

    def _moments(self):
        if self.U is None:
            return dual_moments(self.C, *self.sites[:, :2].T)
        return span_moments(self.U, *self.sites[:, :2].T)

    def _beta(self):
        return np.array([self.noise.a, self.noise.b]) + self.sites[:, 2:].sum(axis=0)

    def posterior(self, n_iter, settled):
        """The posterior with its evidence."""
        if not settled:
            self.rebuild()
        mean, cov = self.mean, self.cov
        if self.U is not None:
            mean, cov = self.U @ mean, self.U @ cov @ self.U.T
        a, b = self._beta()
        learned = self.noise if self.noise.known else type(self.noise)(float(a), float(b))
        flip, evidence = _evidence(
            self.noise, learned, self.weights, self.mode, self.sites, mean, np.diag(cov)
        )
        if np.isfinite(evidence):
            evidence += 0.5 * (self.sites[:, 1] @ mean - self.log_det)
        return DualPosterior(
            mean,
            cov,
            self.sites,
            learned,
            flip,
            float(evidence),
            self.mode,
            n_iter,
            self.n_skipped,
            settled,
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
