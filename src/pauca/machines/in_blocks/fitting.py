"""Fit of a sparse Gaussian process machine to a table in blocks, and its update with new rows."""

from abc import abstractmethod
from dataclasses import replace
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ...atomic_fit import atomic
from ...basis.blocks import RowBlock, RowBlocks, Standardised, Survey, surveyed
from ...fitting.fitter import ignore
from ...fitting.streaming import LEAST_RISE, BlockLimits, as_training_rows, fit_blocks, sample_of
from ...numerics import threads_for
from ...validation import check_number, check_seed
from .progress import Callback, FitProgress
from .tables import table_of
from .updates import Seen, Updated, updated

#: Most vectors where nothing else is said, in memory and of very many rows; set by hand.
FEW_VECTORS = 200
# Rows times squared vectors up to which more of them may be had, where nothing else is said: about two
# minutes for ten passes. Set by hand.
_MOST_WORK = 4e10


class BlockMachine:
    """Machine that learns from tables of any size by sums over their rows."""

    transforms: str
    max_vectors: Any
    min_gain: float
    memory_limit: float
    callback: Callback | None
    verbose: int
    random_state: Any
    n_features_in_: int
    feature_names_in_: NDArray

    @abstractmethod
    def _transform_of(self, survey: Survey) -> Standardised:
        """Transformation of blocks to standardised rows and targets; stores what predictions need."""

    @abstractmethod
    def _block_problem(self, data: Any, seed: int) -> Any:
        """Problem of a process for standardised rows."""

    @abstractmethod
    def _store_blocks(self, data: Any, fit: Any, survey: Survey, transform: Standardised) -> None:
        """Keep vectors, posterior and units."""

    @abstractmethod
    def _transform(self) -> Standardised:
        """Transformation of blocks as of the fit."""

    @abstractmethod
    def _store_update(self, found: Updated) -> None:
        """Keep what an update changes."""

    # Posteriors of the latent functions, rows that they are given, and a memory of these rows.
    _posteriors: list[Any]
    # Columns of a table that was held in memory; None for numbers.
    _columns: Any
    _n_training_rows: int
    _seen: Seen
    # Whether targets are classes.
    _learns_classes = False

    def _check_block_arguments(self) -> None:
        check_number("memory_limit", self.memory_limit, 2**20)
        if self.callback is not None and not callable(self.callback):
            raise ValueError(f"callback must be callable or None; got {self.callback!r}.")

    def _fit_blocks(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Learn from a table in blocks."""
        self._columns = None
        self._check_block_arguments()
        say = FitProgress(self.callback)
        seed = self._block_seed()
        source = table_of(self, X, y, sample_weight)
        say("kernel", 0.0, "checking all rows")
        survey = surveyed(source, self._learns_classes)
        transform, limits = self._transform_of(survey), self._block_limits(survey)
        placed = source.mapped(transform)
        rows = sample_of(placed, limits, seed)
        rows = rows.part(rows.weights > 0)
        data = as_training_rows(rows)
        with threads_for(1):
            problem = replace(self._block_problem(data, seed), report=ignore)
            fit = self._fitted_blocks(placed, problem, rows, limits, say)
        self._store_blocks(data, fit, survey, transform)
        self._n_seen = self._n_training_rows = survey.n_rows
        say("posterior", 1.0, f"{len(fit.rows)} vectors")
        return self

    def _first_rows(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Learn from the first rows, of which a sample is kept for later updates."""
        given = self.transforms
        # New rows can be added to plain numbers only.
        self.transforms = "plain" if given == "auto" else given
        try:
            self.fit(X, y, sample_weight)  # type: ignore[attr-defined]
        finally:
            self.transforms = given
        source = table_of(self, X, y, sample_weight, reset=False).mapped(self._transform())
        self._seen = Seen.first(source, len(self._posteriors[0].vectors), self._block_seed())
        return self

    def _more_rows(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Posterior given more rows; hyperparameters are learned again when the rows have doubled."""
        if getattr(self, "_columns", None) is not None:
            raise ValueError(
                f"{type(self).__name__} is updated with new rows of plain numbers only; fit a frame of "
                "numbers with transforms='plain', and a table with categories or missing entries again with "
                "all rows."
            )
        if sparse.issparse(self._posteriors[0].vectors):
            raise ValueError(
                f"{type(self).__name__} was fitted to a sparse matrix X as a whole; to update it, fit it to "
                "pauca.basis.row_blocks(X, y)."
            )
        source = table_of(self, X, y, sample_weight, reset=False)
        surveyed(source, self._learns_classes)
        source, seed = source.mapped(self._transform()), self._block_seed()
        seen = getattr(self, "_seen", None)
        if seen is None:
            n_vectors = len(self._posteriors[0].vectors)
            seen = replace(Seen.first(source, n_vectors, seed), n_rows=0).after(self._n_training_rows)
        most = self._most_vectors(seen.n_rows + source.n_rows)
        with threads_for(1):
            found = updated(self, source, seen, seed, most)
        self._seen = found.seen
        self._n_seen = self._n_training_rows = found.seen.n_rows
        self._store_update(found)
        return self

    def update(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add new rows to those that the machine was fitted to.

        The posterior given all earlier rows is the prior of the new ones: exact sums for Gaussian noise, else
        few Newton steps on the new rows. Vectors may enter as rows grow in number, and when they have doubled
        hyperparameters are learned again from a sample of them. Features and targets keep the units of the
        first fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), path, Dask collection or RowBlocks
            New rows.
        y : array-like of shape (n_samples,), Dask collection or str
            Their targets; for Parquet files the name of their column, for RowBlocks None.
        sample_weight : array-like of shape (n_samples,), Dask collection or str, default=None
            How many times each row counts; for Parquet files the name of a column.

        Returns
        -------
        self : object
            The machine given all rows.
        """
        check_is_fitted(self)
        return self._updating(X, y, sample_weight)

    @atomic
    def _updating(self, X: Any, y: Any, sample_weight: Any) -> Self:
        return self._more_rows(X, y, sample_weight)

    def _block_seed(self) -> int:
        return int(check_seed(self.random_state).randint(np.iinfo(np.int32).max))

    def _fitted_blocks(self, source: RowBlocks, problem: Any, rows: RowBlock, limits: Any, say: Any) -> Any:
        """Fit of a problem to the rows of a table, given a sample of them."""
        return fit_blocks(source, problem, rows, limits, say)

    def _block_limits(self, survey: Survey) -> BlockLimits:
        least = LEAST_RISE if self.min_gain > 0 or not isinstance(self.max_vectors, Integral) else 0.0
        return BlockLimits(self._most_vectors(survey.n_weighted), least, float(self.memory_limit))

    def _most_vectors(self, n_rows: int) -> int:
        """Largest number of vectors for so many rows; the rows decide how many of them there are."""
        if self.max_vectors is None:
            return max(FEW_VECTORS, int(np.sqrt(_MOST_WORK / n_rows)))
        whole = isinstance(self.max_vectors, Integral)
        return int(self.max_vectors) if whole else max(1, int(self.max_vectors * n_rows))
