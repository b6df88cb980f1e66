"""What a likelihood of one latent value must say, and what quadrature says for it by default."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..numerics import gaussian_expectation, log_gaussian_expectation
from ..numerics.quadrature import normal_grid, spread

# Step of central differences in log parameters and latent values: their error is about its square.
_STEP = 1e-5
# Most Newton steps of `base_latent`, the largest one, and the change that ends them; numerical guards.
_MAX_STEPS, _LONGEST_STEP, _SETTLED = 100, 3.0, 1e-10


class Likelihood(ABC):
    """p(y | f) of an observation y given its latent value f, elementwise over observations.

    ``log_prob`` and ``derivatives`` define a likelihood: every integral against a Gaussian N(mean, var)
    defaults to quadrature, and closed forms override it. Two methods are optional: ``quadratic_bound(y,
    squares)``, which variational inference needs, returns (b, h, c) with log p(y | f) ≥ c + h f − ½ b f² for
    all f and equality where f² = squares; ``compiled_moments`` makes sequential expectation propagation fast.

    Parameters that are learned with the hyperparameters of a process are ``log_parameters``; their
    derivatives default to central differences.
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
        """log p(y | f), its first derivative in f and a curvature of at least zero, for Newton's method.

        The curvature is minus the second derivative where log p is concave in f.
        """
        return self.log_prob(y, f), *self.derivatives(y, f)

    def curvature_derivative(self, y: ArrayLike, f: ArrayLike) -> NDArray:
        """Derivative in f of the curvature that ``expand`` gives."""
        above, below = (self.expand(y, np.asarray(f) + step)[2] for step in (_STEP, -_STEP))
        return (above - below) / (2 * _STEP)

    @property
    def log_parameters(self) -> NDArray:
        """Logarithms of the learnable parameters; by default there are none."""
        return np.empty(0)

    @property
    def log_parameter_prior(self) -> tuple[NDArray, NDArray]:
        """Means and standard deviations of the normal priors of the log parameters."""
        return np.empty(0), np.empty(0)

    def with_log_parameters(self, values: ArrayLike) -> Self:
        """Likelihood with the given logarithms of its learnable parameters."""
        return self

    def parameter_derivatives(self, y: ArrayLike, f: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
        """Derivatives in each log parameter of what ``expand`` gives, along a new first axis."""
        logs, shape = self.log_parameters, np.broadcast_shapes(np.shape(y), np.shape(f))
        result = np.zeros((3, len(logs), *shape))
        for k, step in enumerate(_STEP * np.eye(len(logs))):
            above, below = (
                self.with_log_parameters(values).expand(y, f) for values in (logs + step, logs - step)
            )
            for part, high, low in zip(result, above, below, strict=True):
                part[k] = (high - low) / (2 * _STEP)
        return result[0], result[1], result[2]

    def base_latent(self, y: NDArray, weights: NDArray) -> float:
        """Constant latent value that maximises the weighted log likelihood, within the saturation."""
        f, reach = 0.0, self.saturation
        for _ in range(_MAX_STEPS):
            _, gradient, curvature = self.expand(y, np.full(len(y), f))
            step = (weights @ gradient) / max(weights @ curvature, np.finfo(float).tiny)
            after = float(np.clip(f + np.clip(step, -_LONGEST_STEP, _LONGEST_STEP), -reach, reach))
            if abs(after - f) < _SETTLED * (1 + abs(f)):
                return after
            f = after
        return f

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
