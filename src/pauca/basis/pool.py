"""The candidates that one search looks at."""

from copy import copy
from functools import cached_property

import numpy as np

_CACHE_BYTES = 256 * 2**20
_SPECTRUM_SAMPLE = 300


def drawn(basis, size, rng):
    """All candidates when there are at most ``size``, otherwise a random choice of them, in rising order."""
    everything = np.arange(basis.n_candidates)
    if size is None or basis.n_candidates <= size:
        return everything
    return np.sort(rng.choice(everything, size, replace=False))


class CandidatePool:
    """Candidates, in rising order, and their columns in blocks.

    The columns are kept while they fit in memory, else made again each time.
    """

    def __init__(self, basis, candidates, cache_bytes=_CACHE_BYTES):
        self.basis, self.candidates = basis, np.asarray(candidates)
        size = 8 * basis.n_rows * len(self.candidates)
        self._kept = list(basis.blocks(self.candidates)) if size <= cache_bytes else None
        self._keeps_squares = 2 * size <= cache_bytes

    @classmethod
    def draw(cls, basis, size, rng):
        """All candidates when there are at most ``size``, otherwise a random choice of them."""
        return cls(basis, drawn(basis, size, rng))

    def signed(self, signs):
        """The pool of the same columns multiplied by ``signs``, one for each column of the basis."""
        other = copy(self)
        other.basis = self.basis.signed(signs)
        for cached in ("n_distinct", "_squares"):
            other.__dict__.pop(cached, None)
        if self._kept is not None:
            ends = np.cumsum([block.shape[1] for block in self._kept])[:-1]
            parts = np.split(signs[self.candidates], ends)
            other._kept = [block * part for block, part in zip(self._kept, parts, strict=True)]
        return other

    def __iter__(self):
        """Yield blocks of columns in the order of ``candidates``."""
        return iter(self.basis.blocks(self.candidates) if self._kept is None else self._kept)

    def with_squares(self):
        """Yield blocks of columns, and the squares of their entries."""
        if self._squares is None:
            return ((columns, np.square(columns)) for columns in self)
        return zip(self, self._squares, strict=True)

    @cached_property
    def _squares(self):
        """The squares, where they fit in memory beside the columns."""
        return [np.square(block) for block in self] if self._keeps_squares else None

    def columns(self, candidates):
        """Standardised columns of some candidates of the pool."""
        if self._kept is None or len(candidates) == 0:
            return self.basis.columns(candidates)[0]
        width = self._kept[0].shape[1]
        places = np.searchsorted(self.candidates, candidates)
        if len(self._kept) == 1:
            return self._kept[0][:, places]
        return np.column_stack([self._kept[place // width][:, place % width] for place in places])

    @cached_property
    def n_distinct(self):
        """How many columns the kernel can tell apart: the exponential of the entropy of their spectrum.

        Labels tell apart more of them, but not all: signed columns count as the geometric mean of both.
        """
        step = -(-len(self.candidates) // _SPECTRUM_SAMPLE)
        columns = self.columns(self.candidates[::step])
        gram = columns.T @ columns if columns.shape[1] <= columns.shape[0] else columns @ columns.T
        spectrum = np.maximum(np.linalg.eigvalsh(gram), 0.0)
        share = spectrum[spectrum > 0] / max(spectrum.sum(), np.finfo(float).tiny)
        count = max(float(np.exp(-share @ np.log(share))), 1.0)
        return count if self.basis.signs is None else float(np.sqrt(count * len(self.candidates)))
