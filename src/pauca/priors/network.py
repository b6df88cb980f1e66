"""Dependence between inclusion indicators: a Markov random field over a network or groups of features."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit, logit

from ..validation import check_number

__all__ = ["coupled_inclusion", "neighbours"]

# Largest distance of a coupled prior probability from zero and one; numerical guard.
_EDGE = 1e-6


def neighbours(network: Any, n_features: int) -> sparse.csr_matrix:
    """Weights of the neighbours of each feature, which add up to one or to none.

    Parameters
    ----------
    network : sparse matrix, ndarray of shape (n_features, n_features), or list of arrays of int
        Weights of the edges, at least zero; or groups, whose members are neighbours of one another.
    n_features : int
        Number of features.

    Returns
    -------
    weights : csr_matrix of shape (n_features, n_features)
    """
    check_number("n_features", n_features, 1, kind=Integral)
    if sparse.issparse(network) or (isinstance(network, np.ndarray) and network.ndim == 2):
        edges = sparse.csr_matrix(network, dtype=float)
        if edges.shape != (n_features, n_features):
            raise ValueError(f"network must have {n_features} rows and columns; got shape {edges.shape}.")
        if edges.nnz and not (np.isfinite(edges.data).all() and edges.data.min() >= 0):
            raise ValueError("network must have finite weights of at least zero.")
    else:
        edges = _of_groups(network, n_features)
    edges = edges - sparse.diags(edges.diagonal())
    total = np.asarray(edges.sum(axis=1)).ravel()
    return sparse.csr_matrix(sparse.diags(1 / np.where(total > 0, total, 1.0)) @ edges)


def _of_groups(groups: Sequence[Any], n_features: int) -> sparse.csr_matrix:
    """Edges between the members of each group."""
    if not isinstance(groups, list | tuple):
        raise ValueError(f"network must be a matrix or a list of groups; got {type(groups).__name__}.")
    members = sparse.lil_matrix((n_features, max(len(groups), 1)))
    for number, group in enumerate(groups):
        features = np.asarray(group)
        inside = features.dtype.kind in "iu" and features.ndim == 1 and len(features) > 0
        if not (inside and features.min() >= 0 and features.max() < n_features):
            raise ValueError(f"network must hold groups of indices below {n_features}; got {group!r}.")
        members[features, number] = 1.0
    members = sparse.csr_matrix(members)
    return sparse.csr_matrix(members @ members.T)


def coupled_inclusion(
    base: NDArray, weights: sparse.csr_matrix, coupling: float, posterior: NDArray
) -> NDArray:
    """Prior inclusion probabilities in the mean field of the other features.

    The prior is p(γ) ∝ exp(Σ_j γ_j logit ρ_j + ½ coupling Σ_jk W_jk (γ_j − ρ_j)(γ_k − ρ_k)); γ_k is replaced
    by its posterior probability (Li & Zhang, JASA 105 (2010)).

    Parameters
    ----------
    base : ndarray of shape (n_features,)
        Inclusion probabilities ρ_j without dependence.
    weights : csr_matrix of shape (n_features, n_features)
        Weights W of the neighbours.
    coupling : float
        Log odds that a feature gains where all of its neighbours are included.
    posterior : ndarray of shape (n_features,)
        Posterior inclusion probabilities.

    Returns
    -------
    inclusion : ndarray of shape (n_features,)
    """
    field = coupling * (weights @ (posterior - base))
    return np.clip(expit(logit(np.clip(base, _EDGE, 1 - _EDGE)) + field), _EDGE, 1 - _EDGE)
