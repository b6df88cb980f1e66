"""Posterior of a process given rows that come later, with new vectors and new hyperparameters."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...basis.blocks import RowBlock, RowBlocks
from ...numerics import robust_cholesky, solve_lower, solve_with_factor
from ..processes import Process, ProcessPosterior, ProcessProblem, ProcessTrial
from .choice import BlockChoice
from .class_fit import learned_classes
from .classes import infer_classes
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
    source: RowBlocks,
    projections: Sequence[Projection],
    likelihood: Any,
    priors: Sequence[Weights],
    dtype: Any = np.float64,
) -> list[Weights]:
    """Posteriors given more rows, exact for Gaussian noise, else by the bound of the new rows.

    Those of many classes are found together, by the moments of their joint likelihood.

    Parameters
    ----------
    source : RowBlocks
        New rows, placed.
    projections : sequence of Projection
        Process and vectors of each latent function.
    likelihood : Likelihood
        Likelihood of the targets.
    priors : sequence of Weights
        Posterior of each latent function given the earlier rows.
    dtype : dtype
        Precision of the whitened features.
    """
    if len(projections) > 1:
        return infer_classes(source, projections, likelihood, priors=priors, tol=_TOL, dtype=dtype)
    return [infer(source, projections[0], likelihood, prior=priors[0], tol=_TOL, dtype=dtype)]


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
    places = choose_vectors(_Rest(projection), pool.X, pool.weights, n_new)
    if len(places) == 0:
        return list(projections), list(weights), places
    longer = _longer(projection, pool.X[places])
    others = [replace(longer, process=each.process) for each in projections]
    return others, [_with_prior(each, len(places)) for each in weights], places


def _longer(projection: Projection, new: NDArray) -> Projection:
    """Projection with new vectors after the old ones, whose whitening stays."""
    process, root, n_old = projection.process, projection.root, len(projection.root)
    cross = solve_lower(root, process.covariance(projection.vectors, new)).T
    rest = process.covariance(new, new) + JITTER * process.amplitude * np.eye(len(new)) - cross @ cross.T
    whole = np.zeros((n_old + len(new), n_old + len(new)))
    whole[:n_old, :n_old], whole[n_old:, :n_old], whole[n_old:, n_old:] = root, cross, robust_cholesky(rest)
    return Projection(process, np.vstack([projection.vectors, new]), whole, projection.n_plain)


def _with_prior(weights: Weights, n_new: int) -> Weights:
    """Weights followed by new ones, which are standard normal."""
    n_old = len(weights.mean)
    factor = np.eye(n_old + n_new)
    factor[:n_old, :n_old] = weights.factor
    return Weights(np.append(weights.mean, np.zeros(n_new)), factor)


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
    projections: Sequence[Projection],
    weights: Sequence[Weights],
    likelihood: Any,
    rows: RowBlock,
    problem: ProcessProblem,
) -> tuple[list[Projection], list[Weights], Any]:
    """Projection, weights and likelihood with hyperparameters that climb the evidence of a sample.

    Parameters
    ----------
    projections : sequence of Projection
        Process and vectors of the latent function, which is one.
    weights : sequence of Weights
        Its posterior so far.
    likelihood : Likelihood
        Likelihood with its parameters so far.
    rows : RowBlock
        Sample of the rows, in random order.
    problem : ProcessProblem
        Problem of the process with these rows as its data.
    """
    (before,), (known,) = projections, weights
    start = ProcessTrial(before.process, likelihood, -np.inf, -np.inf)
    trial = BlockChoice(problem, rows).improved(start)
    after = Projection.of(trial.process, before.vectors)
    ratio = getattr(trial.likelihood, "precision", 1.0) / getattr(likelihood, "precision", 1.0)
    return [after], [transported(known, before, after, ratio)], trial.likelihood


def relearned_classes(
    projections: Sequence[Projection],
    weights: Sequence[Weights],
    likelihood: Any,
    rows: RowBlock,
    problem: ProcessProblem,
) -> tuple[list[Projection], list[Weights], Any]:
    """Projections and weights of many classes with hyperparameters of a sample of all rows so far.

    The kernel stays; its parameters, scales and amplitude and the prior means of the classes are learned.

    Parameters
    ----------
    projections : sequence of Projection
        Process of each class and vectors, which they share.
    weights : sequence of Weights
        Posteriors so far.
    likelihood : Likelihood
        Likelihood of the labels.
    rows : RowBlock
        Sample of the rows, in random order.
    problem : ProcessProblem
        Problem of the processes with these rows as its data.
    """
    problem = replace(problem, kernels=[projections[0].process.kernel])
    fit = learned_classes(rows, problem, len(projections))
    shared = Projection.of(fit.process, projections[0].vectors)
    after = [replace(shared, process=each.process) for each in fit.posteriors]
    moved = [transported(*each) for each in zip(weights, projections, after, strict=True)]
    return after, moved, likelihood


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
