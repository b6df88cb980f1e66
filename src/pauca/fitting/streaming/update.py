"""Posterior of a process given rows that come later, with new vectors and new hyperparameters."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...basis.blocks import RowBlock, RowBlocks
from ...numerics import robust_cholesky, solve_lower, solve_with_factor
from ..processes import Process, ProcessPosterior, ProcessProblem, ProcessTrial
from .choice import BlockChoice
from .posterior import Weights, infer
from .projection import JITTER, Projection
from .vectors import choose_vectors, n_candidates

# Predicted rise of the bound in nats at which the posterior of new rows is settled; set by hand.
_TOL = 0.01


def weights_of(posterior: ProcessPosterior) -> tuple[Projection, Weights]:
    """Projection and weights of a posterior."""
    n_plain = len(posterior.mean) - len(posterior.vectors)
    projection = Projection(posterior.process, posterior.vectors, posterior.root, n_plain)
    return projection, Weights(posterior.mean, posterior.factor)


def posterior_of(projection: Projection, weights: Weights) -> ProcessPosterior:
    """Posterior of a projection and weights."""
    known = projection.process, projection.vectors, projection.root
    return ProcessPosterior(*known, weights.mean, weights.factor)


def given_rows(
    source: RowBlocks, projection: Projection, likelihood: Any, prior: Weights, dtype: Any = np.float64
) -> Weights:
    """Posterior given more rows, exact for Gaussian noise, else by the bound of the new rows.

    Parameters
    ----------
    source : RowBlocks
        New rows, placed.
    projection : Projection
        Process and vectors.
    likelihood : Likelihood
        Likelihood of the targets.
    prior : Weights
        Posterior given the earlier rows.
    dtype : dtype
        Precision of the whitened features.
    """
    return infer(source, projection, likelihood, prior=prior, tol=_TOL, dtype=dtype)


def extended(
    projection: Projection, weights: Weights, candidates: RowBlock, n_new: int
) -> tuple[Projection, Weights, NDArray]:
    """Projection with more vectors, weights whose new entries have their prior, and the places of the new.

    Parameters
    ----------
    projection : Projection
        Process and vectors.
    weights : Weights
        Posterior so far.
    candidates : RowBlock
        Rows that may become vectors, in random order.
    n_new : int
        Most new vectors.
    """
    process, pool = projection.process, candidates.part(slice(0, n_candidates(n_new)))
    places = choose_vectors(_Rest(projection), pool.X, pool.weights, n_new)
    if len(places) == 0:
        return projection, weights, places
    new, root, n_old = pool.X[places], projection.root, len(projection.root)
    cross = solve_lower(root, process.covariance(projection.vectors, new)).T
    rest = process.covariance(new, new) + JITTER * process.amplitude * np.eye(len(new)) - cross @ cross.T
    whole = np.zeros((n_old + len(new), n_old + len(new)))
    whole[:n_old, :n_old], whole[n_old:, :n_old], whole[n_old:, n_old:] = root, cross, robust_cholesky(rest)
    factor = np.eye(len(weights.mean) + len(new))
    factor[: len(weights.mean), : len(weights.mean)] = weights.factor
    vectors = np.vstack([projection.vectors, new])
    longer = Weights(np.append(weights.mean, np.zeros(len(new))), factor)
    return Projection(process, vectors, whole, projection.n_plain), longer, places


class _Rest:
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


def relearned(
    projection: Projection, weights: Weights, likelihood: Any, rows: RowBlock, problem: ProcessProblem
) -> tuple[Projection, Weights, ProcessTrial]:
    """Projection and weights with hyperparameters that climb the evidence of a sample of all rows so far.

    Parameters
    ----------
    projection : Projection
        Process and vectors.
    weights : Weights
        Posterior so far.
    likelihood : Likelihood
        Likelihood with its parameters so far.
    rows : RowBlock
        Sample of the rows, in random order.
    problem : ProcessProblem
        Problem of the process with these rows as its data.
    """
    start = ProcessTrial(projection.process, likelihood, -np.inf, -np.inf)
    trial = BlockChoice(problem, rows).improved(start)
    after = Projection.of(trial.process, projection.vectors)
    ratio = getattr(trial.likelihood, "precision", 1.0) / getattr(likelihood, "precision", 1.0)
    return after, transported(weights, projection, after, ratio), trial


def transported(weights: Weights, before: Projection, after: Projection, ratio: float = 1.0) -> Weights:
    """Weights under other hyperparameters: what rows said of f at the vectors stays, its prior changes.

    The rows enter as a Gaussian factor in constant, trend and the values of the process at the vectors (Bui,
    Nguyen & Turner 2017).

    Parameters
    ----------
    weights : Weights
        Posterior under the hyperparameters before.
    before, after : Projection
        Projections on the same vectors.
    ratio : float
        Factor of the precision of the noise.
    """
    n_plain = before.n_plain
    link = np.zeros((before.n_weights, before.n_weights))
    old, new = _plain_scales(before.process, n_plain), _plain_scales(after.process, n_plain)
    link[:n_plain, :n_plain] = np.diag(new / old)
    link[n_plain:, n_plain:] = solve_lower(before.root, after.root)
    shift = np.zeros(before.n_weights)
    shift[0] = (after.process.constant[0] - before.process.constant[0]) / old[0]
    identity = np.eye(before.n_weights)
    said = weights.precision - identity
    linear = weights.precision @ weights.mean - said @ shift
    factor = robust_cholesky(identity + ratio * link.T @ said @ link)
    return Weights(solve_with_factor(factor, ratio * link.T @ linear), factor)


def _plain_scales(process: Process, n_plain: int) -> NDArray:
    """Prior standard deviations of constant and trend."""
    return np.sqrt(np.append(process.constant[1], np.full(n_plain - 1, process.trend)))
