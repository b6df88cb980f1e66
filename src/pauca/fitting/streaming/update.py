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
from .projection import Projection

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
