"""Portable form of machines whose latent functions are stored as expansions in kernel columns."""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from ...export.form import Draws, Latent, Portable, PriorVariance
from ...export.inputs import Inputs
from ...export.links import Blend, Link
from ...numerics import solve_lower
from ..expansion import LEAST_SHARE, DrawnExpansion, DualExpansion, Expansion


def portable_expansions(machine: Any, link: Link) -> Portable:
    """Portable form of a fitted `KernelMachine`."""
    n = machine.n_features_in_
    given = machine._columns_are_given
    origin = np.zeros(n) if machine._origin is None or given else machine._origin
    scales = np.ones(n) if machine._scales is None or given else machine._scales
    vectors = np.empty((0, n))
    if not given:
        vectors = machine._placed(machine.relevance_vectors_, machine._scales)
        vectors = vectors.toarray() if sparse.issparse(vectors) else np.asarray(vectors)
    return Portable(
        type(machine).__name__,
        Inputs.plain(n, getattr(machine, "feature_names_in_", ())),
        origin,
        np.ones(n),
        None if given else machine._kernel,
        scales,
        vectors.reshape(-1, n),
        np.asarray(machine.relevance_) if given else np.empty(0, dtype=int),
        tuple(latent_of(each, _prior(machine)) for each in machine.expansions_),
        link,
        getattr(machine, "classes_", None),
    )


def _prior(machine):
    """Prior variance of a latent function of a machine with dual expansions."""
    amplitude = getattr(machine, "_amplitude", 1.0)
    if machine._kernel.is_precomputed:
        return PriorVariance(constant=amplitude * getattr(machine, "_prior_variance", 0.0))
    return PriorVariance(amplitude=amplitude)


def latent_of(expansion: Any, prior: PriorVariance) -> Latent:
    """Latent function of a stored expansion; ``prior`` is its prior variance if it is a dual one."""
    if isinstance(expansion, DualExpansion):
        return _dual(expansion, prior)
    return _primal(expansion)


def _dual(expansion: DualExpansion, prior: PriorVariance) -> Latent:
    """c·coef and k(x, x) − c' K c, with the symmetric K as a triangle whose entries below count twice."""
    m = len(expansion.columns)
    factor = np.zeros((m + 1, m + 1))
    factor[1:, 1:] = np.tril(expansion.kernel) + np.tril(expansion.kernel, -1)
    weights = np.append(expansion.intercept, expansion.dual_coef)
    return Latent(expansion.columns, weights, factor, prior, bilinear=True, least_share=LEAST_SHARE)


def _primal(expansion: Expansion) -> Latent:
    """Weights of standardised columns as weights of plain ones, and L⁻¹ with the standards folded in."""
    weights = np.append(expansion.intercept, expansion.dual_coef)
    if isinstance(expansion, DrawnExpansion):
        plain = expansion.draws[:, 1:] / expansion.scale
        constant = expansion.draws[:, 0] - plain @ expansion.shift
        return Latent(expansion.columns, weights, draws=Draws(np.column_stack([constant, plain]), "quantile"))
    standards = np.diag(np.append(1.0, 1 / expansion.scale))
    standards[1:, 0] = -expansion.shift / expansion.scale
    return Latent(expansion.columns, weights, np.tril(solve_lower(expansion.factor, standards)))


def with_linear_model(form: Portable, mixture: Any) -> Portable:
    """Portable form of the mixture of a machine with a `LinearModel` of its placed features.

    The linear model is a second latent function of direct inputs, which come before the kernel values.
    """
    n, linear = form.n_features, mixture.linear
    latents = tuple(replace(latent, columns=latent.columns + n) for latent in form.latents)
    blend = Blend(float(mixture.trusted), max(float(linear.noise - mixture.noise), 0.0))
    return replace(
        form,
        direct=np.arange(n),
        latents=(*latents, _linear(linear)),
        link=replace(form.link, blend=blend),
    )


def _linear(model: Any) -> Latent:
    """intercept + coef · (t − centre); its variance |Hᵀ (t − centre)|² + noise / count as |F (1, t)|²."""
    n, back = len(model.coef), model.half.T
    root = np.zeros((len(back) + 1, n + 1))
    root[0, 0] = np.sqrt(model.noise / model.count)
    root[1:, 0], root[1:, 1:] = -back @ model.centre, back
    # F is lower triangular with the Gram matrix of the root: R of a QR decomposition in reverse order.
    factor = np.flip(np.asarray(np.linalg.qr(root[:, ::-1], mode="r")))
    weights = np.append(model.intercept - model.coef @ model.centre, model.coef)
    return Latent(np.arange(n), weights, np.tril(factor))
