"""Several classes: the class is that of the largest of several latent values with noise."""

import numpy as np
from scipy.special import logsumexp

from ..numerics import gauss_hermite, log_ndtr

_N_NODES = 32
_CHUNK_ENTRIES = 4_000_000


def multinomial_probit(mean, var):
    """P(class = argmax_k f_k + ε_k) for independent f_k ~ N(mean_k, var_k), ε_k ~ N(0, 1), row by row.

    With u ~ N(0, 1) and s_k² = 1 + var_k, P(i) = E[Π_{k≠i} Ψ((mean_i + s_i u − mean_k) / s_k)], by
    Gauss-Hermite quadrature; two classes give the probit of their difference.
    """
    size = max(1, _CHUNK_ENTRIES // (mean.shape[1] * _N_NODES))
    parts = [
        _log_probabilities(mean[first : first + size], np.sqrt(1 + var[first : first + size]))
        for first in range(0, max(len(mean), 1), size)
    ]
    log_p = np.concatenate(parts)
    return np.exp(log_p - logsumexp(log_p, axis=1, keepdims=True))


def _log_probabilities(mean, spread):
    """log P(i) for each row and class i, before the rounding of the quadrature is normalised away."""
    nodes, weights = gauss_hermite(_N_NODES)
    result = np.empty(mean.shape)
    for i in range(mean.shape[1]):
        own = mean[:, i, None] + spread[:, i, None] * nodes
        rivals = [k for k in range(mean.shape[1]) if k != i]
        log_product = sum(log_ndtr((own - mean[:, k, None]) / spread[:, k, None]) for k in rivals)
        result[:, i] = logsumexp(log_product + np.log(weights), axis=1)
    return result
