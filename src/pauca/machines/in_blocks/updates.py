"""Update of a fitted machine with new rows."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...basis.blocks import RowBlock, RowBlocks, joined
from ...fitting.streaming import as_training_rows
from ...fitting.streaming.growth import extended
from ...fitting.streaming.update import (
    given_rows,
    posterior_of,
    relearned,
    relearned_classes,
    weights_of,
)

# Power of the rows seen with which the number of vectors may grow, and rows of the sample from which
# hyperparameters are learned again; set by hand.
_GROWTH, _SAMPLE = 1 / 3, 4000
# Factor of the rows seen after which hyperparameters are learned again; set by hand.
_AGAIN = 2.0
# Rows of an update from which features are in single precision; set by hand.
_SINGLE_FROM = 20_000


@dataclass(frozen=True)
class Seen:
    """Record of the rows that a machine has seen, kept for its next update.

    Parameters
    ----------
    sample : RowBlock
        Random sample of the placed rows, in random order.
    n_rows : int
        Rows seen.
    n_learned : int
        Rows seen when hyperparameters were learned last.
    n_first : int
        Rows of the first fit.
    first_vectors : int
        Vectors of the first fit.
    """

    sample: RowBlock
    n_rows: int
    n_learned: int
    n_first: int
    first_vectors: int

    @classmethod
    def first(cls, source: RowBlocks, n_vectors: int, seed: int) -> "Seen":
        """Memory of the rows of a first fit."""
        n_rows = source.n_rows
        return cls(_ordered(source.drawn(_SAMPLE, seed), seed), n_rows, n_rows, n_rows, n_vectors)

    def after(self, n_rows: int) -> "Seen":
        """Memory where so many rows, of which none is remembered, came before."""
        return replace(
            self, sample=self.sample.part(slice(0, 0)), n_rows=n_rows, n_learned=n_rows, n_first=n_rows
        )

    def and_also(self, new: RowBlock, n_rows: int, seed: int) -> "Seen":
        """Memory with a sample of new rows, whose numbers follow those seen."""
        both = _ordered(joined([self.sample, new]), seed).part(slice(0, _SAMPLE))
        return replace(self, sample=both, n_rows=self.n_rows + n_rows)


def _ordered(block: RowBlock, seed: int) -> RowBlock:
    return block.part(np.argsort(block.keys(seed), kind="stable"))


@dataclass(frozen=True)
class Updated:
    """Result of an update.

    Parameters
    ----------
    posteriors : list of ProcessPosterior
        Posterior of each latent function given all rows so far.
    likelihood : Likelihood
        Likelihood with its parameters.
    seen : Seen
        Memory of the rows.
    numbers : ndarray of int
        Numbers of the new vectors among all rows seen.
    bound : float
        Bound on the log density of the new rows given the earlier ones, in nats.
    weight : float
        Sum of the weights of the new rows.
    """

    posteriors: list
    likelihood: Any
    seen: Seen
    numbers: Any
    bound: float
    weight: float


def updated(machine: Any, source: RowBlocks, seen: Seen, seed: int, most: int) -> Updated:
    """Posteriors and hyperparameters given more rows.

    Parameters
    ----------
    machine : BlockMachine
        Fitted machine.
    source : RowBlocks
        New rows, placed.
    seen : Seen
        Memory of the rows so far.
    seed : int
        Seed of the samples.
    most : int
        Most vectors.
    """
    numbered = source.mapped(_Numbered(seen.n_rows))
    sample = _ordered(numbered.drawn(_SAMPLE, seed), seed)
    seen = seen.and_also(sample, source.n_rows, seed)
    projections, weights = (list(part) for part in zip(*map(weights_of, machine._posteriors), strict=True))
    likelihood = machine._likelihood
    if seen.n_rows >= _AGAIN * seen.n_learned:
        problem = machine._block_problem(as_training_rows(seen.sample), seed)
        again = relearned_classes if len(projections) > 1 else relearned
        projections, weights, likelihood = again(projections, weights, likelihood, seen.sample, problem)
        seen = replace(seen, n_learned=seen.n_rows)
    allowed = int(seen.first_vectors * (seen.n_rows / seen.n_first) ** _GROWTH)
    n_new = min(allowed, most) - len(projections[0].vectors)
    numbers = np.empty(0, dtype=int)
    if n_new > 0:
        projections, weights, places = extended(projections, weights, sample, n_new)
        numbers = sample.index[places]
    dtype = np.float32 if source.n_rows >= _SINGLE_FROM else np.float64
    weights = given_rows(source, projections, likelihood, weights, dtype)
    posteriors = [posterior_of(*pair) for pair in zip(projections, weights, strict=True)]
    return Updated(posteriors, likelihood, seen, numbers, weights[0].bound, weights[0].weight)


@dataclass(frozen=True)
class _Numbered:
    """Function from a block to one whose rows are numbered after those seen."""

    first: int

    def __call__(self, block: RowBlock) -> RowBlock:
        return replace(block, index=block.index + self.first)
