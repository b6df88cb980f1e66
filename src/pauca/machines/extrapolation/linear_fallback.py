"""Regression machines that lean on a linear model where they are ignorant."""

from typing import Any

from numpy.typing import NDArray

from ...export import Portable
from ...fitting import Trial, subset_penalty
from ..portable import with_linear_model
from .linear_mixture import LinearMixture
from .linear_model import LinearModel

# Largest number of features of a linear model, whose posterior is a matrix of that size; set by hand.
_MAX_FEATURES = 500


class LinearFallback:
    """Part of a kernel machine with Gaussian noise and an argument ``fallback``."""

    fallback: bool
    max_candidates: int | None
    noise_std_: float
    log_evidence_: float
    # Mixture with the linear model of rows around the origin of the machine, or None.
    _mixture: LinearMixture | None = None
    # Nats by which the evidence of the columns is too large, because they were chosen among many.
    _choice_penalty: float
    _columns_are_given: Any
    _shifted: Any
    _latent: Any
    _check_X: Any
    _NOT_PORTABLE: tuple[str, ...] = ("extra_basis",)

    def _portable(self) -> Portable:
        """Portable form, with the linear model as a second latent function where there is one."""
        form: Portable = super()._portable()  # type: ignore[misc]
        return form if self._mixture is None else with_linear_model(form, self._mixture)

    def _store(self, data: Any, trial: Trial, basis: Any, targets: list, recipe: Any) -> None:
        """Store what the trial found, and what the choice of its columns costs the evidence."""
        super()._store(data, trial, basis, targets, recipe)  # type: ignore[misc]
        model, n_candidates = trial.fits[0].model, min(len(data.y), self.max_candidates or len(data.y))
        paid = model.prior.column_penalty * len(model.active)
        self._choice_penalty = subset_penalty(n_candidates, len(model.active)) - paid

    def _fit_linear(self, X: Any, y: NDArray, weights: NDArray) -> None:
        """Store the mixture with a linear model, if it is wanted and possible."""
        possible = not self._columns_are_given and X.shape[1] <= _MAX_FEATURES
        self._mixture = None
        if self.fallback and possible:
            linear, noise = LinearModel.fit(self._shifted(X), y, weights), self.noise_std_**2
            self._mixture = LinearMixture.of(linear, noise, self.log_evidence_ - self._choice_penalty)

    def _latent_value(self, X: Any) -> tuple[NDArray, NDArray]:
        """Mean and variance of f, mixed with the linear model where there is one."""
        means, variances = self._latent(X)
        mean, var = means[:, 0], variances[:, 0]
        if self._mixture is None:
            return mean, var
        return self._mixture.moments(mean, var, self._shifted(self._check_X(X, reset=False)))
