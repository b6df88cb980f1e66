"""Sparse Gaussian-process classification on tables in blocks."""

from abc import abstractmethod
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _num_samples

from ...atomic_fit import atomic
from ...basis import is_precomputed
from ...basis.blocks import RowBlock, RowBlocks, Standardised, Survey
from ...fitting.processes import TRIAL_RECORD, ProcessFit
from ...fitting.streaming import fit_class_blocks
from ...likelihoods import Probit
from .fitting import BlockMachine
from .labels import ClassPredictions, classes_of_survey
from .predictions import by_blocks
from .tables import FROM_ROWS, comes_in_blocks

# Rows of two classes from which an array is read in blocks: with 16,000 rows (Friedman labels) that took a
# quarter of the time, at less log-loss.
_FROM_ROWS_OF_TWO = 10_000


def _from_rows(y: Any) -> int:
    """Rows of an array from which it is read in blocks, given its labels."""
    is_array = isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "biu"
    two = is_array and len(y) >= _FROM_ROWS_OF_TWO and len(np.unique(y)) == 2
    return _FROM_ROWS_OF_TWO if two else FROM_ROWS


class BlockClassifier(ClassPredictions, BlockMachine):
    """Classifier that learns from tables of any size."""

    _learns_classes = True
    kernel: Any
    class_weight: Any
    classes_: NDArray
    relevance_: NDArray
    log_evidence_: float
    _standards: tuple[Any, Any]
    # Factor of the weight of each class.
    _class_factors: NDArray | None

    @abstractmethod
    def _problem(self, data: Any, likelihood: Any) -> Any:
        """Problem of some placed training rows."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the hyperparameters, the vectors and the posterior of their weights.

        Tables that are no arrays in memory, memory maps and arrays of 20,000 rows and more (of two classes:
        10,000) are read in blocks: hyperparameters are learned from a random part, vectors double in number
        while rows that were not used gain by it, and the posterior is that of all rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), path, Dask collection or RowBlocks
            Training data; paths name Parquet files. For ``kernel="precomputed"`` the kernel matrix
            (n_samples, n_samples).
        y : array-like of shape (n_samples,), Dask collection or str
            Class labels; for Parquet files the name of their column, for RowBlocks None.
        sample_weight : array-like of shape (n_samples,), Dask collection or str, default=None
            How many times each row counts; for Parquet files the name of a column.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if is_precomputed(self.kernel) or not comes_in_blocks(X, _from_rows(y)):
            return self._fit_in_memory(X, y, sample_weight)
        return self._fit_table(X, y, sample_weight)

    @atomic
    def _fit_in_memory(self, X: Any, y: Any, sample_weight: Any) -> Self:
        super().fit(X, y, sample_weight)  # type: ignore[misc]
        self.__dict__.pop("_seen", None)
        self._class_factors = None
        self._n_training_rows = _num_samples(X)
        return self

    @atomic
    def _fit_table(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._check_arguments()
        self.__dict__.pop("_seen", None)
        return self._fit_blocks(X, y, sample_weight)

    @abstractmethod
    def _check_arguments(self) -> None:
        """Raise a ValueError for arguments that are not allowed."""

    @atomic
    def partial_fit(
        self, X: Any, y: Any = None, classes: ArrayLike | None = None, sample_weight: Any = None
    ) -> Self:
        """Learn from the first rows, and add those of later calls to them as `update` does.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), path, Dask collection or RowBlocks
            Rows.
        y : array-like of shape (n_samples,), Dask collection or str
            Their labels; for Parquet files the name of their column, for RowBlocks None.
        classes : array-like of shape (n_classes,), default=None
            All classes that will come; those of the first call must have all of them.
        sample_weight : array-like of shape (n_samples,), Dask collection or str, default=None
            How many times each row counts; for Parquet files the name of a column.

        Returns
        -------
        self : object
            The machine given all rows so far.
        """
        if hasattr(self, "_posteriors"):
            return self._more_rows(X, y, sample_weight)
        self._first_rows(X, y, sample_weight)
        missing = [] if classes is None else sorted(set(np.unique(classes)) - set(self.classes_))
        if missing:
            raise ValueError(
                f"the first rows have no row of class {str(missing[0])!r}; begin with rows of all classes."
            )
        return self

    def _transform_of(self, survey: Survey) -> Standardised:
        self.classes_, self._class_factors = classes_of_survey(survey, type(self).__name__, self.class_weight)
        self._standards = survey.features.centre, survey.features.spread
        return self._transform()

    def _transform(self) -> Standardised:
        return Standardised(*self._standards, classes=self.classes_, class_weights=self._class_factors)

    def _block_problem(self, data: Any, seed: int) -> Any:
        problem = replace(self._problem(data, Probit()), seed=seed)
        # With two classes many rows pay for a trend, which ends with the constant far from them.
        return replace(problem, trends=(True, False)) if len(self.classes_) == 2 else problem

    def _fitted_blocks(self, source: RowBlocks, problem: Any, rows: RowBlock, limits: Any, say: Any) -> Any:
        if len(self.classes_) == 2:
            return super()._fitted_blocks(source, problem, rows, limits, say)
        return fit_class_blocks(source, problem, rows, len(self.classes_), limits, say)

    def _store_blocks(self, data: Any, fit: ProcessFit, survey: Survey, transform: Standardised) -> None:
        self._posteriors, self._likelihood = fit.posteriors, fit.likelihood
        self._feature_variances = (survey.features.squares > 0).astype(float)
        self.relevance_ = data.rows[fit.rows]
        self.log_evidence_, self.converged_ = float(fit.log_evidence), fit.converged
        self.trials_ = np.array([trial.record for trial in fit.trials], dtype=TRIAL_RECORD)
        self._left_out: dict[str, float] = {}
        self._describe()

    def _describe(self) -> None:
        """Keep what vectors and hyperparameters say in the units of the user."""
        process, (centre, spread) = self._posteriors[0].process, self._standards
        self.relevance_vectors_ = centre + spread * self._posteriors[0].vectors
        self.kernel_, self.gamma_ = (
            process.kernel,
            float(process.kernel.gamma) if process.kernel.has_gamma else 1.0,
        )
        if getattr(self, "feature_scales", None) is not None:
            self.feature_scales_ = np.ones(self.n_features_in_) if process.scales is None else process.factors

    def _store_update(self, found: Any) -> None:
        self._posteriors, self._likelihood, self._left_out = found.posteriors, found.likelihood, {}
        self.relevance_ = np.append(self.relevance_, found.numbers)
        self.log_evidence_ += found.bound
        self._describe()

    @by_blocks
    def predict_proba(self, X: Any) -> Any:
        """Probability of each class, integrated over the posterior of the processes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), path, Dask collection or RowBlocks
            Rows to predict; for Dask collections probabilities are Dask arrays.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; each row sums to one.
        """
        return super().predict_proba(X)  # type: ignore[misc]
