"""Base of all kernel machines: checked rows, kernel values, stored expansions."""

import sys
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ...basis import Kernel, Linear, as_kernel, is_precomputed, multiplied, takes_sparse
from ...config import LinksToSite
from ...export import CannotExport, Link, Portable, Shippable
from ...fitting import TrainingRows, training_rows
from ...numerics import threads_for
from ...validation import check_number, check_rows, check_seed, check_size
from ..portable import portable_expansions


class KernelMachine(LinksToSite, Shippable, BaseEstimator):
    """Estimator that keeps some training rows and a posterior over the weights of their kernel columns.

    Subclasses have the arguments ``kernel``, ``gamma``, ``degree``, ``coef0``, ``random_state`` and
    ``verbose``, and store ``relevance_``, ``relevance_vectors_`` and one expansion for each latent
    function.
    """

    kernel: str | Kernel | Callable
    gamma: Any
    degree: float
    coef0: float
    random_state: int | RandomState | None
    verbose: bool
    n_features_in_: int
    relevance_: NDArray
    relevance_vectors_: Any
    expansions_: list
    _kernel: Any
    _origin: NDArray | None
    _scales: NDArray | None = None
    # Whether equal rows of a precomputed kernel are one training row.
    _merges_precomputed = False

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = takes_sparse(self.kernel)
        tags.input_tags.pairwise = is_precomputed(self.kernel)
        return tags

    def _check_kernel_arguments(self) -> None:
        as_kernel(self.kernel)
        check_number("degree", self.degree, 0, strict=True)
        check_number("coef0", self.coef0, -np.inf)

    def _check_X(self, X, y="no_validation", **kwargs):
        """X (and y) as float arrays; a ValueError where the kernel does not take sparse X."""
        sparse_ok = self.__sklearn_tags__().input_tags.sparse
        if sparse.issparse(X) and not sparse_ok:
            raise ValueError(
                f"kernel={self.kernel!r} does not take sparse X; use X.toarray() or a named kernel."
            )
        accept = "csr" if sparse_ok else False
        return check_rows(self, X, y, accept_sparse=accept, dtype=np.float64, **kwargs)

    def _training_rows(self, X: Any, y: NDArray, weights: NDArray) -> TrainingRows:
        """Distinct training rows, after the checks that fit makes beyond those of predict."""
        if is_precomputed(self.kernel) and X.shape[0] != X.shape[1]:
            raise ValueError(f"X must be a square matrix for kernel='precomputed'; got shape {X.shape}.")
        check_size("X", X)
        self._n_seen = X.shape[0]
        merge = self._merges_precomputed or not is_precomputed(self.kernel)
        return training_rows(X, y, weights, merge=merge)

    def _set_kernel(self, data: TrainingRows) -> None:
        """Store the kernel without its gamma yet, and the origin that keeps distances exact."""
        self._kernel = as_kernel(self.kernel, degree=self.degree, coef0=self.coef0)
        dense = not sparse.issparse(data.X)
        self._origin = data.X.mean(axis=0) if dense and self._kernel.is_stationary else None

    def _seed(self) -> int:
        return int(check_seed(self.random_state).randint(np.iinfo(np.int32).max))

    def _print(self, message: str) -> None:
        if self.verbose:
            print(f"[{type(self).__name__}] {message}", file=sys.stderr, flush=True)

    def _shifted(self, X):
        return X if self._origin is None else X - self._origin

    def _placed(self, X, scales):
        """Rows as the kernel sees them: around the origin, features times their scales."""
        return self._shifted(X) if scales is None else multiplied(self._shifted(X), scales)

    @property
    def _columns_are_given(self) -> bool:
        """Whether the columns of the model are columns of X, in place of kernel values."""
        return self._kernel.is_precomputed

    def _kernel_values(self, X):
        """Kernel values of checked rows with all relevance vectors."""
        if self._columns_are_given:
            values = X[:, self.relevance_]
            return values.toarray() if sparse.issparse(values) else values
        if len(self.relevance_) == 0:
            return np.empty((X.shape[0], 0))
        vectors = self._placed(self.relevance_vectors_, self._scales)
        return self._kernel(self._placed(X, self._scales), vectors)

    def _latent(self, X: ArrayLike) -> tuple[NDArray, NDArray]:
        """Mean and variance of every latent function: two arrays of shape (n_rows, n_latent)."""
        check_is_fitted(self)
        rows = self._check_X(X, reset=False)
        with threads_for(rows.shape[0] * len(self.relevance_)):
            means, variances = zip(*self._latent_moments(rows), strict=True)
        return np.column_stack(means), np.column_stack(variances)

    def _latent_moments(self, X):
        """Mean and variance of each latent function at checked rows."""
        K = self._kernel_values(X)
        return [expansion.latent(K) for expansion in self.expansions_]

    def _portable(self) -> Portable:
        for name in ("fallback", "extra_basis"):
            if getattr(self, name, False):
                raise CannotExport(f"{name}=True has no portable form; fit with {name}=False to export.")
        return portable_expansions(self, self._link())

    @abstractmethod
    def _link(self) -> Link:
        """From moments of the latent functions to predictions."""

    @property
    def dual_coef_(self) -> NDArray:
        """Weights of the kernel columns, shape (n_latent, n_relevance_vectors)."""
        coef = np.zeros((len(self.expansions_), len(self.relevance_)))
        for row, expansion in zip(coef, self.expansions_, strict=True):
            row[expansion.columns] = expansion.dual_coef
        return coef

    @property
    def intercept_(self) -> NDArray:
        """Constant terms, shape (n_latent,)."""
        return np.array([expansion.intercept for expansion in self.expansions_])

    @property
    def coef_(self) -> NDArray:
        """Weights of the features (``kernel="linear"`` only), shape (n_latent, n_features)."""
        if self.kernel not in ("linear", Linear()):
            raise AttributeError("coef_ exists for kernel='linear' only.")
        return np.asarray(self.dual_coef_ @ self.relevance_vectors_)
