"""Attributes and methods that selection needs of posteriors, priors, candidates, kernels and label noise."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from numpy.typing import ArrayLike, NDArray


class SiteTerms(Protocol):
    """Likelihood as Gaussian pseudo-data: a precision b_n and a residual e_n for every row."""

    @property
    def precision(self) -> NDArray: ...
    @property
    def residual(self) -> NDArray: ...


class GaussianPosterior(Protocol):
    """Gaussian posterior N(mean, (L Lᵀ)⁻¹) of the weights, L = ``factor``, with its sites."""

    @property
    def mean(self) -> NDArray: ...
    @property
    def factor(self) -> NDArray: ...
    @property
    def sites(self) -> SiteTerms: ...


class MarginalPosterior(GaussianPosterior, Protocol):
    """Gaussian posterior with variances and with the sites of further factors of the prior."""

    @property
    def variances(self) -> NDArray: ...
    @property
    def weight_sites(self) -> tuple[Any, Any]: ...


class WeightPrior(Protocol):
    """Prior with a precision for every weight, truncated at zero or not."""

    @property
    def precision(self) -> NDArray: ...
    @property
    def has_factors(self) -> bool: ...
    @property
    def is_positive(self) -> bool: ...
    @property
    def counts_sign(self) -> bool: ...
    def factor_sites(self, w: NDArray) -> tuple[NDArray, NDArray]: ...


class ColumnPool(Protocol):
    """Standardised candidate columns, all in blocks or some by their indices."""

    @property
    def candidates(self) -> NDArray: ...
    def columns(self, candidates: NDArray) -> NDArray: ...
    def with_squares(self) -> Iterator[tuple[NDArray, NDArray]]: ...


class CovarianceMatrix(Protocol):
    """Prior covariance matrix of the latent values of all rows, column by column."""

    @property
    def diagonal(self) -> NDArray: ...
    def columns(self, rows: Any) -> NDArray: ...


class NoisyLabels(Protocol):
    """Step likelihood with label noise ε ~ Beta(a, b)."""

    @property
    def a(self) -> float: ...
    @property
    def b(self) -> float: ...
    @property
    def known(self) -> bool: ...
    def gains(self, mean: Any, var: Any, weights: Any, expected: bool) -> Sequence[NDArray]: ...
    def tilt(self, mean: Any, var: Any, a: Any = None, b: Any = None, weights: Any = 1.0) -> NDArray: ...
    def matched(self, weight: Any, flip: Any) -> Any: ...


class PredictiveLikelihood(Protocol):
    """Likelihood with log predictive probabilities for Gaussian latent values."""

    def log_predictive(self, y: Any, mean: Any, var: Any) -> ArrayLike: ...
