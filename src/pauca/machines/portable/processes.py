"""Portable form of machines that carry posteriors of Gaussian processes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...export.form import Inputs, Latent, Portable, PriorVariance
from ...export.links import Link
from ...numerics import robust_cholesky, solve_lower


def portable_processes(
    machine: Any, posteriors: Sequence, standards: tuple, units: tuple, link: Link
) -> Portable:
    """Portable form of posteriors of processes that share their kernel and vectors.

    ``standards`` are centre and spread of the features, ``units`` those of the latent values.
    """
    first = posteriors[0]
    process, n = first.process, len(standards[0])
    scales = process.place(np.ones((1, n)))[0]
    has_trend = bool(process.trend)
    return Portable(
        type(machine).__name__,
        Inputs.plain(n, getattr(machine, "feature_names_in_", ())),
        standards[0],
        1 / standards[1],
        process.kernel,
        scales,
        first.vectors * scales,
        np.arange(n) if has_trend else np.empty(0, dtype=int),
        tuple(latent_of(each, *units) for each in posteriors),
        link,
        getattr(machine, "classes_", None),
    )


def latent_of(posterior: Any, centre: float = 0.0, spread: float = 1.0) -> Latent:
    """Latent function centre + spread · f of a posterior of a process.

    Whitened weights of unit prior variance have the posterior covariance (L Lᵀ)⁻¹, which data only shrink:
    I − (L Lᵀ)⁻¹ = Hᵀ H. The variance of f is that of the prior less |H φ|², with φ = T (1, t, k).
    """
    whitening = _whitening(posterior)
    inverse = solve_lower(posterior.factor, np.eye(len(posterior.mean)))
    shrunk = np.eye(len(inverse)) - inverse.T @ inverse
    # H is lower triangular: the Cholesky factor of the matrix with rows and columns in reverse order.
    root = robust_cholesky(shrunk[::-1, ::-1])[::-1, ::-1].T
    weights = spread * (posterior.mean @ whitening)
    weights[0] += centre
    process = posterior.process
    square = spread**2
    prior = PriorVariance(square * whitening[0, 0] ** 2, square * process.trend, square * process.amplitude)
    return Latent(
        np.arange(len(weights) - 1), weights, spread * np.tril(root @ whitening), prior, least_share=0.0
    )


def _whitening(posterior):
    """T with T (1, t, k) the design: square roots of prior variances, then the inverse root of K(Z, Z)."""
    process, m = posterior.process, len(posterior.vectors)
    head = process.features(np.ones((1, posterior.vectors.shape[1])))[0]
    whitening = np.zeros((len(head) + m, len(head) + m))
    whitening[: len(head), : len(head)] = np.diag(head)
    if m:
        whitening[len(head) :, len(head) :] = process.amplitude * solve_lower(posterior.root, np.eye(m))
    return whitening
