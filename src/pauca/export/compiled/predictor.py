"""Predictors that do without validation."""

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from ..form import Portable
from .packing import packed

# Rows up to which a batch goes through the compiled rows; above, products of matrices are faster.
# Measured at 70 vectors of 10 features: 64 rows take as long either way.
_FEW_ROWS = 64


class Predictor:
    """A fitted machine without validation, compiled: the fast path for one row or few.

    Rows are arrays of finite numbers, one a row, with the columns of the training data in their order; a
    single row may have one dimension. Predictions agree with those of the machine to rounding. A predictor
    never changes, so threads may share it. Machines whose kernel or draws cannot be compiled, such as a
    kernel function of the user's, are evaluated by numpy.

    Machines of tables, additive kernels among them, are compiled, too: missing values are nan and categories
    are codes, which `coded` makes of a data frame. Counts have an exposure of one; multiply their mean by
    another exposure.

    Parameters
    ----------
    form : Portable
        Portable form of the machine.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels; None for regression.
    n_features_in_ : int
        Number of columns of a row.

    Examples
    --------
    >>> from pauca import SparseGPClassifier
    >>> from pauca.datasets import make_ripley
    >>> X, y = make_ripley(250, random_state=0)
    >>> machine = SparseGPClassifier().fit(X, y)
    >>> fast = machine.compiled()
    >>> bool(abs(fast.predict_proba(X[0]) - machine.predict_proba(X[:1])).max() < 1e-9)
    True
    """

    def __init__(self, form: Portable) -> None:
        self.form = form
        self.classes_ = form.classes
        self.n_features_in_ = form.inputs.n_given
        self._is_plain = form.inputs.are_plain
        self._layout: NDArray | None = None
        try:
            self._layout, self._data = packed(form)
        except ValueError:
            self._data = np.empty(0)
        self._few = _FEW_ROWS if self.is_compiled else 0
        self._n_out = 2 if form.classes is None else len(form.classes)
        self._rows = self._compiled_rows()

    @property
    def is_compiled(self) -> bool:
        """Whether single rows go through machine code."""
        return self._layout is not None

    def predict_proba(self, X: NDArray) -> NDArray:
        """Probability of each class.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features) or (n_features,)
            Rows of finite numbers.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        if self.classes_ is None:
            raise AttributeError("predict_proba exists for classifiers only; use predict.")
        return self._outputs(X)

    @overload
    def predict(self, X: NDArray, return_std: Literal[False] = False) -> NDArray: ...
    @overload
    def predict(self, X: NDArray, return_std: Literal[True]) -> tuple[NDArray, NDArray]: ...
    def predict(self, X: NDArray, return_std: bool = False) -> NDArray | tuple[NDArray, NDArray]:
        """Most probable class, or predictive mean, of each row.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features) or (n_features,)
            Rows of finite numbers.
        return_std : bool, default=False
            Whether a regression returns standard deviations, too.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels or means.
        std : ndarray of shape (n_samples,)
            Predictive standard deviations; only if ``return_std``.
        """
        out = self._outputs(X)
        if self.classes_ is not None:
            return self.classes_[out.argmax(axis=1)]
        return (out[:, 0], out[:, 1]) if return_std else out[:, 0]

    def coded(self, X: Any) -> NDArray:
        """Rows of a table as the numbers that the other methods take.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
            Rows with the columns of the training table; dates as days since 1970-01-01.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
            Levels of categories are their codes, missing cells nan.
        """
        return self.form.inputs.coded(X)

    def latent(self, X: NDArray) -> tuple[NDArray, NDArray]:
        """Means and variances of the latent functions.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features) or (n_features,)
            Rows of finite numbers.

        Returns
        -------
        mean, variance : ndarray of shape (n_samples, n_latent)
            Moments of each latent function.
        """
        X = _matrix(X)
        if len(X) > self._few:
            return self.form.latent(X)
        from .rows import moments_of_rows  # imports numba

        means, variances = np.empty((2, len(X), len(self.form.latents)))
        moments_of_rows(self._columns(X), self._layout, self._data, means, variances)
        return means, variances

    def _outputs(self, X):
        """Probabilities of the classes, or means and deviations in two columns."""
        X = _matrix(X)
        if X.shape[0] <= self._few:
            out = np.empty((X.shape[0], self._n_out))
            self._rows(self._columns(X), self._layout, self._data, out)
            return out
        means, variances = self.form.latent(X)
        if self.classes_ is None:
            return np.column_stack(self.form.link.numbers(means, variances))
        return self.form.link.probabilities(means, variances)

    def _columns(self, X):
        """Columns that the machine sees, contiguous."""
        return X if self._is_plain else np.ascontiguousarray(self.form.inputs(X))

    def _compiled_rows(self):
        if not self.is_compiled:
            return None
        from .rows import predict_rows  # imports numba

        return predict_rows

    def __getstate__(self) -> dict[str, Any]:
        """State for pickling: the portable form alone."""
        return {"form": self.form}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state of a pickle."""
        self.__init__(state["form"])  # type: ignore[misc]


def _matrix(X):
    """Contiguous rows of doubles."""
    if X.__class__ is np.ndarray and X.ndim == 2 and X.dtype == np.float64 and X.flags.c_contiguous:
        return X
    try:
        X = np.ascontiguousarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError("X must be a dense table of numbers.") from error
    return X[None] if X.ndim == 1 else X
