"""Portable form of linear machines."""

from typing import Any

import numpy as np
from scipy import sparse

from ...export.errors import CannotExport
from ...export.form import Draws, Latent, Portable
from ...export.inputs import Inputs
from ...export.links import Link
from ...numerics import robust_cholesky

# Most features whose correlations have a portable form, of 72 MB; set by hand.
_MOST_CORRELATED = 3000


def portable_linear(machine: Any, link: Link) -> Portable:
    """Portable form of a fitted `SpikeSlabMachine`."""
    n, standards = machine.n_features_in_, machine._standards
    drawn = getattr(machine, "_draws", [])
    kind = "probability" if len(drawn) == 1 else "moments"
    latents = tuple(
        Latent(
            np.arange(n),
            latent.mean,
            _factor(machine, latent),
            draws=Draws(_dense(drawn[k], n + 1), kind) if drawn else None,
        )
        for k, latent in enumerate(machine._latents)
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


def _factor(machine, latent):
    """Root of the variance of a latent function: diagonal, or lower triangular for correlated weights."""
    if latent.is_independent:
        return np.sqrt(np.append(latent.parts[0].bias_var, latent.parts[0].spread))
    n_features = machine.n_features_in_
    if n_features > _MOST_CORRELATED:
        raise CannotExport(
            f"Correlated weights of {n_features} features cannot be exported: use at most "
            f"{_MOST_CORRELATED}, or inference='ep-independent' and no_signal=0."
        )
    return robust_cholesky(latent.covariance()[::-1, ::-1])[::-1, ::-1].T


def _dense(arrays, n_columns):
    """Draws of the weights, one a row, from the arrays of a sparse matrix."""
    return sparse.csr_matrix(arrays, shape=(len(arrays[2]) - 1, n_columns)).toarray()
