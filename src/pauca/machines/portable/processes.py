"""Portable form of machines that carry posteriors of Gaussian processes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from ...export import Inputs, Latent, Link, Portable, PriorVariance
from ...numerics import robust_cholesky, solve_lower
from .columns import inputs_of


def portable_processes(
    machine: Any, posteriors: Sequence, standards: tuple, units: tuple, link: Link
) -> Portable:
    """Portable form of posteriors of processes that share their kernel, scales, reach and vectors.

    ``standards`` are centre and spread of the features, ``units`` those of the latent values.
    """
    first = posteriors[0]
    process, n = first.process, first.vectors.shape[1]
    if getattr(machine, "_columns", None) is not None:
        inputs, centre, factor = inputs_of(machine._columns)
    else:
        inputs = Inputs.plain(n, getattr(machine, "feature_names_in_", ()))
        centre, factor = standards[0], 1 / standards[1]
    scales = process.place(np.ones((1, n)))[0]
    vectors = first.vectors.toarray() if sparse.issparse(first.vectors) else first.vectors
    return Portable(
        type(machine).__name__,
        inputs,
        centre,
        factor,
        process.kernel,
        scales,
        vectors * scales,
        np.arange(n) if process.trend else np.empty(0, dtype=int),
        tuple(latent_of(each, *units) for each in posteriors),
        link,
        getattr(machine, "classes_", None),
        process.reach,
    )


def latent_of(posterior: Any, centre: float = 0.0, spread: float = 1.0) -> Latent:
    """Latent function centre + spread · f of a posterior of a process.

    Whitened weights of unit prior variance have the posterior covariance (L Lᵀ)⁻¹, which data only shrink:
    I − (L Lᵀ)⁻¹ = Hᵀ H. The variance of f is that of the prior less |H φ|², with φ = T (e, e t, k) and e the
    envelope of constant and trend.
    """
    process = posterior.process
    prior_mean, constant = process.constant
    whitening = _whitening(posterior, constant)
    inverse = solve_lower(posterior.factor, np.eye(len(posterior.mean)))
    shrunk = np.eye(len(inverse)) - inverse.T @ inverse
    # H is lower triangular: the Cholesky factor of the matrix with rows and columns in reverse order.
    root = robust_cholesky(shrunk[::-1, ::-1])[::-1, ::-1].T
    weights = spread * (posterior.mean @ whitening)
    factor = spread * np.tril(root @ whitening)
    offset = centre + spread * prior_mean
    if np.isfinite(process.reach):
        weights, factor = np.append(offset, weights), np.pad(factor, ((1, 0), (1, 0)))
    else:
        weights[0] += offset
    variance = spread**2 * np.array([constant, process.trend, process.amplitude])
    prior = PriorVariance(*variance.tolist())
    return Latent(np.arange(len(weights) - 1), weights, factor, prior)


def _whitening(posterior, constant):
    """T with T (e, e t, k) the design: square roots of prior variances, then the inverse root of K(Z, Z)."""
    process, (m, n) = posterior.process, posterior.vectors.shape
    trend = np.full(n if process.trend else 0, np.sqrt(process.trend))
    head = np.append(np.sqrt(constant), trend)
    whitening = np.zeros((len(head) + m, len(head) + m))
    whitening[: len(head), : len(head)] = np.diag(head)
    if m:
        whitening[len(head) :, len(head) :] = process.amplitude * solve_lower(posterior.root, np.eye(m))
    return whitening
