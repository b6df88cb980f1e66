"""What a likelihood of one latent value must say, and what quadrature says for it by default."""

from abc import ABC, abstractmethod

import numpy as np

from ..numerics import gaussian_expectation, log_gaussian_expectation
from ..numerics.quadrature import normal_grid, spread


class Likelihood(ABC):
    """p(y | f), elementwise over observations.

    ``log_prob`` and ``derivatives`` define a likelihood; every integral against a Gaussian N(mean, var)
    defaults to quadrature, and closed forms override it.
    """

    @property
    def saturation(self):
        """Size of f beyond which the observation is nearly sure; none where it never is."""
        return np.inf

    @abstractmethod
    def log_prob(self, y, f):
        """log p(y | f)."""

    @abstractmethod
    def derivatives(self, y, f):
        """First derivative of log p in f and minus the second."""

    def expected_log_prob(self, y, mean, var):
        """E[log p(y | f)]."""
        return gaussian_expectation(lambda f: self.log_prob(np.asarray(y)[..., None], f), mean, var)

    def log_predictive(self, y, mean, var):
        """log E[p(y | f)]."""
        return log_gaussian_expectation(lambda f: self.log_prob(np.asarray(y)[..., None], f), mean, var)

    def tilted_moments(self, y, mean, var):
        """log Z, mean and variance of p(y | f) N(f | mean, var) / Z."""
        return Likelihood.tempered_moments(self, y, mean, var, 1.0)

    def tempered_moments(self, y, mean, var, power):
        """The same for p(y | f) to a ``power``."""
        points = spread(mean, var)
        log_prob = np.asarray(power)[..., None] * self.log_prob(np.asarray(y)[..., None], points)
        return _moments(points, log_prob + normal_grid()[1])

    def compiled_moments(self):
        """Tilted mean and variance of one row as machine code of (y, mean, var, power), if there is any."""
        return None

    def quadratic_bound(self, y, squares):
        """(b, h, c) with log p(y | f) ≥ c + h f − ½ b f² for all f, equal where f² = ``squares``."""
        raise NotImplementedError(
            f"{type(self).__name__} has no quadratic_bound, which variational inference needs."
        )

    @abstractmethod
    def predict(self, mean, var):
        """Predictive summary for a latent N(mean, var): what the estimators return."""

    def reestimate(self, y, Phi, posterior, prior, weights, accelerate=True):
        """The likelihood with its own parameters re-estimated; most have none.

        Where they have posteriors, steps that do not ``accelerate`` never lower a lower bound.
        """
        return self

    def bound_penalty(self, weights):
        """What not knowing its own parameters costs the lower bound; most have none."""
        return 0.0


def _moments(points, log_terms):
    """log Z, mean and variance of the distribution with these terms, along the last axis."""
    log_z = np.logaddexp.reduce(log_terms, axis=-1)
    share = np.exp(log_terms - log_z[..., None])
    mean = (share * points).sum(axis=-1)
    return log_z, mean, (share * np.square(points - mean[..., None])).sum(axis=-1)


class BinaryLikelihood(Likelihood):
    """Labels y in {-1, +1}; ``predict`` gives P(y = +1)."""

    @property
    def saturation(self):
        """Three standard deviations of the probit with the same slope at zero."""
        slope = 0.5 * self.derivatives(1.0, 0.0)[0]
        return float(3 / (np.sqrt(2 * np.pi) * slope))

    def predict(self, mean, var):
        """P(y = +1) with the latent value integrated out."""
        return np.exp(self.log_predictive(np.ones(np.shape(mean)), mean, var))
