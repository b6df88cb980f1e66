"""Vectors of a process, chosen among rows drawn at random by the prior variance that they explain."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dger

# Share of the largest prior variance below which a candidate adds nothing; numerical guard.
_LEAST_LEFT = 1e-5
# Candidates for each vector, and most of them unless that is less than two for each: their covariances are
# kept. Set by hand.
_CANDIDATES, _MOST_CANDIDATES = 6, 3000
# Vectors from which pivots are drawn at random, since a greedy step costs the square of the candidates.
_RANDOM_FROM = 600


def n_candidates(n_vectors: int) -> int:
    """Number of candidates among which so many vectors are chosen."""
    return max(min(_CANDIDATES * n_vectors, _MOST_CANDIDATES), 2 * n_vectors)


def choose_vectors(
    process: Any,
    candidates: NDArray,
    weights: NDArray,
    n_vectors: int,
    seed: int = 0,
    gradients: NDArray | None = None,
) -> NDArray:
    """Places of candidates, in order, that explain most prior variance of all candidates or raise the bound.

    Up to 600 vectors by greedy steps, else by the randomly pivoted Cholesky factorisation of Chen, Epperly,
    Tropp & Webber (2023), each of whose pivots is drawn in proportion to the variance that is left.

    Parameters
    ----------
    process : Process
        Hyperparameters.
    candidates : ndarray of shape (n_candidates, n_features)
        Rows drawn at random.
    weights : ndarray of shape (n_candidates,)
        How many times each candidate counts.
    n_vectors : int
        Most vectors.
    seed : int
        Seed of the random pivots.
    gradients : ndarray of shape (n_candidates,), optional
        Derivatives of the log likelihood in the latent values, whose curvatures are ``weights`` then: vectors
        are chosen by the rise of the bound that a Newton step for each promises.

    Returns
    -------
    places : ndarray of int
        Chosen candidates; fewer than ``n_vectors`` where no variance is left.
    """
    if n_vectors > _RANDOM_FROM and gradients is None:
        return _random_pivots(process, candidates, weights, n_vectors, np.random.default_rng(seed))
    return _greedy_pivots(process, candidates, weights, n_vectors, gradients)


def _random_pivots(process, candidates, weights, n_vectors, rng):
    """Randomly pivoted Cholesky factorisation of the covariance of the candidates."""
    left = process.variance(candidates).astype(float)
    least = _LEAST_LEFT * left.max()
    size = min(n_vectors, len(candidates))
    columns, chosen = np.empty((len(candidates), size)), np.empty(size, dtype=int)
    for k in range(size):
        usable = np.where(left > least, left * weights, 0.0)
        if usable.sum() <= 0:
            return chosen[:k]
        pivot = rng.choice(len(usable), p=usable / usable.sum())
        column = process.covariance(candidates, candidates[pivot : pivot + 1])[:, 0]
        column -= columns[:, :k] @ columns[pivot, :k]
        columns[:, k] = column / np.sqrt(left[pivot])
        left -= np.square(columns[:, k])
        left[pivot], chosen[k] = 0.0, pivot
    return chosen


def _greedy_pivots(process, candidates, precision, n_vectors, gradients=None):
    """Steps that each take the largest rise of the trace of the Nystroem approximation.

    It is Σ_i b_i r_ij² / r_jj, where r is the prior covariance that is left and b the weights: half of it is,
    for noise of precision b, what the prior expects the variational bound to rise by (Titsias 2009, eq. 9).
    """
    left = np.array(process.covariance(candidates, candidates), dtype=float, order="C")
    least = _LEAST_LEFT * np.diag(left).max()
    # Rises are kept up to date: with c the column that is taken out, Σ_i b_i (r_ij − c_i c_j)².
    rises = precision @ np.square(left)
    pulls = None if gradients is None else gradients @ left
    chosen: list[int] = []
    for _ in range(min(n_vectors, len(candidates))):
        variance = np.diag(left)
        usable = variance > least
        safe = np.where(usable, variance, 1.0)
        score = np.where(usable, _rise(rises / safe, pulls, safe), -1.0)
        best = int(np.argmax(score))
        if score[best] <= 0:
            break
        column = left[:, best] / np.sqrt(variance[best])
        weighted = precision * column
        moved, total = weighted @ left, weighted @ column
        rises += np.square(column) * total - 2 * column * moved
        if pulls is not None:
            pull = pulls[best] / np.sqrt(variance[best])
            weight = pull / (1 + total)
            pulls += column * (weight * total - pull) - weight * moved
            pulls[best] = 0.0
        np.maximum(rises, 0.0, out=rises)
        # Written in place; the transpose, in Fortran's order, is the same matrix.
        dger(-1.0, column, column, a=left.T, overwrite_a=True)
        left[best] = left[:, best] = 0.0
        chosen.append(best)
    return np.array(chosen, dtype=int)


def _rise(squares, pulls, variance):
    """What the explained variance, or the bound, rises by with each candidate."""
    if pulls is None:
        return squares
    return 0.5 * (np.square(pulls) / variance / (1 + squares) + squares - np.log1p(squares))
