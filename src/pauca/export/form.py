"""The portable form of a fitted machine: arrays and a link, from which every target is written.

A machine predicts in three steps. Features are placed, t = (x - centre) · factor; kernel values
k_j = k(t · scales, z_j) with the vectors follow. Beside a constant they are the inputs g of the latent
functions, whose means and variances a link turns into probabilities, or into a mean and a deviation. With a
finite reach, an envelope e = exp(-(|t| / reach)⁴) is one more input, and multiplies the placed features
among the inputs.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ..basis import Kernel
from ..numerics import probit_quantile
from .inputs import Inputs
from .links import Link

# Rows that are evaluated at a time, so that kernel values stay in the cache: at 70 vectors 10,000 rows take
# half as long in blocks of 512 as in blocks of 4096.
_BLOCK_ROWS = 512
# Standard scores of the probabilities 1e-300 and 1 - 1e-16, at which mean probabilities of draws are cut.
LARGEST_SCORE, LARGEST_UPPER_SCORE = -float(ndtri(1e-300)), float(ndtri(1 - 1e-16))


@dataclass(frozen=True)
class PriorVariance:
    """Variance of a latent function before any data: e² (constant + trend · |t|²) + amplitude · k(x, x).

    The envelope e is one unless the model has a finite reach.

    Parameters
    ----------
    constant : float, default=0.0
        Variance of the constant.
    trend : float, default=0.0
        Variance of the weight of each placed feature.
    amplitude : float, default=0.0
        Factor of the kernel.
    """

    constant: float = 0.0
    trend: float = 0.0
    amplitude: float = 0.0


@dataclass(frozen=True)
class Draws:
    """Posterior draws of the weights of a latent function.

    Parameters
    ----------
    weights : ndarray of shape (n_draws, 1 + n_columns)
        One draw a row; the first entry is the constant.
    kind : {"moments", "quantile", "probability"}
        Latent value that stands for the draws: the normal one with their mean and variance, or with their
        mean probability ("quantile" with their variance, "probability" with none).
    """

    weights: NDArray
    kind: str

    def moments(self, g: NDArray) -> tuple[NDArray, NDArray]:
        """Mean and variance at rows of inputs g, the first of which is one."""
        f = g @ self.weights.T
        if self.kind == "moments":
            return f.mean(axis=1), f.var(axis=1)
        z = probit_quantile(f)
        if self.kind == "probability":
            return np.clip(z, -LARGEST_SCORE, LARGEST_UPPER_SCORE), np.zeros(len(f))
        var = f.var(axis=1)
        return z * np.sqrt(1 + var), var


@dataclass(frozen=True)
class Latent:
    """A latent function: its mean is linear in its inputs g = (1, selected entries), its variance quadratic.

    Parameters
    ----------
    columns : ndarray of int
        Entries of the inputs of the model, after the constant, that this function has.
    weights : ndarray of shape (1 + n_columns,)
        Weights of the mean; the first is the constant.
    factor : ndarray or None
        F: a lower triangular matrix, the diagonal of a diagonal one, or None for a variance of zero.
    prior : PriorVariance or None
        None: the variance is |F g|². Else it is the prior variance less that, or less g·F g.
    bilinear : bool
        Whether F enters as g·F g in place of |F g|².
    least_share : float
        Least variance, as a share of the prior variance.
    draws : Draws or None
        Draws of the weights, in place of ``weights`` and ``factor``.
    """

    columns: NDArray
    weights: NDArray
    factor: NDArray | None = None
    prior: PriorVariance | None = None
    bilinear: bool = False
    least_share: float = 0.0
    draws: Draws | None = None

    def moments(self, inputs: NDArray, prior: NDArray | None) -> tuple[NDArray, NDArray]:
        """Mean and variance at rows of inputs, with their prior variances."""
        g = inputs[:, np.concatenate([[0], self.columns + 1])]
        if self.draws is not None:
            return self.draws.moments(g)
        mean = g @ self.weights
        if self.factor is None:
            return mean, np.zeros(len(g))
        product = g * self.factor if self.factor.ndim == 1 else g @ self.factor.T
        quadratic = (product * (g if self.bilinear else product)).sum(axis=1)
        if prior is None:
            return mean, quadratic
        least = np.maximum(self.least_share * prior, np.finfo(float).tiny)
        return mean, np.maximum(prior - quadratic, least)


@dataclass(frozen=True)
class Portable:
    """A fitted machine as arrays.

    Parameters
    ----------
    kind : str
        Name of the class of the machine.
    inputs : Inputs
        From the columns that the user gives to those that the machine sees.
    centre, factor : ndarray of shape (n_features,)
        Placed features are t = (x - centre) · factor.
    kernel : Kernel or None
        Kernel of t · scales with the vectors; None: there is none.
    scales : ndarray of shape (n_features,)
        Factors of the placed features in the kernel.
    vectors : ndarray of shape (n_vectors, n_features)
        Vectors as the kernel sees them.
    direct : ndarray of int
        Placed features that are inputs of the latent functions themselves, before the kernel values.
    latents : tuple of Latent
        Latent functions.
    link : Link
        From means and variances of the latent functions to predictions.
    classes : ndarray or None
        Class labels; None for regression.
    reach : float
        Length of placed rows at which the envelope ends; infinite: there is none.
    """

    kind: str
    inputs: Inputs
    centre: NDArray
    factor: NDArray
    kernel: Kernel | None
    scales: NDArray
    vectors: NDArray
    direct: NDArray
    latents: tuple[Latent, ...]
    link: Link
    classes: NDArray | None = None
    reach: float = np.inf

    @property
    def has_envelope(self) -> bool:
        """Whether the first input is an envelope."""
        return bool(np.isfinite(self.reach))

    @property
    def n_inputs(self) -> int:
        """Number of inputs of the latent functions after the constant."""
        return int(self.has_envelope) + len(self.direct) + len(self.vectors)

    @property
    def n_features(self) -> int:
        """Number of columns that the machine sees."""
        return len(self.centre)

    def latent(self, X: NDArray) -> tuple[NDArray, NDArray]:
        """Means and variances of the latent functions, each of shape (n_rows, n_latent)."""
        blocks = [
            self._latent_block(X[first : first + _BLOCK_ROWS])
            for first in range(0, max(len(X), 1), _BLOCK_ROWS)
        ]
        means, variances = (np.concatenate(part) for part in zip(*blocks, strict=True))
        return means, variances

    def _latent_block(self, X):
        placed = (self.inputs(X) - self.centre) * self.factor
        parts, diagonal, envelope = [np.ones((len(X), 1))], None, np.ones((len(X), 1))
        if self.has_envelope:
            lengths = np.square(placed).sum(axis=1, keepdims=True)
            envelope = np.exp(-np.square(lengths / self.reach**2))
            parts.append(envelope)
        parts.append(envelope * placed[:, self.direct])
        if self.kernel is not None:
            rows = placed * self.scales
            parts.append(self.kernel(rows, self.vectors) if len(self.vectors) else np.empty((len(X), 0)))
            diagonal = self.kernel.diagonal(rows)
        g = np.hstack(parts)
        inside = envelope[:, 0]
        moments = [
            latent.moments(g, _prior(latent.prior, inside, placed, diagonal)) for latent in self.latents
        ]
        return tuple(np.column_stack(part) for part in zip(*moments, strict=True))


def _prior(prior, envelope, placed, diagonal):
    """Prior variances of rows, or None."""
    if prior is None:
        return None
    total = prior.constant * np.square(envelope)
    if prior.trend:
        total += prior.trend * np.square(envelope) * np.square(placed).sum(axis=1)
    return total if not prior.amplitude else total + prior.amplitude * diagonal
