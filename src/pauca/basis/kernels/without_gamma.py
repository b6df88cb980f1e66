"""Base of kernels without a width."""

from dataclasses import dataclass

from .base import Kernel
from .features import Rows, Values


@dataclass(frozen=True)
class KernelWithoutGamma(Kernel):
    """Kernel that has no width to choose."""

    has_gamma = False

    def log_gamma_derivative(self, X: Rows, Z: Rows) -> Values:
        """A kernel without gamma has no derivative in it.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError(f"The {self.name!r} kernel has no gamma.")
