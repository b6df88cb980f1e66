"""Candidate columns that a search may add to a model."""

from collections.abc import Iterator
from copy import copy
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from .basis import Basis, Indices, with_bias
from .kernels.features import Values

# Bytes of columns (and of their squares) that are kept in memory; set by hand, not tuned.
_CACHE_BYTES = 256 * 2**20
# Number of columns, at most, whose spectrum stands for that of all; set by hand, not tuned.
_SPECTRUM_SAMPLE = 300


def drawn(basis: Basis, size: int | None, rng: np.random.Generator | np.random.RandomState) -> Indices:
    """Indices of the candidates in rising order: all, or some drawn at random where there are too many.

    Parameters
    ----------
    basis : Basis
        Basis of the candidates.
    size : int or None
        Largest number of candidates; None for all.
    rng : numpy.random.Generator or RandomState
        Source of randomness.

    Returns
    -------
    candidates : ndarray of int
    """
    everything = np.arange(basis.n_candidates)
    if size is None or basis.n_candidates <= size:
        return everything
    return np.sort(rng.choice(everything, size, replace=False))


class CandidatePool:
    """Standardised columns of some candidates, in blocks.

    The columns are kept where they fit in memory and computed again each time where they do not.

    Parameters
    ----------
    basis : Basis
        Basis of the columns.
    candidates : array-like of shape (n_candidates,)
        Indices of columns of the basis, in rising order.
    cache_bytes : int, optional
        Memory that kept columns may take.
    """

    def __init__(self, basis: Basis, candidates: ArrayLike, cache_bytes: int = _CACHE_BYTES) -> None:
        self.basis, self.candidates = basis, np.asarray(candidates)
        size = 8 * basis.n_rows * len(self.candidates)
        self._kept = list(basis.blocks(self.candidates)) if size <= cache_bytes else None
        self._keeps_squares = 2 * size <= cache_bytes

    @classmethod
    def draw(
        cls, basis: Basis, size: int | None, rng: np.random.Generator | np.random.RandomState
    ) -> "CandidatePool":
        """Pool of all candidates, or of ``size`` drawn at random where there are more."""
        return cls(basis, drawn(basis, size, rng))

    def signed(self, signs: Values) -> "CandidatePool":
        """Pool whose columns are multiplied by ``signs``, one for each column of the basis."""
        other = copy(self)
        other.basis = self.basis.signed(signs)
        for cached in ("n_distinct", "_squares"):
            other.__dict__.pop(cached, None)
        if self._kept is not None:
            ends = np.cumsum([block.shape[1] for block in self._kept])[:-1]
            parts = np.split(signs[self.candidates], ends)
            other._kept = [block * part for block, part in zip(self._kept, parts, strict=True)]
        return other

    def __iter__(self) -> Iterator[Values]:
        """Yield blocks of columns in the order of ``candidates``."""
        return iter(self.basis.blocks(self.candidates) if self._kept is None else self._kept)

    def with_squares(self) -> Iterator[tuple[Values, Values]]:
        """Blocks of columns, and the squares of their entries."""
        if self._squares is None:
            return ((columns, np.square(columns)) for columns in self)
        return zip(self, self._squares, strict=True)

    @cached_property
    def _squares(self) -> list[Values] | None:
        """Squares of the entries of all blocks, where they fit in memory beside the columns."""
        return [np.square(block) for block in self] if self._keeps_squares else None

    def columns(self, candidates: Indices) -> Values:
        """Standardised columns of some candidates of the pool."""
        if self._kept is None or len(candidates) == 0:
            return self.basis.columns(candidates)[0]
        width = self._kept[0].shape[1]
        places = np.searchsorted(self.candidates, candidates)
        if len(self._kept) == 1:
            return self._kept[0][:, places]
        return np.column_stack([self._kept[place // width][:, place % width] for place in places])

    def design(self, candidates: Indices) -> Values:
        """Ones, and standardised columns of some candidates of the pool."""
        return with_bias(self.columns(candidates))

    def without_candidates(self) -> "CandidatePool":
        """Pool of the same basis that nothing is drawn from."""
        return CandidatePool(self.basis, np.empty(0, dtype=int))

    @cached_property
    def n_distinct(self) -> float:
        """Effective number of distinct columns: the exponential of the entropy of their spectrum.

        Signs make more columns distinct, but not all: with signs it is the geometric mean of this number and
        the number of candidates. An empty pool counts as one column.
        """
        if not len(self.candidates):
            return 1.0
        step = -(-len(self.candidates) // _SPECTRUM_SAMPLE)
        columns = self.columns(self.candidates[::step])
        gram = columns.T @ columns if columns.shape[1] <= columns.shape[0] else columns @ columns.T
        spectrum = np.maximum(np.linalg.eigvalsh(gram), 0.0)
        share = spectrum[spectrum > 0] / max(spectrum.sum(), np.finfo(float).tiny)
        count = max(float(np.exp(-share @ np.log(share))), 1.0)
        return count if self.basis.signs is None else float(np.sqrt(count * len(self.candidates)))
