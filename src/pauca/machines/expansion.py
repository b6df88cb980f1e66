"""Stored expansions: posterior of the weights of a fitted latent function, and its predictions."""

import inspect
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from typing import cast

import numpy as np

from ..basis import with_bias
from ..inference import Chains, latent_moments
from ..inference.ep import dual_kernel
from ..likelihoods import Gaussian, LabelNoise, Likelihood
from ..numerics import inverse_diagonal, probit_quantile
from ..priors import Gamma

# Entries of a block of predictions by draws; bounds the memory of `DrawnExpansion.latent`.
_BLOCK_ENTRIES = 2_000_000
# Smallest predictive variance as a share of the prior variance; numerical guard.
LEAST_SHARE = 1e-12


@dataclass(frozen=True)
class Expansion:
    """f(x) = w_0 + Σ_j w_j (k(x, x_j) − shift_j) / scale_j with w ~ N(mean, (L Lᵀ)⁻¹), L = ``factor``.

    ``columns`` are the places of the x_j among the relevance vectors; ``alpha`` is the posterior of
    the precisions of w_1, w_2, ..., where they have one.
    """

    columns: np.ndarray
    shift: np.ndarray
    scale: np.ndarray
    mean: np.ndarray
    factor: np.ndarray
    likelihood: Likelihood
    alpha: Gamma | None = None

    @property
    def dual_coef(self):
        """Weights of the plain kernel columns."""
        return self.mean[1:] / self.scale

    @property
    def variances(self):
        """Variances of w."""
        return inverse_diagonal(self.factor)

    @property
    def dual_alpha(self):
        """Posterior of the precisions of the weights of the plain kernel columns."""
        return None if self.alpha is None else self.alpha.scaled(np.square(self.scale))

    @property
    def intercept(self):
        """Constant term beside the plain kernel columns."""
        return self.mean[0] - self.dual_coef @ self.shift

    def in_units(self, centre, factor):
        """Expansion of centre + factor · f, and of its noise."""
        mean = self.mean * factor
        mean[0] += centre
        return replace(
            self,
            mean=mean,
            factor=self.factor / factor,
            likelihood=cast(Gaussian, self.likelihood).rescaled(factor),
            alpha=self.alpha and self.alpha.scaled(factor**-2),
        )

    def design(self, K):
        """Design matrix given kernel values against all relevance vectors."""
        return with_bias((K[:, self.columns] - self.shift) / self.scale)

    def latent(self, K):
        """Mean and variance of f given kernel values against all relevance vectors."""
        return latent_moments(self.design(K), self.mean, self.factor)


@dataclass(frozen=True)
class DrawnExpansion(Expansion):
    """Expansion whose predictions are averages over posterior draws of the weights."""

    draws: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))

    @classmethod
    def of(cls, expansion, draws):
        """Expansion with draws of the weights, one draw a row, under the probit likelihood."""
        values = {each.name: getattr(expansion, each.name) for each in fields(Expansion)}
        return cls(**{**values, "mean": draws.mean(axis=0)}, draws=draws)

    def latent(self, K):
        """Mean and variance of the Gaussian latent value with the mean predicted probability of the draws."""
        Phi = self.design(K)
        size = max(1, _BLOCK_ENTRIES // len(self.draws))
        blocks = [self._moments(Phi[first : first + size]) for first in range(0, max(len(Phi), 1), size)]
        mean, var = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        return mean, var

    def _moments(self, Phi):
        f = Phi @ self.draws.T
        var = f.var(axis=1)
        return probit_quantile(f) * np.sqrt(1 + var), var


def to_arviz(chains: list[Chains]):
    """ArviZ data set with the draws of each latent function as a variable."""
    try:
        arviz = import_module("arviz")
    except ImportError as error:
        raise ImportError('Draws go to ArviZ with: pip install "pauca[mcmc]"') from error
    variables = {f"weights_{k}": each.draws for k, each in enumerate(chains)}
    if "posterior" in inspect.signature(arviz.from_dict).parameters:
        return arviz.from_dict(posterior=variables)
    return arviz.from_dict({"posterior": variables})


@dataclass(frozen=True)
class DualExpansion:
    """f(x) has mean c·coef and variance k(x, x) − c' K c, c the kernel values with rows at ``columns``."""

    columns: np.ndarray
    dual_coef: np.ndarray
    kernel: np.ndarray
    likelihood: LabelNoise
    intercept: float = 0.0

    @classmethod
    def of(cls, gram, rows, posterior, used):
        """Posterior over ``rows`` in terms of kernel values, without labels, with the rows ``used``."""
        signs = gram.y[rows]
        kernel = signs[:, None] * dual_kernel(gram.block(rows), posterior.sites[:, 0]) * signs
        return cls(np.searchsorted(used, rows), signs * posterior.coef, kernel, posterior.noise)

    def latent(self, values, prior):
        """Mean and variance of f given kernel values against all relevance vectors and prior variances."""
        c = values[:, self.columns]
        explained = ((c @ self.kernel) * c).sum(axis=1)
        least = np.maximum(LEAST_SHARE * prior, np.finfo(float).tiny)
        return c @ self.dual_coef, np.maximum(prior - explained, least)
