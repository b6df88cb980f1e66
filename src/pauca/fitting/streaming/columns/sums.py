"""Sums over rows that say all about candidate columns while the log likelihood is a quadratic function."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....basis import multiplied, with_bias
from ....basis.blocks import RowBlock, RowBlocks
from ....basis.blocks.survey import Moments
from ..sums import chunks

# Standard deviation, as a share of the mean, below which a column is constant; numerical guard.
_CONSTANT = 1e-12


@dataclass(frozen=True)
class Columns:
    """Ones and standardised columns k(x, z_j) at the rows of a block.

    Parameters
    ----------
    kernel : Kernel
        Kernel.
    centres : ndarray of shape (n_columns, n_features)
        Centres z_j, placed.
    origin : ndarray of shape (n_features,) or None
        Taken from the rows before the kernel sees them.
    scales : ndarray of shape (n_features,) or None
        Factors of the features in the kernel.
    shift, scale : ndarray of shape (n_columns,) or float
        Taken from each column, and by which it is divided.
    """

    kernel: Any
    centres: NDArray
    origin: NDArray | None = None
    scales: NDArray | None = None
    shift: Any = 0.0
    scale: Any = 1.0

    @property
    def n_weights(self) -> int:
        """Number of columns, with the ones."""
        return 1 + len(self.centres)

    def plain(self, X: NDArray) -> NDArray:
        """Kernel values of some rows with the centres."""
        rows = X if self.origin is None else X - self.origin
        return self.kernel(rows if self.scales is None else multiplied(rows, self.scales), self.centres)

    def __call__(self, X: NDArray) -> NDArray:
        """Ones and standardised columns at some rows."""
        return with_bias((self.plain(X) - self.shift) / self.scale)

    def standardised(self, source: RowBlocks) -> "Columns":
        """Columns of mean zero and variance one over the rows of a table; constant ones become zero."""
        moments = source.total(_MomentsPass(self))
        spread = np.sqrt(moments.squares / moments.weight)
        constant = spread <= _CONSTANT * np.abs(moments.mean)
        scale = np.where(constant, np.inf, spread)
        return Columns(self.kernel, self.centres, self.origin, self.scales, moments.mean, scale)


@dataclass(frozen=True)
class _MomentsPass:
    """Function from a block to the moments of the columns over its rows."""

    columns: Columns

    def __call__(self, block: RowBlock) -> Moments:
        parts = [self.columns.plain(rows.X) for rows in chunks(block, self.columns.n_weights)]
        total = Moments.of(parts[0], np.ones(len(parts[0])))
        for part in parts[1:]:
            total = total + Moments.of(part, np.ones(len(part)))
        return total


@dataclass(frozen=True)
class SiteSums:
    """Log likelihood of all rows as constant + linear · w − ½ wᵀ gram w, for the weights of all columns.

    Parameters
    ----------
    constant : float
        Value at w = 0 of the quadratic function, in nats.
    linear : ndarray of shape (n_weights,)
        Its gradient there.
    gram : ndarray of shape (n_weights, n_weights)
        Its curvature.
    weight : float
        Sum of the weights of the rows.
    """

    constant: float
    linear: NDArray
    gram: NDArray
    weight: float

    def __add__(self, other: "SiteSums") -> "SiteSums":
        return SiteSums(
            self.constant + other.constant,
            self.linear + other.linear,
            self.gram + other.gram,
            self.weight + other.weight,
        )


@dataclass(frozen=True)
class SitePass:
    """Function from a block to its `SiteSums`: the expansion of the log likelihood at given weights.

    Parameters
    ----------
    columns : Columns
        Candidate columns.
    likelihood : Likelihood
        Likelihood of labels -1 and +1.
    positive : int
        Target that has the label +1; all others have -1.
    mean : ndarray of shape (n_weights,)
        Weights at which the log likelihood is expanded.
    """

    columns: Columns
    likelihood: Any
    positive: int
    mean: NDArray

    def __call__(self, block: RowBlock) -> SiteSums:
        n_weights = self.columns.n_weights
        total = SiteSums(0.0, np.zeros(n_weights), np.zeros((n_weights, n_weights)), 0.0)
        for rows in chunks(block, n_weights):
            total = total + self._chunk(rows.X, rows.y, rows.weights)
        return total

    def _chunk(self, X, targets, weights):
        Phi, y = self.columns(X), np.where(targets == self.positive, 1.0, -1.0)
        f = Phi @ self.mean
        first, curvature = self.likelihood.derivatives(y, f)
        values = self.likelihood.log_prob(y, f) - first * f - 0.5 * curvature * np.square(f)
        linear = Phi.T @ (weights * (first + curvature * f))
        Phi *= np.sqrt(weights * curvature)[:, None]
        return SiteSums(float(weights @ values), linear, Phi.T @ Phi, float(weights.sum()))
