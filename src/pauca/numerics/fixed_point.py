"""Acceleration of slow fixed-point iterations."""

import numpy as np
from numpy.typing import NDArray

from .linalg import add_to_diagonal

__all__ = ["Accelerator"]

# Steps that are seen before the first extrapolation, and the ratio of a step to the last one below which the
# iteration is fast enough without it. Set by hand.
_MIN_STEPS, _FAST_RATIO = 3, 0.4
# Cosine between growing steps from which they count as parallel, and the factor by which they are then
# lengthened. Set by hand.
_PARALLEL_COSINE, _STRIDE = 0.9, 3.0
# Ridge of the least squares as a share of the squared length of the differences; numerical guard.
_RIDGE = 1e-8


class Accelerator:
    """Anderson acceleration of an iteration x ← g(x) that converges slowly.

    While steps shrink it is Anderson's extrapolation (1965): near a fixed point g is linear, and the
    combination of the last points with the shortest step lies much nearer to it than the last one. Steps that
    grow lead away, from a saddle for example: the history is dropped, and as long as they are parallel they
    are made longer.

    Parameters
    ----------
    depth : int, default=5
        Number of differences of successive points that are combined.
    """

    def __init__(self, depth: int = 5) -> None:
        self.depth = depth
        self.forget()

    def forget(self) -> None:
        """Drop the history of points and steps."""
        self._images: list[NDArray] = []
        self._steps: list[NDArray] = []

    def after(self, point: NDArray, image: NDArray, units: NDArray | float = 1.0) -> NDArray:
        """Next point of the iteration, given that ``image`` is g(point).

        Parameters
        ----------
        point, image : ndarray
            Arrays of one shape.
        units : ndarray or float, default=1.0
            Factors of the entries by which steps become comparable.

        Returns
        -------
        point : ndarray
            The extrapolated point, or the image itself where there is nothing to gain.
        """
        step = image - point
        growth, cosine = _compare(step * units, self._steps[-1] * units) if self._steps else (0.0, 0.0)
        if growth > 1:
            self.forget()
        self._images = [*self._images, image.copy()][-self.depth - 1 :]
        self._steps = [*self._steps, step][-self.depth - 1 :]
        if growth > 1 and cosine > _PARALLEL_COSINE:
            return point + _STRIDE * step
        if growth < _FAST_RATIO or len(self._steps) < _MIN_STEPS:
            return image
        shares = _least_squares(np.diff(self._steps, axis=0) * units, step * units)
        return image - np.tensordot(shares, np.diff(self._images, axis=0), axes=1)


def _compare(step: NDArray, last: NDArray) -> tuple[float, float]:
    """Ratio of the lengths of a step and the last one, and the cosine of the angle between them."""
    length, length_last = np.linalg.norm(step), np.linalg.norm(last)
    if length == 0 or length_last == 0:
        return 0.0, 0.0
    return float(length / length_last), np.vdot(step, last) / (length * length_last)


def _least_squares(differences: NDArray, step: NDArray) -> NDArray:
    """Coefficients of the differences whose combination is nearest to the step."""
    rows = differences.reshape(len(differences), -1)
    gram = rows @ rows.T
    return np.linalg.solve(add_to_diagonal(gram, _RIDGE * np.trace(gram)), rows @ step.ravel())
