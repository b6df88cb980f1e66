"""Base of all estimators with a kernel: arguments, checked rows, training rows."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from ...basis import Kernel, as_kernel, is_precomputed, takes_sparse
from ...config import LinksToSite
from ...export import Shippable
from ...fitting import TrainingRows, training_rows
from ...validation import check_number, check_rows, check_seed, check_size


class KernelEstimator(LinksToSite, Shippable, BaseEstimator):
    """Estimator with the arguments of a kernel, ``random_state`` and ``verbose``."""

    kernel: str | Kernel | Callable
    gamma: Any
    degree: float
    coef0: float
    random_state: int | RandomState | None
    verbose: int
    n_features_in_: int
    relevance_: NDArray
    relevance_vectors_: Any
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

    def _seed(self) -> int:
        return int(check_seed(self.random_state).randint(np.iinfo(np.int32).max))
