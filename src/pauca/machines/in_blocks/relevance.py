"""Classifiers with a precision for every weight on tables in blocks."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...atomic_fit import atomic
from ...basis import is_precomputed
from ...basis.blocks import RowBlock, RowBlocks, Standardised, surveyed
from ...fitting import SEARCH_ROWS
from ...fitting.streaming.columns import ColumnFit, Columns, fit_columns
from ...numerics import threads_for
from ..expansion import Expansion
from .labels import ClassPredictions, classes_of_survey
from .predictions import by_blocks
from .tables import comes_in_blocks, is_streamed, table_of

# Rows of an array in memory from which it is read in blocks: hyperparameters are learned from 4000 rows
# there, too, and the columns of all rows are found in a quarter of the time. Set by hand.
_FROM_ROWS = 10_000


class BlockVectorClassifier(ClassPredictions):
    """Classifier by selected columns that learns from tables of any size, by Laplace's method."""

    kernel: Any
    inference: str
    class_weight: Any
    max_candidates: int | None
    classes_: NDArray
    relevance_: NDArray
    relevance_vectors_: NDArray
    expansions_: list
    fallback: bool
    extra_basis: bool
    # What the fit in memory to a part of the rows stores.
    _kernel: Any
    _origin: NDArray | None
    _scales: NDArray | None

    @abstractmethod
    def _recipe(self) -> Any:
        """Likelihood, engine and prior."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the relevance vectors and the posterior of their weights.

        Tables that are no arrays in memory, memory maps and arrays of 10,000 rows and more are read in blocks
        where ``inference="laplace"``: kernel and scales are learned from 4000 rows, vectors and weights from
        all of them, by sums over rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), path, Dask collection or RowBlocks
            Training data; paths name Parquet files. For ``kernel="precomputed"`` the kernel matrix
            (n_samples, n_samples).
        y : array-like of shape (n_samples,), Dask collection or str
            Class labels; for Parquet files the name of their column, for RowBlocks None.
        sample_weight : array-like of shape (n_samples,), Dask collection or str, default=None
            Number of times each row counts; for Parquet files the name of a column.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if self._takes_blocks(X):
            return self._fit_table(X, y, sample_weight)
        return super().fit(X, y, sample_weight)  # type: ignore[misc]

    def _takes_blocks(self, X: Any) -> bool:
        """Whether X is read in blocks; a ValueError where it cannot be held and there is no other way."""
        if is_precomputed(self.kernel) or not comes_in_blocks(X, _FROM_ROWS):
            return False
        reason = self._reason_for_memory()
        if reason is not None and is_streamed(X):
            raise ValueError(f"{type(self).__name__} needs all rows in memory for {reason}.")
        return reason is None and (is_streamed(X) or isinstance(X, np.ndarray))

    def _reason_for_memory(self) -> str | None:
        """Argument that asks for all rows in memory; None: they may come in blocks."""
        if self.inference != "laplace":
            return f"inference={self.inference!r}, which keeps what it knows of every row; use 'laplace'"
        if self.max_candidates is None:
            return "max_candidates=None; give a number"
        for name in ("fallback", "extra_basis"):
            if getattr(self, name, False):
                return f"{name}=True; use {name}=False"
        return None

    @atomic
    def _fit_table(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._check_arguments()  # type: ignore[attr-defined]
        source = table_of(self, X, y, sample_weight)
        survey = surveyed(source, True)
        known = classes_of_survey(survey, type(self).__name__, self.class_weight)
        self.classes_, factors = known
        n_features = source.n_features
        places = np.zeros(n_features), np.ones(n_features)
        source = source.mapped(Standardised(*places, classes=self.classes_, class_weights=factors))
        seed = self._seed()  # type: ignore[attr-defined]
        sample = _with_all_classes(source, seed, len(self.classes_))
        self._learn_kernel(sample)
        self._learn_columns(source, sample, seed)
        self._n_seen = survey.n_rows
        return self

    def _learn_kernel(self, sample: RowBlock) -> None:
        """Fit in memory to a part of the rows."""
        codes = (sample.y > 0).astype(int) if len(self.classes_) == 2 else sample.y
        parts = sample.X, codes, sample.weights, self._one_vs_rest  # type: ignore[attr-defined]
        self._fit_expansions(*parts, self._recipe())  # type: ignore[attr-defined]
        self.relevance_ = sample.index[self.relevance_]

    def _learn_columns(self, source: RowBlocks, sample: RowBlock, seed: int) -> None:
        """Columns and weights given all rows, from those of the part."""
        recipe, limits = self._recipe(), self._limits()  # type: ignore[attr-defined]
        n_first = min(int(self.max_candidates or 0), len(sample))
        drawn = np.random.default_rng(seed).choice(len(sample), n_first, replace=False)
        places = np.union1d(drawn, np.flatnonzero(np.isin(sample.index, self.relevance_)))
        pool = sample.part(places)
        centres = self._placed(pool.X, self._scales)  # type: ignore[attr-defined]
        columns = Columns(self._kernel, centres, self._origin, self._scales)
        with threads_for(source.n_rows * len(pool)):
            columns = columns.standardised(source)
            fits, flips = [], []
            for k, positive in enumerate(_positives(len(self.classes_))):
                sign = np.where(pool.y == positive, 1.0, -1.0)
                signs = sign if recipe.signed else np.ones(len(pool))
                start = self._terms(k, columns, pool)
                options: dict[str, Any] = {"positive": positive, "signs": signs, "start": start, "seed": seed}
                fits.append(fit_columns(source, columns, recipe, limits, **options))
                flips.append(signs)
        self._keep(fits, flips, columns, pool)
        self._left_out: dict[str, float] = {}
        self._store_margins(source)  # type: ignore[attr-defined]

    def _terms(self, k: int, columns: Columns, pool: RowBlock) -> tuple[NDArray, NDArray]:
        """Columns of a latent function of the part among those of a pool, each with a precision of one."""
        numbers = self.relevance_[self.expansions_[k].columns]
        active = np.flatnonzero(np.isin(pool.index, numbers) & np.isfinite(columns.scale))
        return active, np.ones(len(active))

    def _keep(self, fits: list[ColumnFit], flips: list, columns: Columns, pool: RowBlock) -> None:
        """Store vectors and posteriors in place of those of the part."""
        used = np.unique(np.concatenate([fit.model.active for fit in fits]))
        self.relevance_, self.relevance_vectors_ = pool.index[used], pool.X[used]
        self.expansions_ = [
            _expansion(fit, signs, columns, used, self._recipe().likelihood)
            for fit, signs in zip(fits, flips, strict=True)
        ]
        self.log_evidence_ = float(sum(fit.log_evidence for fit in fits))
        self.path_ = np.concatenate([_numbered(k, fit.path) for k, fit in enumerate(fits)])
        self.n_iter_ = max(len(fit.path) - 1 for fit in fits)
        self.converged_ = all(fit.converged for fit in fits)

    @by_blocks
    def predict_proba(self, X: Any, *, quadrature: bool = False) -> Any:
        """Probability of each class, integrated over the posterior of the weights.

        With more than two classes they are proportional to the one-vs-rest odds to the power 0.8, except in
        `EPCVMClassifier` and `PCVMClassifier`, whose multinomial probit model is integrated numerically.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), path, Dask collection or RowBlocks
            Rows to predict; for Dask collections probabilities are Dask arrays.
        quadrature : bool, default=False
            Whether to integrate over the latent value by quadrature. The default uses a closed form, for
            which the logistic function is a mixture of probits (error below 1e-5).

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; each row sums to one.
        """
        return super().predict_proba(X, quadrature=quadrature)  # type: ignore[misc]


def _positives(n_classes: int) -> range:
    """Targets that have the label +1, one for each latent function."""
    return range(1, 2) if n_classes == 2 else range(n_classes)


def _with_all_classes(source: RowBlocks, seed: int, n_classes: int) -> RowBlock:
    """Random part of the rows, in random order, that has rows of all classes: as a rule 4000."""
    size = SEARCH_ROWS
    while True:
        block = source.drawn(size, seed)
        block = block.part(np.flatnonzero(block.weights > 0))
        if len(np.unique(block.y)) == n_classes or size >= source.n_rows:
            return block.part(np.argsort(block.keys(seed), kind="stable"))
        size *= 4


def _expansion(fit: ColumnFit, signs: NDArray, columns: Columns, used: NDArray, likelihood: Any) -> Expansion:
    """Expansion with weights of plain kernel columns: signs go from the columns to their weights."""
    active, posterior = fit.model.active, fit.model.posterior
    flips = np.append(1.0, signs[active])
    return Expansion(
        np.searchsorted(used, active),
        columns.shift[active],
        columns.scale[active],
        posterior.mean * flips,
        posterior.factor * np.outer(flips, flips),
        likelihood,
        fit.model.prior.posterior,
    )


def _numbered(machine: int, path: NDArray) -> NDArray:
    """Path with the index of its latent function in a leading field."""
    numbered = np.empty(len(path), dtype=[("machine", int), *path.dtype.descr])
    numbered["machine"] = machine
    for field in path.dtype.names or ():
        numbered[field] = path[field]
    return numbered
