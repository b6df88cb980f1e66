"""Fit of the processes of many classes to rows in blocks."""

from dataclasses import replace
from typing import Any

import numpy as np

from ...basis.blocks import HeldBlocks, RowBlock, RowBlocks
from ...likelihoods import MultinomialProbit
from ..processes import ProcessFit, ProcessPosterior, ProcessProblem, fit_classes
from .choice import settled
from .classes import ClassPass, infer_classes
from .fit import BlockLimits, Report, as_training_rows, pairs_of_shares, silent
from .posterior import Weights
from .projection import Projection
from .sums import chunks
from .vectors import choose_vectors, n_candidates

# Rows from which hyperparameters are learned, by the fit in memory, and rows on which numbers of vectors are
# compared; set by hand for time.
_LEARNED, _COMPARED = 2000, 8000
# Fewest vectors; set by hand.
_FEWEST_VECTORS = 64
# Rise of the log joint density in nats, for each weight of a part and for each row, at which weights settle,
# and most passes over a part and over all rows; set by hand for time.
_PART_TOL, _TOL_A_ROW, _PART_PASSES, _MAX_PASSES = 0.05, 2e-5, 12, 8
# Rows from which features are in single precision; set by hand.
_SINGLE_FROM = 20_000


def fit_class_blocks(
    source: RowBlocks,
    problem: ProcessProblem,
    rows: RowBlock,
    n_classes: int,
    limits: BlockLimits,
    say: Report = silent,
) -> ProcessFit:
    """Hyperparameters from a part of the rows, vectors drawn over all rows, posteriors of all rows.

    Parameters
    ----------
    source : RowBlocks
        Placed rows and codes of classes.
    problem : ProcessProblem
        Problem of the processes with ``rows`` as its data.
    rows : RowBlock
        Random sample of the rows.
    n_classes : int
        Number of classes.
    limits : BlockLimits
        Limits of the fit.
    say : callable
        Told what is being done.
    """
    say("kernel", 0.0, f"{len(rows)} of {source.n_rows} rows drawn")
    first = learned_classes(rows, problem, n_classes)
    search = _Classes(rows, [each.process for each in first.posteriors], problem.seed)
    say("vectors", 0.0, "hyperparameters of all classes learned")
    projections, places = search.of_the_right_size(limits.most(source.n_rows), limits, say)
    say("posterior", 0.0, f"{len(places)} vectors")
    weights = _given_all(source, projections, problem.seed, limits.kept, say)
    posteriors = [
        ProcessPosterior(known.process, known.vectors, known.root, each.mean, each.factor)
        for known, each in zip(projections, weights, strict=True)
    ]
    return ProcessFit(
        posteriors,
        MultinomialProbit(),
        places,
        first.trial,
        first.trials,
        weights[0].bound,
        weights[0].converged,
    )


def learned_classes(rows: RowBlock, problem: ProcessProblem, n_classes: int) -> ProcessFit:
    """Fit in memory to the first rows of a sample, for its hyperparameters.

    Parameters
    ----------
    rows : RowBlock
        Random sample of the rows.
    problem : ProcessProblem
        Problem of the processes.
    n_classes : int
        Number of classes.
    """
    data = as_training_rows(_with_all_classes(rows, n_classes))
    return fit_classes(replace(problem, data=data), n_classes)


def _with_all_classes(rows: RowBlock, n_classes: int) -> RowBlock:
    """First rows, and after them the first few of every class that is rare among them."""
    places = [np.flatnonzero(rows.y == k)[:5] for k in range(n_classes)]
    return rows.part(np.union1d(np.arange(min(_LEARNED, len(rows))), np.concatenate(places)))


class _Classes:
    """Sample of the rows and the process of each class."""

    likelihood = MultinomialProbit()

    def __init__(self, rows: RowBlock, processes: list[Any], seed: int) -> None:
        self.rows, self.processes, self.seed = rows, processes, seed

    def projections(self, n_vectors: int) -> tuple[list[Projection], Any]:
        """Projection of each class on shared vectors, and their places in the sample."""
        pool = self.rows.part(slice(0, n_candidates(n_vectors)))
        places = choose_vectors(self.processes[0], pool.X, pool.weights, n_vectors, self.seed)
        shared = Projection.of(self.processes[0], pool.X[places])
        return [replace(shared, process=process) for process in self.processes], places

    def of_the_right_size(self, most: int, limits: BlockLimits, say: Report) -> tuple[list[Projection], Any]:
        """Projections on as many vectors as rows that were not used yet pay for, and their places."""
        if limits.least_rise <= 0:
            return self.projections(most)
        half = min(len(self.rows) // 2, _COMPARED)
        known, new = self.rows.part(slice(0, half)), self.rows.part(slice(half, 2 * half))
        size, before, kept = min(_FEWEST_VECTORS, most), -np.inf, None
        while True:
            projections, places = self.projections(size)
            options: dict[str, Any] = {
                "tol": _PART_TOL * projections[0].n_weights,
                "max_passes": _PART_PASSES,
                "dtype": np.float32,
                "kept": limits.kept,
            }
            weights = infer_classes(HeldBlocks(known), projections, self.likelihood, **options)
            score = self._score(new, projections, weights)
            say("vectors", 0.5, f"{len(places)} vectors: {score:.4f} nats a row that was not used")
            if kept is not None and not score - before > settled(self.likelihood, score, limits.least_rise):
                return kept
            kept, before = (projections, places), score
            if len(places) < size or size >= min(most, half // 4):
                return kept
            size = min(2 * size, most)

    def _score(self, block: RowBlock, projections: list[Projection], weights: list[Weights]) -> float:
        function, total = ClassPass.at(projections, self.likelihood, weights), 0.0
        for rows in chunks(block, projections[0].n_weights):
            means, variances = function.latent(rows)[3:]
            total += rows.weights @ self.likelihood.log_predictive(rows.y, means, variances)
        return total / block.weights.sum()


def _given_all(
    source: RowBlocks, projections: list[Projection], seed: int, kept: float, say: Report
) -> list[Weights]:
    """Posteriors given all rows, by steps on larger and larger parts."""
    n_rows, n_weights = source.n_rows, projections[0].n_weights
    dtype = np.float32 if n_rows >= _SINGLE_FROM else np.float64
    options: dict[str, Any] = {"dtype": dtype, "kept": kept}
    start = None
    for share, following in pairs_of_shares(n_rows, n_weights):
        part = source.part(share, seed)
        limits: dict[str, Any] = {"tol": _PART_TOL * n_weights, "max_passes": _PART_PASSES}
        found = infer_classes(part, projections, MultinomialProbit(), start=start, **limits, **options)
        start = [each.for_rows(following / share, None) for each in found]
        say(
            "posterior",
            share,
            f"log joint density {found[0].bound:.2f} of a share of {share:.3g} of the rows",
        )

    def passed(n_passes: int, value: float) -> None:
        say("posterior", min(0.15 * n_passes, 0.95), f"pass {n_passes} over all rows: {value:.2f} nats")

    options |= {"tol": max(0.5, _TOL_A_ROW * n_rows), "max_passes": _MAX_PASSES, "report": passed}
    return infer_classes(source, projections, MultinomialProbit(), start=start, **options)
