"""First pass over a table: checked entries, moments of features and targets, labels."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...validation import LARGEST_ENTRY, LARGEST_WEIGHT
from .base import RowBlock, RowBlocks

# Bits to which centres and spreads are rounded; what is learned from a sample is then the same to the last
# bit whatever the blocks. Set by hand.
_BITS = 33
# Most labels of a classification; more are taken for numbers by mistake.
_MOST_LABELS = 1000


@dataclass(frozen=True)
class Moments:
    """Weighted mean and sum of squared deviations of columns.

    Parameters
    ----------
    weight : float
        Sum of the weights.
    mean : ndarray or float
        Weighted means.
    squares : ndarray or float
        Weighted sums of squared deviations from the means.
    """

    weight: float
    mean: Any
    squares: Any

    @classmethod
    def of(cls, values: NDArray, weights: NDArray) -> "Moments":
        """Moments of the rows of one block."""
        total = float(weights.sum())
        shares = weights / total if total > 0 else weights
        mean = shares @ values
        return cls(total, mean, weights @ np.square(values - mean))

    def __add__(self, other: "Moments") -> "Moments":
        """Moments of the rows of both (Chan, Golub & LeVeque 1983)."""
        total = self.weight + other.weight
        if total <= 0:
            return self
        share, shift = other.weight / total, other.mean - self.mean
        squares = self.squares + other.squares + np.square(shift) * self.weight * share
        return Moments(total, self.mean + share * shift, squares)

    @property
    def centre(self) -> Any:
        """Means, rounded so that they do not depend on the order in which blocks were added."""
        return _rounded(self.mean, np.maximum(np.abs(self.mean), self._deviation))

    @property
    def spread(self) -> Any:
        """Standard deviations, rounded likewise; those of constants are one."""
        spread = self._deviation
        spread = np.where(spread > 10 * np.finfo(float).eps * np.abs(self.mean), spread, 1.0)
        return _rounded(spread, spread)

    @property
    def _deviation(self) -> Any:
        return np.sqrt(self.squares / self.weight)


def _rounded(values: Any, sizes: Any) -> Any:
    """Values rounded to about ten digits of their ``sizes``, by a power of two."""
    exponents = np.frexp(sizes)[1]
    return np.ldexp(np.round(np.ldexp(values, _BITS - exponents)), exponents - _BITS)


@dataclass(frozen=True)
class Survey:
    """What one pass over a table tells.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    n_weighted : int
        Number of rows of positive weight.
    features : Moments
        Moments of the features.
    targets : Moments or None
        Moments of the targets, where these are numbers.
    labels : dict
        Summed weights of the labels, where the targets are classes.
    """

    n_rows: int
    n_weighted: int
    features: Moments
    targets: Moments | None
    labels: dict

    def __add__(self, other: "Survey") -> "Survey":
        labels = dict(self.labels)
        for label, weight in other.labels.items():
            labels[label] = labels.get(label, 0.0) + weight
        _check_labels(labels)
        return Survey(
            self.n_rows + other.n_rows,
            self.n_weighted + other.n_weighted,
            self.features + other.features,
            None if self.targets is None or other.targets is None else self.targets + other.targets,
            labels,
        )


@dataclass(frozen=True)
class _SurveyPass:
    """Function from a block of rows to its survey; errors name the row."""

    names: list[str] | None
    classes: bool

    def __call__(self, block: RowBlock) -> Survey:
        self._check_numbers(block, block.X)
        _check_weights(block)
        labels, targets = {}, None
        if self.classes:
            found, codes = _classes(block)
            labels = dict(zip(found.tolist(), np.bincount(codes.ravel(), block.weights), strict=True))
            _check_labels(labels)
        else:
            y = _numbers(block)
            self._check_numbers(block, y[:, None])
            targets = Moments.of(y, block.weights)
        features = Moments.of(block.X, block.weights)
        return Survey(len(block), int((block.weights > 0).sum()), features, targets, labels)

    def _check_numbers(self, block, values):
        """A ValueError that names the first entry that is no moderate number."""
        if (
            np.isfinite(values.sum())
            and values.min(initial=0) >= -LARGEST_ENTRY
            and values.max(initial=0) <= LARGEST_ENTRY
        ):
            return
        with np.errstate(invalid="ignore"):
            wrong = np.argwhere(~(np.abs(values) <= LARGEST_ENTRY))
        if len(wrong) == 0:
            return
        row, column = wrong[0]
        value = values[row, column]
        what = "NaN" if np.isnan(value) else "infinity" if np.isinf(value) else f"{value:.3g}"
        remedy = "scale it first" if np.isfinite(value) else "impute or drop it"
        where = "y" if values.shape[1] == 1 and values is not block.X else self._named(column)
        raise ValueError(f"{where} contains {what} in {block.place(row)}; {remedy}.")

    def _named(self, column):
        return f"column {self.names[column]!r}" if self.names else f"X[:, {column}]"


def _numbers(block):
    try:
        return np.asarray(block.y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"y must be numbers; {block.origin} has {block.y[0]!r}.") from error


def _classes(block):
    """Classes of a block and the code of each row."""
    try:
        classes, codes = np.unique(block.y, return_inverse=True)
    except TypeError as error:
        raise ValueError(
            f"y must hold labels of one kind; those of {block.origin} cannot be compared."
        ) from error
    if classes.dtype.kind == "f" and not (np.isfinite(classes) & (classes == np.rint(classes))).all():
        raise ValueError(
            f"y must hold classes; {block.origin} has numbers that are not whole, or none. "
            "For numbers use a regressor."
        )
    return classes, codes


def _check_weights(block):
    wrong = ~((block.weights >= 0) & (block.weights <= LARGEST_WEIGHT))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"sample_weight must be a number between 0 and {LARGEST_WEIGHT:.0e}; it is {block.weights[row]} "
            f"in {block.place(row)}."
        )


def _check_labels(labels):
    if len(labels) > _MOST_LABELS:
        raise ValueError(
            f"y has more than {_MOST_LABELS} different labels; for numbers use a regressor, "
            "for classes merge rare ones."
        )


def surveyed(source: RowBlocks, classes: bool) -> Survey:
    """Survey of a table, after which its entries are known to be usable.

    Parameters
    ----------
    source : RowBlocks
        Table.
    classes : bool
        Whether targets are classes, else they are numbers.
    """
    survey = source.total(_SurveyPass(source.feature_names, classes))
    if survey.n_weighted == 0:
        raise ValueError("sample_weight must not be zero for all rows.")
    return survey


@dataclass(frozen=True)
class Standardised:
    """Function from a block to one with standardised features and targets.

    Parameters
    ----------
    centre, spread : ndarray of shape (n_features,)
        Taken from the features, and by which they are divided.
    y_centre, y_spread : float
        Taken from the targets, and by which they are divided, where ``classes`` is None.
    classes : ndarray or None
        Class labels in order; targets become signs of two classes, or codes of more.
    class_weights : ndarray or None
        Factor of the weight of each class.
    """

    centre: NDArray
    spread: NDArray
    y_centre: float = 0.0
    y_spread: float = 1.0
    classes: NDArray | None = None
    class_weights: NDArray | None = None

    def __call__(self, block: RowBlock) -> RowBlock:
        X, weights = (block.X - self.centre) / self.spread, block.weights
        if self.classes is None:
            y = (np.asarray(block.y, dtype=np.float64) - self.y_centre) / self.y_spread
        else:
            codes = np.searchsorted(self.classes, block.y)
            codes = np.minimum(codes, len(self.classes) - 1)
            unknown = self.classes[codes] != block.y
            if unknown.any():
                row = int(np.argmax(unknown))
                raise ValueError(f"y has the unknown label {str(block.y[row])!r} in {block.place(row)}.")
            weights = weights if self.class_weights is None else weights * self.class_weights[codes]
            y = 2.0 * codes - 1 if len(self.classes) == 2 else codes
        return RowBlock(X, y, weights, block.index, block.origin, block.first)
