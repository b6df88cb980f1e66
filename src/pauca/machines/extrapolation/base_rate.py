"""Latent functions that return to the base rates of the classes far from all vectors."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import euclidean_distances

# Damping of the search for the constants, and its steps: log probabilities rise at most about three times as
# fast as latent values where classes have shares above 1e-3. Set by hand.
_STEP, _N_STEPS = 0.3, 200
# Least share of a class; numerical guard.
_LEAST_SHARE = 1e-4


@dataclass(frozen=True)
class BaseRates:
    """Moments of latent functions that shrink towards constants beyond the reach of the vectors.

    The reach is the largest squared distance of a training row from its nearest vector, as the kernel sees
    them. A row at a squared distance D has the share s = min(1, reach / D) of the machine: means are
    constant + s · (mean − constant), variances s² · variance. Nothing changes among the data.

    Parameters
    ----------
    constants : ndarray of shape (n_latent,)
        Latent values whose probabilities are the base rates.
    reach : float
        Squared distance from which the latent functions shrink.
    """

    constants: NDArray
    reach: float

    @classmethod
    def of(cls, shares: NDArray, probabilities: Callable, n_latent: int, rows: Any, vectors: Any) -> Self:
        """Base rates of the classes, and the reach of the vectors among the training rows.

        Parameters
        ----------
        shares : ndarray of shape (n_classes,)
            Shares of the classes.
        probabilities : callable
            Probabilities of the classes as a function of means and variances of the latent functions.
        n_latent : int
            Number of latent functions.
        rows, vectors : ndarray or sparse matrix
            Training rows and vectors as the kernel sees them.
        """
        target = np.log(np.maximum(shares, _LEAST_SHARE))
        f = np.zeros((1, n_latent))
        for _ in range(_N_STEPS):
            missing = target - np.log(np.maximum(probabilities(f, np.zeros(f.shape))[0], _LEAST_SHARE))
            f = f + _STEP * (missing[1:] - missing[:1] if n_latent == 1 else missing - missing.mean())
        return cls(f[0], float(_distances(rows, vectors).max(initial=0.0)))

    def shrunk(self, moments: list, rows: Any, vectors: Any) -> list[tuple[NDArray, NDArray]]:
        """Means and variances of the latent functions at new rows, as the kernel sees them."""
        reach = max(self.reach, np.finfo(float).tiny)
        share = reach / np.maximum(_distances(rows, vectors), reach)
        pairs = zip(self.constants, moments, strict=True)
        return [(c + share * (mean - c), np.square(share) * var) for c, (mean, var) in pairs]


def _distances(rows, vectors):
    """Squared distance of each row from the nearest vector."""
    return euclidean_distances(rows, vectors, squared=True).min(axis=1)
