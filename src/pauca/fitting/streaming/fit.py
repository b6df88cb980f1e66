"""Fit of a process to rows in blocks: hyperparameters, vectors, then the posterior given all rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ...basis.blocks import HeldBlocks, RowBlock, RowBlocks
from ..data import TrainingRows
from ..processes import ProcessFit, ProcessPosterior, ProcessProblem, ProcessTrial
from .choice import LARGEST_PART, BlockChoice, settled
from .posterior import Weights, infer
from .projection import Projection
from .sums import Design, SumsPass, chunks
from .vectors import choose_vectors, n_candidates

# Numbers of vectors that are tried double from here; set by hand.
_FEWEST_VECTORS = 32
#: Rise of the log predictive density of rows not used, in nats a row, that twice the vectors must bring; set
#: by hand: each doubling makes a pass over the rows two to four times as long.
LEAST_RISE = 1e-3
# Shares of the rows, the smallest first, of the parts that lead to the posterior of all; each pass over a
# part brings the start nearer. Smallest number of rows for each weight of such a part. Set by hand for time.
_SHARES, _ROWS_A_WEIGHT = (1 / 256, 1 / 64, 1 / 16, 1 / 4), 8
# Rise of the bound in nats, for each weight of a part, in all and for each row, at which weights are settled,
# and most passes over all rows; set by hand.
_PART_TOL, _TOL, _TOL_A_ROW, _MAX_PASSES = 0.02, 0.5, 1e-5, 12
# Most rows that are drawn at first, most entries of them, and fewest rows; set by hand.
_DRAWN, _DRAWN_ENTRIES, _FEWEST_DRAWN = 32_000, 20_000_000, 2000
# Rows from which features are in single precision; set by hand.
_SINGLE_FROM = 20_000
# Share of the memory for columns of rows that are kept between passes; set by hand.
_KEPT_SHARE = 0.25
# Matrices of the vectors, or of them and the candidates, that are in memory at a time; counted.
_N_MATRICES = 12

#: Told the phase ("kernel", "vectors" or "posterior"), the share of it that is done, and a message.
Report = Callable[[str, float, str], None]


@dataclass(frozen=True)
class BlockLimits:
    """Limits of a fit to rows in blocks.

    Parameters
    ----------
    max_vectors : int or None
        Most vectors; None: as many as the rows pay for.
    least_rise : float
        Rise of the log predictive density, in nats a row, that twice the vectors must bring; zero: there are
        ``max_vectors`` in any case.
    memory : float
        Bytes that matrices of the vectors, and columns of rows that are kept, may take.
    """

    max_vectors: int | None = None
    least_rise: float = LEAST_RISE
    memory: float = 2.0**30

    def most(self, n_rows: int) -> int:
        """Most vectors for so many rows."""
        by_memory = int(np.sqrt((self.memory - self.kept) / (8 * _N_MATRICES)))
        return max(1, min(self.max_vectors or n_rows, by_memory, n_rows))

    @property
    def kept(self) -> float:
        """Bytes of columns of rows that may be kept between passes."""
        return _KEPT_SHARE * self.memory


def silent(phase: str, share: float, message: str) -> None:
    """Report to nobody."""


def sample_of(source: RowBlocks, limits: BlockLimits, seed: int) -> RowBlock:
    """Rows, in random order, that hyperparameters are learned from and that may become vectors."""
    most = n_candidates(limits.most(source.n_rows)) if limits.least_rise <= 0 else 0
    drawn = min(_DRAWN, max(_DRAWN_ENTRIES // max(source.n_features, 1), _FEWEST_DRAWN))
    block = source.drawn(max(drawn, most), seed)
    return block.part(np.argsort(block.keys(seed), kind="stable"))


def as_training_rows(block: RowBlock) -> TrainingRows:
    """Rows of a block for the problem of a process; none are merged."""
    each = np.arange(len(block))
    return TrainingRows(block.X, block.y, block.weights, block.index, each, each)


def fit_blocks(
    source: RowBlocks, problem: ProcessProblem, rows: RowBlock, limits: BlockLimits, say: Report = silent
) -> ProcessFit:
    """Hyperparameters from a part of the rows, vectors drawn over all rows, posterior of all rows.

    Parameters
    ----------
    source : RowBlocks
        Placed rows and targets.
    problem : ProcessProblem
        Problem of the process with ``rows`` as its data.
    rows : RowBlock
        Random sample of the rows.
    limits : BlockLimits
        Limits of the fit.
    say : callable
        Told what is being done.

    Returns
    -------
    fit : ProcessFit
        Its ``rows`` are places in the sample, its evidence is the bound on that of all rows.
    """
    say("kernel", 0.0, f"{len(rows)} of {source.n_rows} rows drawn")
    known = rows.part(slice(0, max((len(rows) + 1) // 2, min(len(rows), LARGEST_PART))))

    def told(trial: ProcessTrial) -> None:
        problem.report(trial)
        say("kernel", 0.5, _said(trial))

    choice = BlockChoice(replace(problem, report=told), known)
    best = choice.chosen()
    say("vectors", 0.0, _said(best))
    projection, places = _of_the_right_size(rows, best, limits.most(source.n_rows), limits, problem.seed, say)
    say("posterior", 0.0, f"{len(places)} vectors")
    weights = posterior_of_all(source, projection, best.likelihood, problem.seed, limits.kept, say)
    moments = weights.mean, weights.factor
    posterior = ProcessPosterior(best.process, projection.vectors, projection.root, *moments)
    found = ([posterior], best.likelihood, places, best, choice.trials)
    return ProcessFit(*found, log_evidence=weights.bound, converged=weights.converged)


def _said(trial: ProcessTrial) -> str:
    scaled = "" if trial.process.scales is None else " and scales"
    return (
        f"{trial.process.kernel.name}, gamma {trial.gamma:.4g}{scaled}: log evidence {trial.log_evidence:.2f}"
    )


def _projection_of(rows, process, n_vectors, seed):
    """Projection on vectors among the first rows, and their places."""
    pool = rows.part(slice(0, n_candidates(n_vectors)))
    places = choose_vectors(process, pool.X, pool.weights, n_vectors, seed)
    return Projection.of(process, pool.X[places]), places


def _of_the_right_size(rows, best, most, limits, seed, say):
    """Projection on as many vectors as rows that were not used yet pay for, and their places."""
    if limits.least_rise <= 0:
        return _projection_of(rows, best.process, most, seed)
    half = len(rows) // 2
    known, new = rows.part(slice(0, half)), rows.part(slice(half, 2 * half))
    size, before, kept = min(_FEWEST_VECTORS, most), -np.inf, None
    while True:
        projection, places = _projection_of(rows, best.process, size, seed)
        design = Design(projection, np.float32, limits.kept)
        options = {"tol": _PART_TOL * projection.n_weights, "design": design}
        weights = infer(HeldBlocks(known), projection, best.likelihood, **options)
        score = log_predictive(new, projection, best.likelihood, weights) / new.weights.sum()
        say("vectors", 0.5, f"{len(places)} vectors: {score:.4f} nats a row that was not used")
        least = settled(best.likelihood, score, limits.least_rise)
        if kept is not None and not score - before > least:
            return kept
        kept, before = (projection, places), score
        if len(places) < size or size >= min(most, half // 4):
            return kept
        size = min(2 * size, most)


def log_predictive(block: RowBlock, projection: Projection, likelihood: Any, weights: Weights) -> float:
    """Summed log predictive density of some rows, in nats."""
    function = SumsPass.at(projection, likelihood, weights.mean, weights.factor)
    total = 0.0
    for rows in chunks(block, projection.n_weights):
        mean, var = function.latent(rows)[3:]
        total += rows.weights @ likelihood.log_predictive(rows.y, mean, var)
    return float(total)


def pairs_of_shares(n_rows: int, n_weights: int) -> Iterator[tuple[float, float]]:
    """Shares of the rows, from the smallest part that tells enough on, each with the one that follows."""
    shares = [share for share in _SHARES if share * n_rows >= _ROWS_A_WEIGHT * n_weights]
    return pairwise([*shares, 1.0])


def posterior_of_all(
    source: RowBlocks, projection: Projection, likelihood: Any, seed: int, kept: float, say: Report = silent
) -> Weights:
    """Posterior given all rows, by steps on larger and larger parts and few passes over all of them.

    Parameters
    ----------
    source : RowBlocks
        Placed rows and targets.
    projection : Projection
        Process and vectors.
    likelihood : Likelihood
        Likelihood of the targets.
    seed : int
        Seed of the parts.
    kept : float
        Bytes of columns of rows that may be kept between passes.
    say : callable
        Told what is being done.
    """
    n_rows, n_weights = source.n_rows, projection.n_weights
    dtype, start = np.float32 if n_rows >= _SINGLE_FROM else np.float64, None
    for share, following in pairs_of_shares(n_rows, n_weights):
        options: dict[str, Any] = {"tol": _PART_TOL * n_weights, "design": Design(projection, dtype, kept)}
        found = infer(source.part(share, seed), projection, likelihood, start=start, **options)
        start = found.for_rows(following / share, None)
        say("posterior", share, f"bound {found.bound:.2f} of a share of {share:.3g} of the rows")

    def passed(n_passes: int, bound: float) -> None:
        say("posterior", min(0.4 * n_passes, 0.95), f"pass {n_passes} over all rows, bound {bound:.2f}")

    options = {"tol": max(_TOL, _TOL_A_ROW * n_rows), "max_passes": _MAX_PASSES, "report": passed}
    design = Design(projection, dtype, kept)
    return infer(source, projection, likelihood, start=start, design=design, **options)
