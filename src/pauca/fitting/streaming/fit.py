"""Fit of a process to rows in blocks: hyperparameters, vectors, then the posterior given all rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...basis.blocks import HeldBlocks, RowBlock, RowBlocks
from ..data import TrainingRows
from ..processes import ProcessFit, ProcessPosterior, ProcessProblem, ProcessTrial
from .choice import LARGEST_PART, BlockChoice, settled
from .growth import grown
from .posterior import Weights, infer
from .projection import Projection
from .sums import Design, SumsPass, chunks, inverse
from .vectors import choose_vectors, n_candidates

# Numbers of vectors that are tried double from here; set by hand.
_FEWEST_VECTORS = 32
#: Rise of the log predictive density of rows not used, in nats a row, that twice the vectors must bring; set
#: by hand: each doubling makes a pass over the rows two to four times as long.
LEAST_RISE = 1.5e-3
# Shares of the rows, the smallest first, of the parts that lead to the posterior of all; each pass over a
# part brings the start nearer. Smallest number of rows for each weight of such a part. Set by hand for time.
_SHARES, _ROWS_A_WEIGHT = (1 / 256, 1 / 64, 1 / 16, 1 / 4), 8
# Rise of the bound in nats, for each weight of a part, in all, and as a share of the bound, at which the last
# step is taken: one pass over all rows is enough where parts lead to it. Most passes; set by hand.
_PART_TOL, _TOL, _TOL_SHARE, _MAX_PASSES = 0.02, 0.5, 1e-3, 12
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
    search = _Vectors(rows, source.n_rows, best, limits, problem.seed, say)
    projection, places, start = search.of_the_right_size(limits.most(source.n_rows))
    say("posterior", 0.0, f"{len(places)} vectors")
    given = source, projection, best.likelihood, problem.seed, limits.kept
    weights = posterior_of_all(*given, start=start, say=say)
    moments = weights.mean, weights.factor
    posterior = ProcessPosterior(best.process, projection.vectors, projection.root, *moments)
    found = ([posterior], best.likelihood, places, best, choice.trials)
    return ProcessFit(*found, log_evidence=weights.bound, converged=weights.converged)


def _said(trial: ProcessTrial) -> str:
    scaled = "" if trial.process.scales is None else " and scales"
    return (
        f"{trial.process.kernel.name}, gamma {trial.gamma:.4g}{scaled}: log evidence {trial.log_evidence:.2f}"
    )


class _Vectors:
    """Choice of the vectors: the first explain the prior, later ones are what rows gain most by."""

    def __init__(
        self, rows: RowBlock, n_rows: int, best: ProcessTrial, limits: BlockLimits, seed: int, say: Report
    ) -> None:
        half = len(rows) // 2
        self.rows, self.best, self.limits, self.seed, self.say = rows, best, limits, seed, say
        self.known, self.new = rows.part(slice(0, half)), rows.part(slice(half, 2 * half))
        # Inverse of the rows that weights are given here, less that of all rows.
        self.fewer = 1 / max(half, 1) - 1 / max(n_rows, half, 1)

    def of_the_right_size(self, most: int) -> tuple[Projection, NDArray, Weights | None]:
        """Projection on as many vectors as new rows pay for, their places, and weights given a part."""
        if self.limits.least_rise <= 0:
            return self._of_size(most)
        size, before = min(_FEWEST_VECTORS, most), -np.inf
        projection, places = self._first(size)
        kept, start = None, None
        while True:
            weights = self._inferred(projection, start, before)
            score = self._score(projection, weights)
            self.say("vectors", 0.5, f"{len(places)} vectors: {score:.4f} nats a row that was not used")
            least = settled(self.best.likelihood, score, self.limits.least_rise)
            if kept is not None and not score - before > least:
                return kept
            kept, before = (projection, places, weights), score
            if len(places) < size or size >= min(most, len(self.known) // 4):
                return kept
            size = min(2 * size, most)
            projection, places, start = self._more(projection, places, weights, size)

    def _of_size(self, n_vectors: int) -> tuple[Projection, NDArray, Weights | None]:
        """Projection on a given number of vectors, a quarter of which come first."""
        first = n_vectors // 4
        if first < _FEWEST_VECTORS or len(self.known) < 2 * n_vectors:
            return *self._first(n_vectors), None
        projection, places = self._first(first)
        return self._more(projection, places, self._inferred(projection, None, -np.inf), n_vectors)

    def _score(self, projection: Projection, weights: Weights) -> float:
        """Log predictive density of new rows in nats a row, as expected with the weights given all rows.

        Each parameter that is learned costs half a nat for all rows together (Akaike 1974); those that the
        prior decides on cost less.
        """
        n_learned = projection.n_weights - np.square(inverse(weights.factor)).sum()
        found = log_predictive(self.new, projection, self.best.likelihood, weights)
        return float(found / self.new.weights.sum() + 0.5 * n_learned * self.fewer)

    def _first(self, n_vectors: int) -> tuple[Projection, NDArray]:
        """Projection on vectors that explain the prior, and their places."""
        pool = self.rows.part(slice(0, n_candidates(n_vectors)))
        places = choose_vectors(self.best.process, pool.X, pool.weights, n_vectors, self.seed)
        return Projection.of(self.best.process, pool.X[places]), places

    def _more(
        self, projection: Projection, places: NDArray, weights: Weights, size: int
    ) -> tuple[Projection, NDArray, Weights]:
        """Projection on more vectors, their places, and weights to start from."""
        n_new, known = size - len(places), (self.known, projection, weights, self.best.likelihood)
        longer, start, new = grown(*known, n_new, self.seed)
        return longer, np.append(places, new), start

    def _inferred(self, projection: Projection, start: Weights | None, before: float) -> Weights:
        """Weights given the first half of the rows; nearer to the best where little is at stake."""
        least = settled(self.best.likelihood, max(before, -1.0), self.limits.least_rise)
        tol = min(_PART_TOL * projection.n_weights, 0.5 * least * len(self.known) or np.inf)
        design = Design(projection, np.float32, self.limits.kept)
        known = HeldBlocks(self.known)
        return infer(known, projection, self.best.likelihood, start=start, tol=tol, design=design)


def log_predictive(block: RowBlock, projection: Projection, likelihood: Any, weights: Weights) -> float:
    """Summed log predictive density of some rows, in nats."""
    function = SumsPass.at(projection, likelihood, weights.mean, weights.factor)
    total = 0.0
    for rows in chunks(block, projection.n_weights):
        mean, var = function.latent(rows)[3:]
        total += rows.weights @ likelihood.log_predictive(rows.y, mean, var)
    return float(total)


def pairs_of_shares(n_rows: int, n_weights: int, known: float = 0.0) -> Iterator[tuple[float, float]]:
    """Shares of the rows, from the smallest part that tells enough on, each with the one that follows.

    Parameters
    ----------
    n_rows, n_weights : int
        Numbers of rows and of weights.
    known : float
        Rows of a part that weights are known from; smaller parts tell nothing.
    """
    least = max(_ROWS_A_WEIGHT * n_weights, 1.01 * known)
    shares = [share for share in _SHARES if share * n_rows >= least]
    return pairwise([*shares, 1.0])


def posterior_of_all(
    source: RowBlocks,
    projection: Projection,
    likelihood: Any,
    seed: int,
    kept: float,
    start: Weights | None = None,
    say: Report = silent,
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
    start : Weights, optional
        Weights given a random part of the rows.
    say : callable
        Told what is being done.
    """
    n_rows, n_weights, known = source.n_rows, projection.n_weights, 0.0 if start is None else start.weight
    dtype = np.float32 if n_rows >= _SINGLE_FROM else np.float64
    pairs = list(pairs_of_shares(n_rows, n_weights, known))
    if start is not None and known > 0:
        first = pairs[0][0] if pairs else 1.0
        start = start.for_rows(max(first * n_rows / known, 1.0), None)
    for share, following in pairs:
        options: dict[str, Any] = {"tol": _PART_TOL * n_weights, "tol_share": _TOL_SHARE}
        options["design"] = Design(projection, dtype, kept)
        found = infer(source.part(share, seed), projection, likelihood, start=start, **options)
        start = found.for_rows(following / share, None)
        say("posterior", share, f"bound {found.bound:.2f} of a share of {share:.3g} of the rows")

    def passed(n_passes: int, bound: float) -> None:
        say("posterior", min(0.4 * n_passes, 0.95), f"pass {n_passes} over all rows, bound {bound:.2f}")

    options = {"tol": _TOL, "tol_share": _TOL_SHARE, "max_passes": _MAX_PASSES, "report": passed}
    design = Design(projection, dtype, kept)
    return infer(source, projection, likelihood, start=start, design=design, **options)
