"""State of expectation propagation in dual form: sweeps, jumps to extrapolated sites, and starting points."""

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError

from ....numerics import votes
from .dual_algebra import dual_moments, span_moments, span_of, spread

__all__ = ["MODES", "EPMode", "Run", "easier_sites"]

# Rows that are updated one by one before their effect on all rows is computed at once; set by hand.
_BLOCK = 32
# Easier problems to start from: the additions to the diagonal of C as shares of its mean, the sweeps with
# each, and the change of a site in standard deviations below which it is not updated. Set by hand.
_EXTRA_DIAGONAL, _FIRST_SWEEPS, _FIRST_TOL = (1.0, 0.1, 0.01), 3, 1e-2


class EPMode(NamedTuple):
    """Power and damping of expectation propagation.

    Parameters
    ----------
    name : str
        Name of the mode.
    power : float
        Share of a site that its cavity is without; one is ordinary expectation propagation.
    damping : float
        Share of an update that is made.
    patience : int
        The search ends when the changes of this many sweeps are not smaller than those of as many before.
    loops : int, default=1
        Two: the double loop, which always descends, see `double_loop`.
    """

    name: str
    power: float
    damping: float
    patience: int
    loops: int = 1


#: Modes from the most exact to the most stable; the last one has more patience, for nothing comes after it.
#: Powers and dampings are set by hand.
MODES = (
    EPMode("sequential", 1.0, 1.0, 6),
    EPMode("damped", 1.0, 0.5, 8),
    EPMode("double-loop", 1.0, 0.5, 8, 2),
    EPMode("power", 0.7, 0.7, 8),
    EPMode("half-power", 0.5, 0.7, 40),
)


class Run:
    """Sites and the posterior that follows: of u, or of w where C = U Uᵀ has a low rank and u = U w.

    Parameters
    ----------
    C : ndarray of shape (n, n)
        Prior covariance of u.
    noise : LabelNoise
        Likelihood with the prior of ε.
    weights : ndarray of shape (n,) or (n, 2)
        Weights of the labels of each row: of the label +1 of u, or of both labels.
    mode : EPMode
        Power and damping.
    least : float
        Change of a site in posterior standard deviations below which it is not updated.
    U : ndarray of shape (n, rank), optional
        Low-rank factor of C.
    """

    def __init__(
        self,
        C: NDArray,
        noise: Any,
        weights: NDArray,
        mode: EPMode,
        least: float,
        U: NDArray | None = None,
    ) -> None:
        self.C, self.noise, self.mode, self.least = C, noise, mode, least
        self.weights = votes(weights)
        self.U, self.n_skipped = U, len(C)
        self.sites = np.zeros((len(C), 4))
        self.proper: NDArray | None = None

    def start(self, sites: NDArray | None = None) -> None:
        """Start from the given sites, those of easier problems or empty ones: the first that are proper."""
        for find in (lambda: sites, lambda: easier_sites(self.C, self.noise, self.weights)):
            self.proper, found = None, find()
            if found is not None:
                self.sites = found
                if self.rebuild():
                    return
        self.sites = np.zeros((len(self.C), 4))
        self.rebuild()

    def sweep(self) -> float:
        """Update all sites in turn; returns the largest change, which is infinite where rows were skipped.

        Without U rows are updated in blocks, and the effect of a block on all rows is computed at once.
        """
        before = self.beta()
        sweep = self._sweep_blocks if self.U is None else self._sweep_span
        self.n_skipped, change = sweep(before.copy())
        moved = np.abs(self.beta() - before).max() / self.mode.damping
        return np.inf if self.n_skipped else max(change, moved)

    def _sweep_blocks(self, beta: NDArray) -> tuple[int, float]:
        """Number of rows skipped and largest change of a sweep over blocks of rows."""
        visit = import_module("pauca.inference.ep.noise.dual_sweep").visit
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

    def _sweep_span(self, beta: NDArray) -> tuple[int, float]:
        """Number of rows skipped and largest change of a sweep in the span of U."""
        visit = import_module("pauca.inference.ep.noise.dual_sweep").visit_span
        return visit(self.U, self.cov, self.mean, self.sites, beta, *self._settings(slice(None)))

    def _settings(self, rows: Any) -> tuple:
        """Arguments of the compiled sweeps that do not change."""
        return self.noise.known, self.weights[rows], self.mode.power, self.mode.damping, self.least

    def leap(self, sites: NDArray) -> bool:
        """Jump to other sites unless their posterior is not proper; returns whether it is."""
        if sites is self.sites:
            return True
        n_skipped, self.proper, self.sites = self.n_skipped, self.sites, sites
        proper, self.n_skipped = self.rebuild(), n_skipped
        return proper

    def units(self) -> NDArray:
        """Factors that bring the four columns of the sites to prior standard deviations."""
        var = np.diag(self.C).mean()
        return np.array([var, np.sqrt(var), 1.0, 1.0])

    def rebuild(self) -> bool:
        """Recompute the posterior; where it is not proper, go back to the last sites for which it was.

        Returns whether it is proper.
        """
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

    def _moments(self) -> tuple[NDArray, NDArray, float]:
        """Mean, covariance and log determinant of the posterior; raises LinAlgError if it is not proper."""
        if not (self.noise.known or (self.beta() > 0).all()):
            raise LinAlgError("the posterior of the noise is not proper")
        if self.U is None:
            return dual_moments(self.C, *self.sites[:, :2].T)
        return span_moments(self.U, *self.sites[:, :2].T)

    def beta(self) -> NDArray:
        """Parameters a and b of the posterior of ε."""
        return np.array([self.noise.a, self.noise.b]) + self.sites[:, 2:].sum(axis=0)


def easier_sites(C: NDArray, noise: Any, weights: NDArray) -> NDArray:
    """Sites to start from: those of problems with a larger diagonal and a known share of wrong labels.

    A larger diagonal acts like a narrower kernel. Sites that start far from the solution may converge to one
    where half of the labels count as wrong. Where the noise is known the sites are empty.
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
