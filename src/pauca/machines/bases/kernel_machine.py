"""Base of all kernel machines: checked rows, kernel values, stored expansions."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ...basis import Linear, as_kernel, multiplied
from ...export import CannotExport, Link, Portable
from ...fitting import TrainingRows
from ...numerics import threads_for
from ..portable import portable_expansions
from .kernel_estimator import KernelEstimator


class KernelMachine(KernelEstimator):
    """Estimator that keeps some training rows and a posterior over the weights of their kernel columns.

    Subclasses store ``relevance_``, ``relevance_vectors_`` and one expansion for each latent function.
    """

    expansions_: list
    _kernel: Any
    _origin: NDArray | None
    _scales: NDArray | None = None
    # Arguments that have no portable form when they are true.
    _NOT_PORTABLE: tuple[str, ...] = ("fallback", "extra_basis")

    def _set_kernel(self, data: TrainingRows) -> None:
        """Store the kernel without its gamma yet, and the origin that keeps distances exact."""
        self._kernel = as_kernel(self.kernel, degree=self.degree, coef0=self.coef0)
        dense = not sparse.issparse(data.X)
        self._origin = data.X.mean(axis=0) if dense and self._kernel.is_stationary else None

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
        for name in self._NOT_PORTABLE:
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
