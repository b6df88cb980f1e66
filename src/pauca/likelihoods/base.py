"""What a likelihood of one latent value must say, and what quadrature says for it by default."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..numerics import gaussian_expectation, log_gaussian_expectation
from ..numerics.quadrature import normal_grid, spread


class Likelihood(ABC):
    """p(y | f) of an observation y given its latent value f, elementwise over observations.

    ``log_prob`` and ``derivatives`` define a likelihood: every integral against a Gaussian N(mean, var)
    defaults to quadrature, and closed forms override it. Two methods are optional: ``quadratic_bound(y,
    squares)``, which variational inference needs, returns (b, h, c) with log p(y | f) ≥ c + h f − ½ b f² for
    all f and equality where f² = squares; ``compiled_moments`` makes sequential expectation propagation fast.
    """

    @property
    def saturation(self) -> float:
        """Size of f beyond which the observation is nearly certain; infinite where it never is."""
        return np.inf

    @abstractmethod
    def log_prob(self, y: ArrayLike, f: ArrayLike) -> NDArray:
        """log p(y | f)."""

    @abstractmethod
    def derivatives(self, y: ArrayLike, f: ArrayLike) -> tuple[NDArray, NDArray]:
        """First derivative of log p(y | f) in f and minus the second."""

    def expand(self, y: ArrayLike, f: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
        """log p(y | f), its first derivative in f and minus the second, in one call."""
        return self.log_prob(y, f), *self.derivatives(y, f)

    def expected_log_prob(self, y: ArrayLike, mean: ArrayLike, var: ArrayLike) -> NDArray:
        """E[log p(y | f)] for f ~ N(mean, var)."""
        return gaussian_expectation(lambda f: self.log_prob(np.asarray(y)[..., None], f), mean, var)

    def log_predictive(self, y: ArrayLike, mean: ArrayLike, var: ArrayLike) -> NDArray:
        """log E[p(y | f)] for f ~ N(mean, var)."""
        return log_gaussian_expectation(lambda f: self.log_prob(np.asarray(y)[..., None], f), mean, var)

    def tilted_moments(
        self, y: ArrayLike, mean: ArrayLike, var: ArrayLike
    ) -> tuple[NDArray, NDArray, NDArray]:
        """log Z, mean and variance of p(y | f) N(f | mean, var) / Z."""
        return Likelihood.tempered_moments(self, y, mean, var, 1.0)

    def tempered_moments(
        self, y: ArrayLike, mean: ArrayLike, var: ArrayLike, power: ArrayLike
    ) -> tuple[NDArray, NDArray, NDArray]:
        """log Z, mean and variance of p(y | f)^power N(f | mean, var) / Z."""
        points = spread(mean, var)
        log_prob = np.asarray(power)[..., None] * self.log_prob(np.asarray(y)[..., None], points)
        return _moments(points, log_prob + normal_grid()[1])

    def compiled_moments(self) -> Callable | None:
        """Compiled function (y, mean, var, power) -> tilted mean and variance of one row, if there is one."""
        return None

    def predict(self, mean: ArrayLike, var: ArrayLike) -> Any:
        """Prediction for a latent N(mean, var): by default the mean and standard deviation of f itself."""
        return np.asarray(mean), np.sqrt(var)

    def reestimate(
        self, y: NDArray, Phi: NDArray, posterior: Any, prior: Any, weights: NDArray, accelerate: bool = True
    ) -> "Likelihood":
        """Likelihood with its parameters re-estimated; by default there are none.

        Parameters
        ----------
        y : ndarray of shape (n_rows,)
            Observations.
        Phi : ndarray of shape (n_rows, n_weights)
            Design matrix.
        posterior : Posterior
            Posterior of the weights.
        prior : Prior
            Prior of the weights.
        weights : ndarray of shape (n_rows,)
            Weights of the rows.
        accelerate : bool, default=True
            Take longer steps to the same fixed point; without it no step lowers a variational bound.

        Returns
        -------
        likelihood : Likelihood
        """
        return self

    def bound_penalty(self, weights: NDArray) -> float:
        """Nats by which unknown parameters of the likelihood lower the variational bound; zero by default."""
        return 0.0


def _moments(points: NDArray, log_terms: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """log Z, mean and variance of a discrete distribution over the points of the last axis."""
    log_z = np.logaddexp.reduce(log_terms, axis=-1)
    share = np.exp(log_terms - log_z[..., None])
    mean = (share * points).sum(axis=-1)
    return log_z, mean, (share * np.square(points - mean[..., None])).sum(axis=-1)


class BinaryLikelihood(Likelihood):
    """p(y | f) of labels y in {-1, +1}; ``predict`` gives P(y = +1)."""

    @property
    def saturation(self) -> float:
        """Three standard deviations of the probit that has the gradient of this likelihood at f = 0."""
        gradient = 0.5 * self.derivatives(1.0, 0.0)[0]
        return float(3 / (np.sqrt(2 * np.pi) * gradient))

    def predict(self, mean: ArrayLike, var: ArrayLike) -> NDArray:
        """P(y = +1) with the latent value integrated out."""
        return np.exp(self.log_predictive(np.ones(np.shape(mean)), mean, var))
