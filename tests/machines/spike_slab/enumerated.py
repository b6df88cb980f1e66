"""The exact posterior of small spike-and-slab problems: every subset, by quadrature or by draws."""

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


def sampled(X, y, rho, *, n_draws=128, seed=0):
    """Inclusion probabilities and log evidence of up to 12 features, each subset by importance sampling.

    Slab and bias have variance 1. Draws come from the Gaussian at the mode of each subset; all subsets share
    them, and each has a mirror image.
    """
    rows = np.column_stack([np.ones(len(y)), X]) * y[:, None]
    used = np.array([(True, *subset) for subset in product((False, True), repeat=X.shape[1])], dtype=float)
    half = np.random.default_rng(seed).normal(size=(n_draws // 2, rows.shape[1]))
    draws = np.concatenate([half, -half])
    logs = np.concatenate(
        [_by_draws(rows, part, draws) for part in np.array_split(used, len(used) // 64 + 1)]
    )
    sizes = used.sum(axis=1) - 1
    logs += sizes * np.log(rho) + (X.shape[1] - sizes) * np.log1p(-rho)
    total = logsumexp(logs)
    return np.exp(logs - total) @ used[:, 1:], float(total)


def _by_draws(rows, used, draws):
    """Log evidence of some subsets; weights that a subset lacks keep their prior, which integrates to one."""
    mode, precision = _modes(rows, used)
    root = np.linalg.inv(np.linalg.cholesky(precision)).transpose(0, 2, 1)
    w = mode[:, None] + draws @ root.transpose(0, 2, 1)
    log_joint = log_ndtr((w * used[:, None]) @ rows.T).sum(axis=2) - 0.5 * np.square(w).sum(axis=2)
    log_ratio = log_joint + 0.5 * np.square(draws).sum(axis=1)
    log_det = np.linalg.slogdet(root)[1]
    return logsumexp(log_ratio, axis=1) - np.log(len(draws)) + log_det


def _modes(rows, used, n_steps=12):
    """Posterior modes of the weights of each subset by Newton steps, and the precisions there."""
    pairs = (rows[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)
    w = np.zeros_like(used)
    for _ in range(n_steps):
        z = (w * used) @ rows.T
        ratio = np.exp(-0.5 * z**2 - log_ndtr(z)) / np.sqrt(2 * np.pi)
        second = ((ratio * (z + ratio)) @ pairs).reshape(*used.shape, -1)
        precision = second * used[:, :, None] * used[:, None, :] + np.eye(used.shape[1])
        gradient = (ratio @ rows) * used - w
        w = w + np.linalg.solve(precision, gradient[..., None])[..., 0]
    return w, precision
