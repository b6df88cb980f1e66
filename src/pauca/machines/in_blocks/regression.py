"""Sparse Gaussian-process regression on tables in blocks."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...atomic_fit import atomic
from ...basis.blocks import Standardised
from .fitting import BlockMachine


class BlockRegressor(BlockMachine):
    """Regressor of standardised targets that learns from tables of any size."""

    _standards: tuple[Any, Any]
    _units: tuple[Any, Any]
    relevance_: NDArray
    log_evidence_: float

    @abstractmethod
    def _store(self, data: Any, fit: Any, standards: Any, units: Any) -> None:
        """Keep vectors, posterior and units of a fit."""

    @atomic
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the first rows, and add those of later calls to them as `update` does.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), path or paths, Dask collection or RowBlocks
            Rows.
        y : array-like of shape (n_samples,), Dask collection or str
            Their targets; for Parquet files the name of their column, for RowBlocks None.
        sample_weight : array-like of shape (n_samples,), Dask collection or str, default=None
            How many times each row counts; for Parquet files the name of a column.

        Returns
        -------
        self : object
            The machine given all rows so far.
        """
        if hasattr(self, "_posteriors"):
            return self._more_rows(X, y, sample_weight)
        return self._first_rows(X, y, sample_weight)

    @abstractmethod
    def _describe(self, process: Any, likelihood: Any) -> None:
        """Keep what the hyperparameters say in the units of the user."""

    def _transform(self):
        return Standardised(*self._standards, *self._units)

    def _store_update(self, found):
        """Keep posterior, likelihood and what they say of the hyperparameters."""
        posterior, (centre, spread) = found.posteriors[0], self._standards
        self._posteriors, self._likelihood, self._left_out = found.posteriors, found.likelihood, {}
        self._describe(posterior.process, found.likelihood)
        self.relevance_ = np.append(self.relevance_, found.numbers)
        self.relevance_vectors_ = centre + spread * posterior.vectors
        self.log_evidence_ += float(found.bound - found.weight * np.log(self._units[1]))

    def _transform_of(self, survey):
        units = float(survey.targets.centre), float(survey.targets.spread)
        return Standardised(survey.features.centre, survey.features.spread, *units)

    def _store_blocks(self, data, fit, survey, transform):
        standards = transform.centre, transform.spread
        self._store(data, fit, standards, (transform.y_centre, transform.y_spread))
        self._feature_variances = (survey.features.squares > 0).astype(float)
        total = survey.features.weight * np.log(transform.y_spread)
        self.log_evidence_ = float(fit.log_evidence - total)
