"""Record of a search: its rounds, the model to keep, the candidates that were rejected."""

from dataclasses import astuple, dataclass, field

import numpy as np

# Rise of the objective, in nats, after which rejected candidates are tried again; set by hand, not tuned.
_RETRY_AFTER = 0.1
_NOTHING = np.empty(0, dtype=int)

PATH_RECORD = np.dtype([("log_evidence", float), ("n_terms", int), ("n_added", int), ("n_removed", int)])
LOO_PATH_RECORD = np.dtype(
    [
        *PATH_RECORD.descr,
        ("loo_error", float),
        ("loo_probability", float),
        ("loo_log_density", float),
    ]
)


class Path:
    """One record a round, and the model to keep: the last one, or the first of the best by a criterion."""

    def __init__(self, criterion=None):
        self._criterion = criterion
        self._records: list[tuple] = []
        self._best = -np.inf
        self.chosen = -1

    def __len__(self):
        return len(self._records)

    def add(self, model, n_added, n_removed, estimates=None):
        """Record a model, how many columns entered and left, and its leave-one-out estimates, if any."""
        score = self._criterion.score(model.log_evidence, estimates) if self._criterion else len(self)
        if score > self._best:
            self._best, self.model, self.chosen = score, model, len(self)
        loo = () if estimates is None else astuple(estimates)
        self._records.append((model.log_evidence, len(model.active), n_added, n_removed, *loo))

    @property
    def records(self):
        """All records as one array."""
        has_loo = len(self._records[0]) > len(PATH_RECORD.descr)
        return np.array(self._records, dtype=LOO_PATH_RECORD if has_loo else PATH_RECORD)


@dataclass(frozen=True)
class Barrier:
    """Candidates that were rejected, and the rise of the objective in nats since.

    They are tried again once another column has entered or left, or before the search ends if it has risen.
    """

    blocked: np.ndarray = field(default_factory=lambda: _NOTHING)
    rise: float = 0.0

    @property
    def is_stale(self):
        """Whether rejected candidates are to be tried again."""
        return len(self.blocked) > 0 and self.rise > _RETRY_AFTER

    def after(self, actions, done, settled, rise):
        """Barrier after a round with the given actions, those carried out, and the rise of the objective."""
        if settled and len(actions.add) == 0:
            return Barrier()
        if settled:
            return Barrier(np.union1d(self.blocked, actions.add).astype(int), self.rise)
        return Barrier(self.blocked, self.rise + rise) if done.is_quiet else Barrier()
