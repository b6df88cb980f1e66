"""More vectors for a process whose weights are known, chosen by what they add."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...basis.blocks import RowBlock
from ...numerics import robust_cholesky, solve_lower
from .expectations import expected_expansion
from .posterior import Weights
from .projection import JITTER, Projection
from .sums import SumsPass, chunks
from .vectors import choose_vectors, n_candidates


def grown(
    known: RowBlock, projection: Projection, weights: Weights, likelihood: Any, n_new: int, seed: int
) -> tuple[Projection, Weights, NDArray]:
    """Projection with the vectors that rows gain most by, weights to start from, and the places of the new.

    Candidates are drawn by what may be gained at them: half of them at random, half in proportion to the
    squared gradients of the log likelihood and the curvatures times the variances that the vectors leave.

    Parameters
    ----------
    known : RowBlock
        Rows that the weights are given, in random order.
    projection : Projection
        Process and vectors so far.
    weights : Weights
        Posterior so far.
    likelihood : Likelihood
        Likelihood of the targets.
    n_new : int
        Most new vectors.
    seed : int
        Seed of the candidates.
    """
    rest = Rest(projection)
    gradients, curvatures = _expanded(known, projection, weights, likelihood)
    promise = np.square(gradients) * rest.variance(known.X) + curvatures * rest.variance(known.X)
    size = min(n_candidates(n_new), len(known))
    shares = 0.5 / len(known) + 0.5 * promise / max(promise.sum(), np.finfo(float).tiny)
    uniform = (known.keys(seed).astype(float) + 1) / 2.0**64
    places = np.sort(np.argpartition(-np.log(uniform) / shares, size - 1)[:size])
    counts = np.maximum(1 / (size * shares[places]), 1.0)
    pool = known.part(places)
    chosen = choose_vectors(
        rest, pool.X, counts * curvatures[places], n_new, seed, counts * gradients[places]
    )
    longer = longer_projection(projection, pool.X[chosen])
    return longer, with_prior(weights, len(chosen)), places[chosen]


def _expanded(block, projection, weights, likelihood):
    """Weighted gradients and curvatures of the expected log likelihood of some rows."""
    function, parts = SumsPass.at(projection, likelihood, weights.mean, weights.factor), []
    for rows in chunks(block, projection.n_weights):
        mean, var = function.latent(rows)[3:]
        _, gradient, curvature = expected_expansion(likelihood, rows.y, mean, var)
        parts.append(np.stack([rows.weights * gradient, rows.weights * curvature]))
    return np.hstack(parts)


def extended(
    projections: Sequence[Projection], weights: Sequence[Weights], candidates: RowBlock, n_new: int
) -> tuple[list[Projection], list[Weights], NDArray]:
    """Projections with more vectors, weights whose new entries have their prior, and the places of the new.

    Parameters
    ----------
    projections : sequence of Projection
        Process of each latent function and vectors, which they share.
    weights : sequence of Weights
        Posteriors so far.
    candidates : RowBlock
        Rows that may become vectors, in random order.
    n_new : int
        Most new vectors.
    """
    projection, pool = projections[0], candidates.part(slice(0, n_candidates(n_new)))
    places = choose_vectors(Rest(projection), pool.X, pool.weights, n_new)
    if len(places) == 0:
        return list(projections), list(weights), places
    longer = longer_projection(projection, pool.X[places])
    others = [replace(longer, process=each.process) for each in projections]
    return others, [with_prior(each, len(places)) for each in weights], places


def longer_projection(projection: Projection, new: NDArray) -> Projection:
    """Projection with new vectors after the old ones, whose whitening stays."""
    process, root, n_old = projection.process, projection.root, len(projection.root)
    cross = solve_lower(root, process.covariance(projection.vectors, new)).T
    rest = process.covariance(new, new) + JITTER * process.amplitude * np.eye(len(new)) - cross @ cross.T
    whole = np.zeros((n_old + len(new), n_old + len(new)))
    whole[:n_old, :n_old], whole[n_old:, :n_old], whole[n_old:, n_old:] = root, cross, robust_cholesky(rest)
    return Projection(process, np.vstack([projection.vectors, new]), whole, projection.n_plain)


def with_prior(weights: Weights, n_new: int) -> Weights:
    """Weights followed by new ones, which are standard normal."""
    n_old = len(weights.mean)
    factor = np.eye(n_old + n_new)
    factor[:n_old, :n_old] = weights.factor
    return Weights(np.append(weights.mean, np.zeros(n_new)), factor, weight=weights.weight)


class Rest:
    """Process without what is known of it at some vectors."""

    def __init__(self, projection: Projection) -> None:
        self.projection = projection

    def _explained(self, X):
        known = self.projection
        return solve_lower(known.root, known.process.covariance(known.vectors, X))

    def covariance(self, X: NDArray, Z: NDArray) -> NDArray:
        """Covariances that are left."""
        return self.projection.process.covariance(X, Z) - self._explained(X).T @ self._explained(Z)

    def variance(self, X: NDArray) -> NDArray:
        """Variances that are left."""
        explained = np.square(self._explained(X)).sum(axis=0)
        return np.maximum(self.projection.process.variance(X) - explained, 0.0)
