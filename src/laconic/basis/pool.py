"""The candidates that one search looks at."""

import numpy as np

_CACHE_BYTES = 256 * 2**20


class CandidatePool:
    """Candidates and their columns in blocks: kept while they fit in memory, else made again each time."""

    def __init__(self, basis, candidates, cache_bytes=_CACHE_BYTES):
        self.basis, self.candidates = basis, np.asarray(candidates)
        fits = 8 * basis.n_rows * len(self.candidates) <= cache_bytes
        self._kept = list(basis.blocks(self.candidates)) if fits else None

    @classmethod
    def draw(cls, basis, size, rng):
        """All candidates when there are at most ``size``, otherwise a random choice of them."""
        everything = np.arange(basis.n_candidates)
        if size is None or basis.n_candidates <= size:
            return cls(basis, everything)
        return cls(basis, np.sort(rng.choice(everything, size, replace=False)))

    def __iter__(self):
        """Yield blocks of columns in the order of ``candidates``."""
        return iter(self.basis.blocks(self.candidates) if self._kept is None else self._kept)
