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
    rows, weights = _distinct(X, y, weights)
    standards = _standards(X, rows, weights) if standardize else _no_standards(X.shape[1])
    columns = np.empty((len(rows), X.shape[1] + 1), dtype=X.dtype)
    columns[:, 0] = 1
    for block in _blocks(X.shape[1]):
        part = Standards(standards.centre[block], standards.scale[block])
        columns[:, 1:][:, block] = part.apply(X[rows, block])
    return Design(columns, y[rows], weights, standards)


def _blocks(n_features):
    return [slice(first, first + _BLOCK) for first in range(0, n_features, _BLOCK)]


def _distinct(X, y, weights):
    """The first of each kind of row, and the summed weights; sorted by the length and the bytes of the row."""
    first: dict[bytes, int] = {}
    total: dict[bytes, float] = {}
    for row in np.flatnonzero(weights > 0):
        name = blake2b((X[row] + 0).tobytes() + np.float64(y[row]).tobytes(), digest_size=16).digest()
        first.setdefault(name, row)
        total[name] = total.get(name, 0.0) + weights[row]
    lengths = {name: float(np.linalg.norm(X[row].astype(float))) for name, row in first.items()}
    longest = max(lengths.values()) or 1.0
    order = sorted(first, key=lambda name: (round(lengths[name] / longest, 9), y[first[name]], name))
    return np.array([first[name] for name in order]), np.array([total[name] for name in order])


def _standards(X, rows, weights):
    """Weighted means and standard deviations, in double precision whatever X is."""
    centre, scale = np.empty(X.shape[1]), np.empty(X.shape[1])
    shares = weights / weights.sum()
    for block in _blocks(X.shape[1]):
        part = X[rows, block].astype(float)
        centre[block] = shares @ part
        scale[block] = np.sqrt(shares @ np.square(part - centre[block]))
    constant = scale <= 10 * np.finfo(X.dtype).eps * np.abs(centre)
    scale[constant], centre[constant] = 1.0, X[rows[0], constant]
    return Standards(centre, scale)


def _no_standards(n_features):
    return Standards(np.zeros(n_features), np.ones(n_features))
