"""Kernels that the user gives: a function of two matrices, or the matrix itself."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from .features import Rows, Values
from .without_gamma import KernelWithoutGamma


@dataclass(frozen=True)
class FunctionKernel(KernelWithoutGamma):
    """Kernel given as a function.

    Parameters
    ----------
    function : callable
        Takes two matrices of n and m rows, returns the matrix (n, m) of kernel values.
    """

    function: Callable[[Any, Any], Any]

    name = "function"
    has_scale_gradient = False
    takes_sparse = False

    def _values(self, X: Rows, Z: Rows) -> Values:
        try:
            values = np.asarray(self.function(X, Z), dtype=np.float64)
        except Exception as error:
            raise ValueError(f"kernel raised {type(error).__name__}: {error}") from error
        if values.shape != (X.shape[0], Z.shape[0]):
            raise ValueError(
                f"kernel must return an array of shape {(X.shape[0], Z.shape[0])} for arguments with "
                f"{X.shape[0]} and {Z.shape[0]} rows; it returned shape {values.shape}."
            )
        return values

    def _not_finite(self) -> str:
        return "kernel returned values that are not finite."

    def scale_gradient(self, X: Rows, Z: Rows, upstream: Values, values: Values | None = None) -> NoReturn:
        """A function has no known derivative in the scales of features.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError("The 'function' kernel has no derivative in the scales of features.")


@dataclass(frozen=True)
class Precomputed(KernelWithoutGamma):
    """Kernel matrix given in place of X; rows have no features."""

    name = "precomputed"
    is_precomputed = True
    has_scale_gradient = False
    takes_sparse = False

    def _values(self, X: Rows, Z: Rows) -> NoReturn:
        raise ValueError("The 'precomputed' kernel cannot be evaluated: X holds its values.")

    def diagonal(self, X: Rows) -> Values:
        """Diagonal of the square matrix X of kernel values."""
        return np.diag(X)

    def scale_gradient(self, X: Rows, Z: Rows, upstream: Values, values: Values | None = None) -> NoReturn:
        """A precomputed matrix has no features whose scales could change.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError("The 'precomputed' kernel has no derivative in the scales of features.")


@dataclass(frozen=True)
class GivenRows(Precomputed):
    """Kernel of rows of a given kernel matrix: a row holds its number, then its values with numbered rows.

    The number is the place of the row among the columns of values, or −1 for a row that has none there, whose
    values with numbered rows are known all the same.

    Parameters
    ----------
    level : float, default=1.0
        k(x, x) of rows without a number.
    """

    level: float = 1.0

    def _values(self, X: Rows, Z: Rows) -> Values:  # type: ignore[override]
        numbers = Z[:, 0].astype(int)
        if (numbers >= 0).all():
            return X[:, 1 + numbers]
        return Z[:, 1 + X[:, 0].astype(int)].T

    def diagonal(self, X: Rows) -> Values:
        """Value of each row with itself, or the level."""
        numbers = X[:, 0].astype(int)
        return np.where(numbers >= 0, X[np.arange(len(X)), 1 + numbers], self.level)

    @staticmethod
    def numbered(values: Values, numbers: Any) -> Values:
        """Rows of kernel values with their numbers in front."""
        return np.column_stack([np.broadcast_to(numbers, len(values)), values])
