"""The exact posterior of small spike-and-slab problems: every subset of features, by quadrature."""

from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_ndtr, logsumexp, ndtr


class Exact(NamedTuple):
    """Inclusion probabilities and means of the weights, log evidence, probabilities of new rows."""

    inclusion: np.ndarray
    mean: np.ndarray
    log_evidence: float
    probabilities: np.ndarray


def enumerated(X, y, rho, *, variance=1.0, weights=None, new=None, n_nodes=6):
    """Exact answers for rows X (the bias is added), labels ±1 and weights that are zero or N(0, variance)."""
    weights = np.ones(len(y)) if weights is None else weights
    new = X if new is None else new
    columns, new_columns = (np.column_stack([np.ones(len(rows)), rows]) for rows in (X, new))
    logs, means, inclusions, predictions = [], [], [], []
    for subset in product((False, True), repeat=X.shape[1]):
        used = np.array((True, *subset))
        log_z, w, mass = _integral(columns[:, used] * y[:, None], weights, variance, n_nodes)
        n_used = sum(subset)
        logs.append(log_z + n_used * np.log(rho) + (X.shape[1] - n_used) * np.log1p(-rho))
        mean = np.zeros(len(used))
        mean[used] = mass @ w
        means.append(mean[1:])
        inclusions.append(subset)
        predictions.append(ndtr(new_columns[:, used] @ w.T) @ mass)
    total = logsumexp(logs)
    posterior = np.exp(np.array(logs) - total)
    parts = (posterior @ np.array(part, dtype=float) for part in (inclusions, means, predictions))
    inclusion, mean, probabilities = parts
    return Exact(inclusion, mean, float(total), probabilities)


def _integral(rows, weights, variance, n_nodes):
    """log ∫ Π Ψ(rows·w)^weight N(w | 0, variance) dw with the nodes and their posterior mass."""
    d = rows.shape[1]

    def log_joint(w):
        prior = -0.5 * np.sum(np.square(w), axis=-1) / variance - 0.5 * d * np.log(2 * np.pi * variance)
        return log_ndtr(w @ rows.T) @ weights + prior

    mode = minimize(lambda w: -log_joint(w), np.zeros(d), method="BFGS").x
    z = rows @ mode
    ratio = np.exp(-0.5 * z**2 - log_ndtr(z)) / np.sqrt(2 * np.pi)
    precision = np.eye(d) / variance + (rows.T * (weights * ratio * (z + ratio))) @ rows
    root = np.linalg.cholesky(np.linalg.inv(precision))
    nodes, mass = np.polynomial.hermite_e.hermegauss(n_nodes)
    grid = np.stack(np.meshgrid(*[nodes] * d, indexing="ij"), -1).reshape(-1, d)
    log_mass = np.log(np.stack(np.meshgrid(*[mass] * d, indexing="ij"), -1)).reshape(-1, d).sum(axis=1)
    w = mode + grid @ root.T
    logs = log_joint(w) + log_mass + 0.5 * np.sum(grid**2, axis=1) + np.log(np.diag(root)).sum()
    return logsumexp(logs), w, np.exp(logs - logsumexp(logs))
