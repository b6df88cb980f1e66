"""Factors of a posterior that expectation propagation replaces by Gaussian sites."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..protocols import FactorPrior, TiltedLikelihood

__all__ = ["Factors"]


@dataclass(frozen=True)
class Factors:
    """Factors t_k(a_k · w) of a posterior that are not Gaussian, each with a multiplicity.

    The rows a_k of ``directions`` are those of Φ for the likelihood, followed, where the prior has factors of
    its own, by the unit vectors. ``copies`` are the multiplicities: weights of the rows, ones for the prior.
    """

    likelihood: TiltedLikelihood
    prior: FactorPrior
    directions: NDArray
    y: NDArray
    copies: NDArray

    @classmethod
    def of(
        cls, likelihood: TiltedLikelihood, prior: FactorPrior, Phi: NDArray, y: NDArray, weights: NDArray
    ) -> "Factors":
        """Factors of a likelihood and a prior."""
        if not prior.has_factors:
            return cls(likelihood, prior, Phi, y, weights)
        n_weights = Phi.shape[1]
        directions = np.vstack([Phi, np.eye(n_weights)])
        return cls(likelihood, prior, directions, y, np.append(weights, np.ones(n_weights)))

    @cached_property
    def taken(self) -> NDArray:
        """Multiplicity of each factor that its cavity is without: one, or all of it where it is below one."""
        return np.where(self.copies > 0, np.minimum(self.copies, 1.0), 1.0)

    def tilted(self, mean: NDArray, var: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """log Z, mean and variance of every factor times its cavity N(mean, var)."""
        n_rows = len(self.y)
        rows = self._tilted_rows(mean[:n_rows], var[:n_rows])
        if len(mean) == n_rows:
            return rows
        weights = self.prior.tilted_moments(mean[n_rows:], var[n_rows:])
        log_z, tilted_mean, tilted_var = (np.concatenate(parts) for parts in zip(rows, weights, strict=True))
        return log_z, tilted_mean, tilted_var

    def _tilted_rows(self, mean: NDArray, var: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """Tilted moments of the likelihood, tempered for rows of weight below one."""
        moments = self.likelihood.tilted_moments(self.y, mean, var)
        part = np.flatnonzero(self.taken[: len(self.y)] < 1)
        if len(part):
            partial = self.likelihood.tempered_moments(self.y[part], mean[part], var[part], self.taken[part])
            for whole, values in zip(moments, partial, strict=True):
                whole[part] = values
        return moments
