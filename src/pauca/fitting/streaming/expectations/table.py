"""Table of the expected log probability of a label under a Gaussian latent value, and of its derivatives."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Width of a cell in means, in units of the root of one plus the variance, and in the logarithm of that;
# number of terms. The error of all three expectations is at most 4e-6 for logit, 4e-7 for probit.
_WIDTH, _LOG_WIDTH, _N_TERMS = 0.5, 0.1, 10
# Most negative and largest mean of the cells, beyond which the label is certain, and largest standard
# deviation; all in units in which the likelihood saturates at 3.
_REACH, _LARGEST = 12.0, 20.0
# Chebyshev points of a cell at which its terms are fitted, by mean and by variance; the first reach a little
# into its neighbours.
_MEANS, _VARIANCES, _OVERLAP = 6, 3, 1.12
# Nodes of the trapezoidal rule: longest steps in standard deviations and in units of the likelihood, reach
# in standard deviations. The error of the rule falls exponentially in the inverse of the steps.
_STEP, _STEP_OF_UNIT, _NODES_REACH = 0.6, 0.45, 6.0
# Smallest expected curvature; numerical guard far in the tails.
_FLOOR = 1e-12


class ExpansionTable:
    """Expected log probability of the label +1, gradient and curvature, by polynomials in small cells.

    V(m, t) = E[log p(+1 | f)] for f ~ N(m, t) solves the heat equation ∂V/∂t = ½ ∂²V/∂m². In each cell it is
    a sum of heat polynomials h_k with h_0 = 1, h_1 = e, h_{k+1} = e h_k + k d h_{k-1}, where e and d are the
    distances in m and t from the centre; as ∂h_k/∂e = k h_{k-1}, the same terms give the derivatives.
    Cells are filled when rows ask for them.

    Parameters
    ----------
    likelihood : BinaryLikelihood
        Likelihood of labels -1 and +1.
    """

    def __init__(self, likelihood: Any) -> None:
        self.likelihood, self.unit = likelihood, likelihood.saturation / 3
        self._n_means = round(2 * _REACH / _WIDTH)
        self._n_lines = int(np.ceil(np.log1p(_LARGEST**2) / _LOG_WIDTH))
        self._terms = np.zeros((self._n_lines * self._n_means, _N_TERMS))
        self._is_known = np.zeros(len(self._terms), dtype=bool)

    def is_beyond(self, mean: NDArray, var: NDArray) -> NDArray:
        """Rows for which there is no cell: labels that are almost impossible, and very wide Gaussians.

        Parameters
        ----------
        mean, var : ndarray of shape (n_rows,)
            Moments of the latent values.
        """
        least = -_REACH * np.sqrt(self.unit**2 + var)
        return (mean < least) | ~(var < (_LARGEST * self.unit) ** 2)

    def __call__(self, mean: NDArray, var: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """Expected log probability of the label +1, its gradient, and minus its second derivative.

        Parameters
        ----------
        mean, var : ndarray of shape (n_rows,)
            Moments of the latent values, none of them beyond the table.
        """
        t = var / self.unit**2
        line = (np.log1p(t) / _LOG_WIDTH).astype(np.intp)
        squares = np.exp((line + 0.5) * _LOG_WIDTH)
        scale = np.sqrt(squares) * self.unit
        place = np.minimum(mean / scale, _REACH)
        column = np.clip(((place + _REACH) / _WIDTH).astype(np.intp), 0, self._n_means - 1)
        cell = line * self._n_means + column
        if not self._is_known[cell].all():
            self._fill(np.unique(cell[~self._is_known[cell]]))
        heat = _heat(place + _REACH - (column + 0.5) * _WIDTH, (t + 1) / squares - 1)
        terms = self._terms.take(cell, axis=0).T
        counts = np.arange(1, _N_TERMS)[:, None]
        value = np.einsum("kn,kn->n", terms, heat)
        by_mean = heat[:-1] * counts
        gradient = np.einsum("kn,kn->n", terms[1:], by_mean) / scale
        curvature = -np.einsum("kn,kn->n", terms[2:], by_mean[:-1] * counts[1:]) / np.square(scale)
        return value, gradient, np.maximum(curvature, _FLOOR)

    def _fill(self, cells: NDArray) -> None:
        """Terms of some cells by least squares at their Chebyshev points."""
        e = 0.5 * _OVERLAP * _WIDTH * _chebyshev(_MEANS)
        d = np.expm1(0.5 * _LOG_WIDTH * _chebyshev(_VARIANCES))
        e, d = (part.ravel() for part in np.meshgrid(e, d))
        counts, heat = np.arange(1, _N_TERMS)[:, None], _heat(e, d)
        by_mean, twice = np.zeros_like(heat), np.zeros_like(heat)
        by_mean[1:] = counts * heat[:-1]
        twice[2:] = counts[1:] * by_mean[1:-1]
        design = np.linalg.pinv(np.hstack([heat, by_mean, twice]).T).T
        for line in np.unique(cells // self._n_means).tolist():
            mine = cells[cells // self._n_means == line]
            scale = np.exp((line + 0.5) * 0.5 * _LOG_WIDTH) * self.unit
            means = scale * ((mine % self._n_means + 0.5)[:, None] * _WIDTH - _REACH + e)
            sd = np.sqrt(np.maximum(np.square(scale) * (1 + d) - self.unit**2, 0.0))
            value, gradient, curvature = self._sums(means, sd)
            self._terms[mine] = np.hstack([value, scale * gradient, -np.square(scale) * curvature]) @ design
        self._is_known[cells] = True

    def _sums(self, means, sd):
        """Expectations by a trapezoidal rule fine enough for these standard deviations."""
        step = min(_STEP, _STEP_OF_UNIT * self.unit / sd.max())
        nodes = np.arange(-_NODES_REACH, _NODES_REACH + step / 2, step)
        shares = np.exp(-0.5 * np.square(nodes))
        shares /= shares.sum()
        points = means[..., None] + sd[:, None] * nodes
        return [part @ shares for part in self.likelihood.expand(1.0, points)]


def _chebyshev(n: int) -> NDArray:
    return np.cos((np.arange(n) + 0.5) * np.pi / n)


def _heat(e: NDArray, d: NDArray) -> NDArray:
    """Heat polynomials of shape (n_terms, n_rows)."""
    found = np.empty((_N_TERMS, len(e)))
    found[0], found[1] = 1.0, e
    for k in range(1, _N_TERMS - 1):
        np.multiply(e, found[k], out=found[k + 1])
        found[k + 1] += (k * d) * found[k - 1]
    return found
