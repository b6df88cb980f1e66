"""Record of a search: its rounds, the model to keep, the candidates that were rejected."""

from dataclasses import astuple, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .ard import Actions
from .criteria import Criterion, LOOEstimates

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
    """Records of the rounds of a search, and the model to keep.

    Parameters
    ----------
    criterion : Criterion, optional
        Criterion whose best model is kept, the first among equals; by default the last model is kept.
    """

    def __init__(self, criterion: Criterion | None = None) -> None:
        self._criterion = criterion
        self._records: list[tuple] = []
        self._best = -np.inf
        self.chosen = -1

    def __len__(self) -> int:
        return len(self._records)

    def add(self, model: Any, n_added: int, n_removed: int, estimates: LOOEstimates | None = None) -> None:
        """Record the model of a round.

        Parameters
        ----------
        model : object
            Model with ``log_evidence`` and ``active``.
        n_added, n_removed : int
            Numbers of columns that entered and left.
        estimates : LOOEstimates, optional
            Leave-one-out estimates of the model.
        """
        score = self._criterion.score(model.log_evidence, estimates) if self._criterion else len(self)
        if score > self._best:
            self._best, self.model, self.chosen = score, model, len(self)
        loo = () if estimates is None else astuple(estimates)
        self._records.append((model.log_evidence, len(model.active), n_added, n_removed, *loo))

    @property
    def records(self) -> NDArray:
        """Structured array with one record for each round."""
        has_loo = len(self._records[0]) > len(PATH_RECORD.descr)
        return np.array(self._records, dtype=LOO_PATH_RECORD if has_loo else PATH_RECORD)


@dataclass(frozen=True)
class Barrier:
    """Candidates that were rejected, and the rise of the objective in nats since.

    They are tried again once another column has entered or left, or before the search ends if it has risen.

    Parameters
    ----------
    blocked : ndarray of int, default=empty
        Rejected candidates.
    rise : float, default=0.0
        Rise of the objective in nats since the first of them was rejected.
    """

    blocked: NDArray = field(default_factory=lambda: _NOTHING)
    rise: float = 0.0

    @property
    def is_stale(self) -> bool:
        """Whether rejected candidates are to be tried again."""
        return len(self.blocked) > 0 and self.rise > _RETRY_AFTER

    def after(self, actions: Actions, done: Actions, settled: bool, rise: float) -> "Barrier":
        """Barrier after a round.

        Parameters
        ----------
        actions : Actions
            Actions that were tried.
        done : Actions
            Actions that were carried out.
        settled : bool
            Whether the round changed nothing.
        rise : float
            Rise of the objective in nats.

        Returns
        -------
        Barrier
        """
        if settled and len(actions.add) == 0:
            return Barrier()
        if settled:
            return Barrier(np.union1d(self.blocked, actions.add).astype(int), self.rise)
        return Barrier(self.blocked, self.rise + rise) if done.is_quiet else Barrier()
