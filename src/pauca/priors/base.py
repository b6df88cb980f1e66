"""What a prior of the weights must say, and what follows from it by default."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .hyperpriors import Gamma


@dataclass(frozen=True)
class Prior(ABC):
    """p(w): a Gaussian N(w_j | 0, 1 / precision_j) for every weight, times a further factor of some priors.

    ``expand`` defines a prior; a new prior is one dataclass on this base. The weight
    of index zero is the bias. A prior whose further factors expectation propagation must replace by sites
    sets ``has_factors`` and overrides ``tilted_moments``; a prior of unknown precisions overrides
    ``posterior``, ``reestimated`` and the two penalties.

    Parameters
    ----------
    precision : ndarray of shape (n_weights,)
        Precisions of the Gaussian part, the bias first.
    """

    precision: NDArray

    #: Whether all weights but the bias must be positive.
    is_positive = False
    #: Whether the density has factors besides the Gaussian, with ``tilted_moments`` of their own.
    has_factors = False
    #: Whether the evidence that decides about columns counts what the sign of a positive weight brings.
    counts_sign = False

    @abstractmethod
    def expand(self, w: NDArray) -> tuple[float, NDArray, NDArray]:
        """log p(w), its gradient and minus its (diagonal) second derivative."""

    def log_density(self, w: NDArray) -> float:
        """log p(w)."""
        return self.expand(w)[0]

    def derivatives(self, w: NDArray) -> tuple[NDArray, NDArray]:
        """Gradient of the log density and minus its (diagonal) second derivative."""
        return self.expand(w)[1:]

    def factor_sites(self, w: NDArray) -> tuple[NDArray, NDArray]:
        """Precisions and shifts of the further factors of the density, expanded at the weights ``w``."""
        _, gradient, curvature = self.expand(w)
        precision = curvature - self.precision
        return precision, gradient + self.precision * w + precision * w

    def tilted_moments(self, mean: NDArray, var: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """log Z, mean and variance of N(mean, var) times the further factor of each weight."""
        return np.zeros(len(mean)), mean, var

    def compiled_moments(self) -> Callable | None:
        """Compiled function (mean, var) -> mean and variance of `tilted_moments` of one weight but the bias.

        None where there is no such function: expectation propagation is then interpreted.
        """
        from ..numerics.compiled_moments import unchanged_moments

        return None if self.has_factors else unchanged_moments

    def with_precision(self, precision: NDArray) -> Self:
        """Prior of the same kind with other precisions."""
        return replace(self, precision=precision)

    def reestimated(self, posterior: Any, accelerate: bool = False) -> Self:
        """Prior with its precisions re-estimated from the posterior of the weights; known ones stay."""
        return self

    @property
    def posterior(self) -> "Gamma | None":
        """Posterior of the precisions of all weights but the bias; known precisions have none."""
        return None

    @property
    def bound_penalty(self) -> float:
        """Nats by which unknown precisions lower the variational bound; zero where they are known."""
        return 0.0

    @property
    def column_penalty(self) -> float:
        """Nats of `bound_penalty` that are due to one column of the design, relevant or not."""
        return 0.0

    def size_penalty(self, large: float) -> float:
        """Minus the log density of the precisions α before any data in nats, up to a constant.

        It is flat in log α where weights of size 1/√α are small beside ``large`` and falls as √α beyond:
        where classes separate, the evidence alone would let weights grow without end.
        """
        return 0.5 * float(np.log1p(1 / (self.precision[1:] * large**2)).sum())
