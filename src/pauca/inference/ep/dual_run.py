"""Sites of label noise while expectation propagation runs: sweeps, leaps, and where to start from."""

from importlib import import_module
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError

from .dual_algebra import dual_moments, span_moments, span_of, spread

__all__ = ["MODES", "EPMode", "Run", "easier_sites"]

_BLOCK = 32
# Shares of the mean of the diagonal that are added to it, and sweeps with each, before the first real sweep.
_EXTRA_DIAGONAL, _FIRST_SWEEPS, _FIRST_TOL = (1.0, 0.1, 0.01), 3, 1e-2


class EPMode(NamedTuple):
    """Which share of a site is taken out at a time, and which part of the step is made.

    It is given up when the changes of ``patience`` sweeps are not smaller than those of as many before.
    """

    name: str
    power: float
    damping: float
    patience: int


#: From the most exact to the steadiest, which has nothing to fall back on and may pass by saddle points.
MODES = (
    EPMode("sequential", 1.0, 1.0, 6),
    EPMode("damped", 1.0, 0.5, 8),
    EPMode("power", 0.7, 0.7, 8),
    EPMode("half-power", 0.5, 0.7, 40),
)


class Run:
    """Sites, and the posterior that follows from them; with U, where C = U U' has few columns, that of w."""

    def __init__(self, C, noise, weights, mode, least, U=None):
        self.C, self.noise, self.weights, self.mode, self.least = C, noise, weights, mode, least
        self.U, self.n_skipped = U, len(C)

    def start(self, sites=None):
        """From given sites, from those of easier problems or from none, the first that are proper."""
        for found in (lambda: sites, lambda: easier_sites(self.C, self.noise, self.weights)):
            self.sites, self.proper = found(), None
            if self.sites is not None and self.rebuild():
                return
        self.sites = np.zeros((len(self.C), 4))
        self.rebuild()

    def sweep(self):
        """All sites in turn; gives the largest change, which is infinite when rows were skipped.

        Without U the rows of a block one by one, then the block's effect on all rows at once.
        """
        before = self.beta()
        go = self._sweep_blocks if self.U is None else self._sweep_span
        self.n_skipped, change = go(before.copy())
        moved = np.abs(self.beta() - before).max() / self.mode.damping
        return np.inf if self.n_skipped else max(change, moved)

    def _sweep_blocks(self, beta):
        visit = import_module("pauca.inference.ep.dual_sweep").visit
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
        visit = import_module("pauca.inference.ep.dual_sweep").visit_span
        return visit(self.U, self.cov, self.mean, self.sites, beta, *self._settings(slice(None)))

    def _settings(self, rows):
        return self.noise.known, self.weights[rows], self.mode.power, self.mode.damping, self.least

    def leap(self, sites):
        """To other sites, unless their posterior is not proper; whether it is."""
        if sites is self.sites:
            return True
        n_skipped, self.proper, self.sites = self.n_skipped, self.sites, sites
        proper, self.n_skipped = self.rebuild(), n_skipped
        return proper

    def units(self):
        """One over the prior standard deviations of the four parts of a site."""
        var = np.diag(self.C).mean()
        return np.array([var, np.sqrt(var), 1.0, 1.0])

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
        if not (self.noise.known or (self.beta() > 0).all()):
            raise LinAlgError("the posterior of the noise is not proper")
        if self.U is None:
            return dual_moments(self.C, *self.sites[:, :2].T)
        return span_moments(self.U, *self.sites[:, :2].T)

    def beta(self):
        """Parameters of the posterior of ε."""
        return np.array([self.noise.a, self.noise.b]) + self.sites[:, 2:].sum(axis=0)


def easier_sites(C, noise, weights):
    """Sites to start from: those of problems with a larger diagonal and a known share of wrong labels.

    They are like narrow kernels. Sites that start far from the truth may stay there, with half of the labels
    called wrong. With known noise there are none.
    """
    sites, known = np.zeros((len(C), 4)), type(noise).fixed(noise.mean)
    for share in () if noise.known else _EXTRA_DIAGONAL:
        narrower = C + share * np.diag(C).mean() * np.eye(len(C))
        easier = Run(narrower, known, weights, MODES[0], _FIRST_TOL, span_of(narrower))
        easier.start(sites)
        for _ in range(_FIRST_SWEEPS):
            easier.sweep()
        sites = easier.sites
    return sites
