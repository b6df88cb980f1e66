"""Fewer rounds for slow fixed-point iterations."""

import numpy as np

from .linalg import add_to_diagonal

__all__ = ["Accelerator"]

# Nothing is extrapolated from fewer steps, nor where a step is shorter than this share of the one before.
_LEAST_STEPS, _FAST = 3, 0.4
# Steps that grow and whose directions have at least this cosine are made so many times longer.
_PARALLEL, _STRIDE = 0.9, 3.0
# Share of the squared length of the differences that steadies the least squares.
_RIDGE = 1e-8


class Accelerator:
    """Where to go on in an iteration x ← g(x) that settles slowly.

    While steps shrink it is Anderson's extrapolation (1965): near a fixed point g is linear, and the
    combination of the last points with the shortest step lies much nearer to it than the last one. Steps that
    grow lead away, from a saddle for example; the past is forgotten, and as long as they go straight ahead
    they are made longer.

    Parameters
    ----------
    depth : int, default=5
        How many differences of successive points are combined.
    """

    def __init__(self, depth=5):
        self.depth = depth
        self.forget()

    def forget(self):
        """Start anew."""
        self._images: list[np.ndarray] = []
        self._steps: list[np.ndarray] = []

    def after(self, point, image, units=1.0):
        """The next point, once ``point`` was seen to have the ``image`` g(point).

        Parameters
        ----------
        point, image : ndarray
            Of one shape.
        units : ndarray or float, default=1.0
            By which entries are multiplied to compare steps.

        Returns
        -------
        point : ndarray
            The image itself where there is nothing to gain.
        """
        step = image - point
        growth, cosine = _compare(step * units, self._steps[-1] * units) if self._steps else (0.0, 0.0)
        if growth > 1:
            self.forget()
        self._images = [*self._images, image.copy()][-self.depth - 1 :]
        self._steps = [*self._steps, step][-self.depth - 1 :]
        if growth > 1 and cosine > _PARALLEL:
            return point + _STRIDE * step
        if growth < _FAST or len(self._steps) < _LEAST_STEPS:
            return image
        shares = _least_squares(np.diff(self._steps, axis=0) * units, step * units)
        return image - np.tensordot(shares, np.diff(self._images, axis=0), axes=1)


def _compare(step, last):
    """How many times longer a step is than the last one, and the cosine of their angle."""
    length, length_last = np.linalg.norm(step), np.linalg.norm(last)
    if length == 0 or length_last == 0:
        return 0.0, 0.0
    return length / length_last, np.vdot(step, last) / (length * length_last)


def _least_squares(differences, step):
    """Shares of the differences whose sum is nearest to the step."""
    rows = differences.reshape(len(differences), -1)
    gram = rows @ rows.T
    return np.linalg.solve(add_to_diagonal(gram, _RIDGE * np.trace(gram)), rows @ step.ravel())
