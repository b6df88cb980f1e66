"""Training rows of a linear machine with many features: distinct, standardised, with a bias, copied once."""

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

# Columns at a time, so that no temporary is as large as X.
_BLOCK = 1024


@dataclass(frozen=True)
class Standards:
    """Centre and scale of the features; constant ones have scale one."""

    centre: np.ndarray
    scale: np.ndarray

    def part(self, block):
        """Those of some of the features."""
        return Standards(self.centre[block], self.scale[block])

    def apply(self, X):
        """Standardised rows in double precision."""
        return (X - self.centre) / self.scale


@dataclass(frozen=True)
class Design:
    """Rows (1, x) in the precision of X, their targets and weights, and the standards of x."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    standards: Standards


def design_of(X, y, weights, standardize=True):
    """Distinct rows of positive weight in an order of their own.

    A repeated row and a weight mean the same, and the order of the rows means nothing.
    """
    names, rows, weights = _distinct(X, y, weights)
    standards, lengths = _standards(X, rows, weights, standardize)
    order = sorted(range(len(rows)), key=lambda i: (lengths[i], y[rows[i]], names[i]))
    rows, weights = rows[order], weights[order]
    columns = np.empty((len(rows), X.shape[1] + 1), dtype=X.dtype)
    columns[:, 0] = 1
    for block in _blocks(X.shape[1]):
        columns[:, 1:][:, block] = standards.part(block).apply(X[rows, block])
    return Design(columns, y[rows], weights, standards)


def _blocks(n_features):
    return [slice(first, first + _BLOCK) for first in range(0, n_features, _BLOCK)]


def _distinct(X, y, weights):
    """A name for each kind of row, the first row of the kind, and the summed weights."""
    first: dict[bytes, int] = {}
    total: dict[bytes, float] = {}
    for row in np.flatnonzero(weights > 0):
        name = blake2b((X[row] + 0).tobytes() + np.float64(y[row]).tobytes(), digest_size=16).digest()
        first.setdefault(name, int(row))
        total[name] = total.get(name, 0.0) + weights[row]
    return list(first), np.array(list(first.values())), np.array(list(total.values()))


def _standards(X, rows, weights, standardize):
    """Weighted means and standard deviations, in double precision; squared lengths of the rows."""
    standards = Standards(np.zeros(X.shape[1]), np.ones(X.shape[1]))
    shares, squares = weights / weights.sum(), np.zeros(len(rows))
    for block in _blocks(X.shape[1]):
        part = X[rows, block].astype(float)
        if standardize:
            standards.centre[block], standards.scale[block] = _moments(part, shares, np.finfo(X.dtype).eps)
        squares += np.square(standards.part(block).apply(part)).sum(axis=1)
    return standards, np.round(squares / (squares.max() or 1.0), 9)


def _moments(part, shares, rounding):
    """Centre and scale; features that are constant up to rounding have scale one."""
    centre = shares @ part
    scale = np.sqrt(shares @ np.square(part - centre))
    constant = scale <= 10 * rounding * np.abs(centre)
    return np.where(constant, part[0], centre), np.where(constant, 1.0, scale)
