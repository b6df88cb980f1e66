"""One more basis function, centred at the row that is predicted."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...numerics import solve_lower


@dataclass(frozen=True)
class ExtraBasis:
    """Relevance vector machine with a further column k(·, x*) for each row x* that is predicted (RVM*).

    Far from all vectors every column of the machine is constant, so that its variance is smallest where it
    knows least. The further column has a weight of known prior variance, which the training rows near x*
    determine and no row does far from them (Rasmussen & Quinonero-Candela, "Healing the relevance vector
    machine through augmentation", ICML 2005).

    Parameters
    ----------
    Phi : ndarray of shape (n_rows, n_weights)
        Design matrix of the training rows.
    precision, residual : ndarray of shape (n_rows,)
        Gaussian sites of the training rows.
    variance : float
        Prior variance of the weight of the further column.
    """

    Phi: NDArray
    precision: NDArray
    residual: NDArray
    variance: float

    @classmethod
    def of(cls, model: Any, flips: NDArray, weights: NDArray) -> Self:
        """Extra basis of a fitted model; its weight has the variance of f over the training rows.

        Parameters
        ----------
        model : Model
            Model with design matrix and posterior.
        flips : ndarray of shape (n_weights,)
            Signs by which the columns are multiplied for prediction.
        weights : ndarray of shape (n_rows,)
            Weights of the rows.
        """
        f, sites = model.Phi @ model.posterior.mean, model.posterior.sites
        shares = weights / weights.sum()
        variance = float(shares @ np.square(f - shares @ f))
        return cls(model.Phi * flips, sites.precision, sites.residual, variance)

    def in_units(self, factor: float) -> Self:
        """Extra basis of f times a ``factor``."""
        return replace(
            self,
            precision=self.precision / factor**2,
            residual=self.residual / factor,
            variance=self.variance * factor**2,
        )

    def corrected(
        self, Phi: NDArray, factor: NDArray, values: NDArray, own: NDArray, mean: NDArray, var: NDArray
    ) -> tuple[NDArray, NDArray]:
        """Mean and variance of f at new rows with the further column.

        Parameters
        ----------
        Phi : ndarray of shape (n_new, n_weights)
            Design matrix of the new rows.
        factor : ndarray of shape (n_weights, n_weights)
            Lower Cholesky factor of the posterior precision of the weights.
        values : ndarray of shape (n_new, n_rows)
            Kernel values of the new rows with the training rows.
        own : ndarray of shape (n_new,)
            Kernel values k(x*, x*).
        mean, var : ndarray of shape (n_new,)
            Moments of f without the further column.
        """
        if self.variance <= 0:
            return mean, var
        half = solve_lower(factor, self.Phi.T @ (self.precision[:, None] * values.T))
        s = np.square(values) @ self.precision - np.square(half).sum(axis=0)
        lift = own - (solve_lower(factor, Phi.T) * half).sum(axis=0)
        spread = 1 / (1 / self.variance + np.maximum(s, 0.0))
        return mean + lift * spread * (values @ self.residual), var + np.square(lift) * spread
