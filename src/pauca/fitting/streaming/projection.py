"""Process projected on few vectors, as features of a block of rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...numerics import robust_cholesky, solve_lower, solve_upper

# Share of the amplitude that is added to the covariance of the vectors; numerical guard, larger than where
# all rows are in memory, because features are kept in single precision.
JITTER = 1e-6


@dataclass(frozen=True)
class Projection:
    """Weights of the features of a process, and of few whitened vectors, all of prior variance one.

    Parameters
    ----------
    process : Process
        Hyperparameters.
    vectors : ndarray of shape (n_vectors, n_features)
        Inducing vectors.
    root : ndarray of shape (n_vectors, n_vectors)
        Lower Cholesky factor of their prior covariance.
    n_plain : int
        Number of features of the process itself: constant and trend.
    """

    process: Any
    vectors: NDArray
    root: NDArray
    n_plain: int

    @classmethod
    def of(cls, process: Any, vectors: NDArray) -> "Projection":
        """Projection on some vectors."""
        covariance = process.covariance(vectors, vectors)
        root = robust_cholesky(covariance + JITTER * process.amplitude * np.eye(len(vectors)))
        return cls(process, vectors, root, process.features(vectors[:1]).shape[1])

    @property
    def n_weights(self) -> int:
        """Number of weights."""
        return self.n_plain + len(self.vectors)

    def columns(self, X: NDArray) -> tuple[NDArray, NDArray]:
        """Features of the process, and covariances of the rows with the vectors, before whitening."""
        return self.process.features(X), self.process.covariance(X, self.vectors)

    def unwhitened(self, mean: NDArray) -> NDArray:
        """Weights of the columns from those of whitened features."""
        return np.append(mean[: self.n_plain], solve_upper(self.root, mean[self.n_plain :]))

    def whitened(self, sums: NDArray) -> NDArray:
        """Gradient in the whitened weights from sums over the columns."""
        return np.append(sums[: self.n_plain], solve_lower(self.root, sums[self.n_plain :]))
