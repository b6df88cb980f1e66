"""Automatic relevance determination: one Gaussian precision for every weight."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ARD:
    """w_j ~ N(0, 1 / precision_j), independent."""

    precision: np.ndarray

    def log_density(self, w):
        """log p(w)."""
        return 0.5 * np.sum(np.log(self.precision / (2 * np.pi)) - self.precision * np.square(w))

    def derivatives(self, w):
        """Gradient of the log density and minus its (diagonal) second derivative."""
        return -self.precision * w, self.precision

    def with_precision(self, precision):
        """The same kind of prior with other precisions."""
        return ARD(precision)
