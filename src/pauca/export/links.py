"""Links: from means and variances of latent functions to probabilities, or to means and deviations."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from ..likelihoods import (
    CumulativeProbit,
    Gaussian,
    LabelNoise,
    Likelihood,
    Logit,
    MultinomialProbit,
    Probit,
    StudentT,
)
from ..likelihoods.counts import CountLikelihood
from .errors import CannotExport


@dataclass(frozen=True)
class Blend:
    """Mixture of two latent values for one number: the first has the share trusted / (trusted + variance).

    Parameters
    ----------
    trusted : float
        Variance of the first latent value at which both have equal shares.
    error : float, default=0.0
        Variance that is added to that of the second latent value.
    """

    trusted: float
    error: float = 0.0

    def moments(self, means: NDArray, variances: NDArray) -> tuple[NDArray, NDArray]:
        """Mean and variance of the mixture, shape (n_rows, 1) each."""
        share = self.trusted / (self.trusted + variances[:, :1])
        gap = means[:, :1] - means[:, 1:]
        other = variances[:, 1:] + self.error + share * np.square(gap)
        mean = share * means[:, :1] + (1 - share) * means[:, 1:]
        return mean, share * variances[:, :1] + (1 - share) * other


@dataclass(frozen=True)
class Link:
    """What predictions do with the moments of the latent functions.

    Parameters
    ----------
    scheme : {"binary", "odds", "multinomial", "ordinal", "number"}
        "binary": one latent value, the probability of the second class. "odds": one for each class, whose
        odds against the rest to the ``power`` are normalised. "multinomial": one for each class, the largest
        of which wins after normal noise of variance one. "ordinal": one latent value, and the thresholds
        between ordered classes. "number": regression.
    likelihood : Likelihood or None
        Likelihood of one latent value; None for "multinomial".
    power : float
        Power of the odds.
    blend : Blend or None
        For "number": mixture of two latent values; None: there is one.
    """

    scheme: str
    likelihood: Any = None
    power: float = 1.0
    blend: Blend | None = None

    def probabilities(self, means: NDArray, variances: NDArray) -> NDArray:
        """Probability of each class, shape (n_rows, n_classes)."""
        if self.scheme == "multinomial":
            return MultinomialProbit().predict(means, variances)
        if self.scheme == "ordinal":
            return self.likelihood.predict(means[:, 0], variances[:, 0])
        if self.scheme == "odds":
            signs = (self.likelihood.log_predictive(sign, means, variances) for sign in (1.0, -1.0))
            return softmax(self.power * np.subtract(*signs), axis=1)
        less = self.likelihood.predict(-np.abs(means), variances)
        pair = np.hstack([less, 1 - less])
        return np.where(means > 0, pair, pair[:, ::-1])

    def numbers(self, means: NDArray, variances: NDArray) -> tuple[NDArray, NDArray]:
        """Predictive mean and standard deviation of each row."""
        if self.blend is not None:
            means, variances = self.blend.moments(means, variances)
        mean, std = self.likelihood.predict(means[:, 0], variances[:, 0])
        return np.asarray(mean), std

    @property
    def terms(self) -> "ProbitMixture":
        """Probability of the second class as a mixture of probits."""
        return ProbitMixture.of(self.likelihood)

    @property
    def thresholds(self) -> NDArray:
        """Thresholds between ordered classes."""
        if not isinstance(self.likelihood, CumulativeProbit):
            raise CannotExport(
                f"The likelihood {type(self.likelihood).__name__} has no thresholds to export."
            )
        return self.likelihood.thresholds

    @property
    def is_count(self) -> bool:
        """Whether a number is a count, whose log rate is the latent value."""
        return isinstance(self.likelihood, CountLikelihood)

    @property
    def excess(self) -> float:
        """Factor of the squared rate in the variance of a count."""
        return float(self.likelihood.excess)

    @property
    def noise_variance(self) -> float:
        """Variance of the noise of a number that is no count."""
        if isinstance(self.likelihood, Gaussian):
            return float(1 / self.likelihood.precision)
        if isinstance(self.likelihood, StudentT):
            return float(self.likelihood.conditional_moments(0.0)[1])
        raise CannotExport(
            f"Predictions under {type(self.likelihood).__name__} noise cannot be exported; use a machine "
            "with Gaussian or Student's t noise, or with counts."
        )


@dataclass(frozen=True)
class ProbitMixture:
    """P(+1) = low + (1 - 2 low) Σ_k share_k Ψ(steepness_k m / √(unit + steepness_k² v)).

    ``jensen`` is the steepness of a logistic function whose bound log σ(jensen m) - jensen² v / 8 replaces
    the mixture far in the tail, or zero.
    """

    shares: NDArray
    steepnesses: NDArray
    unit: float = 1.0
    low: float = 0.0
    jensen: float = 0.0

    @classmethod
    def of(cls, likelihood: Likelihood | LabelNoise) -> "ProbitMixture":
        """Mixture of a likelihood of two classes."""
        one = np.ones(1)
        if isinstance(likelihood, LabelNoise):
            return cls(one, one, unit=0.0, low=likelihood.mean)
        if isinstance(likelihood, Logit):
            shares, steepnesses = likelihood.mixture
            return cls(shares, steepnesses, jensen=likelihood.scale)
        if isinstance(likelihood, Probit):
            return cls(one, one)
        raise CannotExport(
            f"The likelihood {type(likelihood).__name__} has no probabilities to export; use a machine "
            "with a logistic or probit likelihood."
        )
