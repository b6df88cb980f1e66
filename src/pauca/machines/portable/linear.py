"""Portable form of linear machines."""

from typing import Any

import numpy as np
from scipy import sparse

from ...export.form import Draws, Latent, Portable
from ...export.inputs import Inputs
from ...export.links import Link
from ...numerics import robust_cholesky


def portable_linear(machine: Any, link: Link) -> Portable:
    """Portable form of a fitted `SpikeSlabMachine`."""
    n, standards = machine.n_features_in_, machine._standards
    drawn = getattr(machine, "_draws", [])
    kind = "probability" if len(drawn) == 1 else "moments"
    latents = tuple(
        Latent(
            np.arange(n),
            mean,
            _factor(machine, k, variance),
            draws=Draws(_dense(drawn[k], n + 1), kind) if drawn else None,
        )
        for k, (mean, variance) in enumerate(zip(machine._means, machine._variances, strict=True))
    )
    return Portable(
        type(machine).__name__,
        Inputs.plain(n, getattr(machine, "feature_names_in_", ())),
        np.asarray(standards.centre, dtype=float),
        1 / np.asarray(standards.scale, dtype=float),
        None,
        np.ones(n),
        np.empty((0, n)),
        np.arange(n),
        latents,
        link,
        getattr(machine, "classes_", None),
    )


def _factor(machine, which, variance):
    """Root of the variance of a latent function: diagonal, or lower triangular for correlated weights."""
    if machine.inference != "single-effects":
        return np.sqrt(variance)
    covariance = machine._weight_covariance(which)[::-1, ::-1]
    return robust_cholesky(covariance)[::-1, ::-1].T


def _dense(arrays, n_columns):
    """Draws of the weights, one a row, from the arrays of a sparse matrix."""
    return sparse.csr_matrix(arrays, shape=(len(arrays[2]) - 1, n_columns)).toarray()
