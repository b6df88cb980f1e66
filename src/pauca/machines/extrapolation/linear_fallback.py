"""Regression machines that lean on a linear model where they are ignorant."""

from typing import Any

from numpy.typing import NDArray

from .linear_model import LinearModel, pooled

# Largest number of features of a linear model, whose posterior is a matrix of that size; set by hand.
_MAX_FEATURES = 500


class LinearFallback:
    """Part of a kernel machine with Gaussian noise and an argument ``fallback``."""

    fallback: bool
    expansions_: list
    _linear: LinearModel | None = None
    _columns_are_given: Any
    _shifted: Any
    _latent: Any
    _check_X: Any

    def _fit_linear(self, X: Any, y: NDArray, weights: NDArray) -> None:
        """Store the linear model, if it is wanted and possible."""
        possible = not self._columns_are_given and X.shape[1] <= _MAX_FEATURES
        wanted = self.fallback and possible
        self._linear = LinearModel.fit(self._shifted(X), y, weights) if wanted else None

    def _latent_value(self, X: Any) -> tuple[NDArray, NDArray]:
        """Mean and variance of f, mixed with the linear model where there is one."""
        means, variances = self._latent(X)
        mean, var = means[:, 0], variances[:, 0]
        if self._linear is None:
            return mean, var
        rows = self._shifted(self._check_X(X, reset=False))
        return pooled(mean, var, 1 / self.expansions_[0].likelihood.precision, self._linear, rows)
