"""A sparse expansion whose weights are known by draws from their posterior."""

import inspect
from dataclasses import dataclass, field, fields
from importlib import import_module

import numpy as np
from scipy.special import log_ndtr, logsumexp, ndtri_exp

from ..basis import with_bias
from ..inference import Chains
from .expansion import Expansion

_BLOCK_ENTRIES = 2_000_000


@dataclass(frozen=True)
class DrawnExpansion(Expansion):
    """Predictions are averages over draws in place of integrals over a Gaussian."""

    draws: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))

    @classmethod
    def of(cls, expansion, draws):
        """The same columns with draws of their weights, one draw a row; probit likelihood."""
        values = {each.name: getattr(expansion, each.name) for each in fields(Expansion)}
        return cls(**{**values, "mean": draws.mean(axis=0)}, draws=draws)

    def latent(self, K):
        """Mean and variance of the Gaussian latent value that predicts what the draws predict on average."""
        Phi = with_bias((K[:, self.columns] - self.shift) / self.scale)
        size = max(1, _BLOCK_ENTRIES // len(self.draws))
        blocks = [self._moments(Phi[first : first + size]) for first in range(0, max(len(Phi), 1), size)]
        mean, var = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        return mean, var

    def _moments(self, Phi):
        f = Phi @ self.draws.T
        var = f.var(axis=1)
        return _probit_quantile(f) * np.sqrt(1 + var), var


def _probit_quantile(f):
    """z with Ψ(z) equal to the mean of Ψ(f) over the last axis, exact in both tails."""
    log_p, log_q = (logsumexp(log_ndtr(sign * f), axis=-1) - np.log(f.shape[-1]) for sign in (1, -1))
    return np.where(log_p < log_q, ndtri_exp(np.minimum(log_p, 0.0)), -ndtri_exp(np.minimum(log_q, 0.0)))


def to_arviz(chains: list[Chains]):
    """The draws of every machine as a variable of an ArviZ data set."""
    try:
        arviz = import_module("arviz")
    except ImportError as error:
        raise ImportError('Draws go to ArviZ with: pip install "pauca[mcmc]"') from error
    variables = {f"weights_{k}": each.draws for k, each in enumerate(chains)}
    if "posterior" in inspect.signature(arviz.from_dict).parameters:
        return arviz.from_dict(posterior=variables)
    return arviz.from_dict({"posterior": variables})
