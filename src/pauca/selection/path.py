"""What a search passes through: records of its rounds, the model to keep, candidates tried in vain."""

from dataclasses import astuple, dataclass, field

import numpy as np

# Candidates tried in vain are tried again when the objective has risen by so much (in nats) without them.
_WORTH_A_TRIAL = 0.1
_NOTHING = np.empty(0, dtype=int)

PATH_RECORD = np.dtype([("log_evidence", float), ("n_terms", int), ("n_added", int), ("n_removed", int)])
JUDGED_RECORD = np.dtype(
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

    def add(self, model, n_added, n_removed, judgement=None):
        """Take down a model, what was done to get there and, for some searches, what to think of it."""
        score = self._criterion.score(model.log_evidence, judgement) if self._criterion else len(self)
        if score > self._best:
            self._best, self.model, self.chosen = score, model, len(self)
        judged = () if judgement is None else astuple(judgement)
        self._records.append((model.log_evidence, len(model.active), n_added, n_removed, *judged))

    @property
    def records(self):
        """All records as one array."""
        is_judged = len(self._records[0]) > len(PATH_RECORD.descr)
        return np.array(self._records, dtype=JUDGED_RECORD if is_judged else PATH_RECORD)


@dataclass(frozen=True)
class Barrier:
    """Candidates that were tried in vain, and how much the objective has risen since.

    They may try again once another column has entered or left, or before the search ends if it has risen.
    """

    blocked: np.ndarray = field(default_factory=lambda: _NOTHING)
    rise: float = 0.0

    @property
    def is_stale(self):
        """Whether those that were tried in vain deserve another trial."""
        return len(self.blocked) > 0 and self.rise > _WORTH_A_TRIAL

    def after(self, actions, done, settled, rise):
        """What a round makes of it."""
        if settled and len(actions.add) == 0:
            return Barrier()
        if settled:
            return Barrier(np.union1d(self.blocked, actions.add).astype(int), self.rise)
        return Barrier(self.blocked, self.rise + rise) if done.is_quiet else Barrier()
