"""Progress of a long fit: phases, the share that is done, the time that is left."""

import sys
from collections.abc import Callable
from time import monotonic

# Where each phase begins and ends in a fit, as shares of its time; measured on a million rows.
_PHASES = {"kernel": (0.0, 0.45), "vectors": (0.45, 0.55), "posterior": (0.55, 1.0)}

#: Called with the phase, the share of the whole fit that is done, and a message; an exception ends the fit.
Callback = Callable[[str, float, str], None]


class FitProgress:
    """Function that tells a user and a callback what a fit is doing.

    Parameters
    ----------
    name : str
        Name of the machine.
    verbose : bool
        Whether lines are printed on standard error.
    callback : callable or None
        Called with the phase, the share of the fit that is done, and a message.
    """

    def __init__(self, name: str, verbose: bool, callback: Callback | None) -> None:
        self.name, self.verbose, self.callback = name, verbose, callback
        self.start = monotonic()
        self.share = 0.0

    def __call__(self, phase: str, share: float, message: str) -> None:
        first, last = _PHASES[phase]
        self.share = max(self.share, first + (last - first) * min(max(share, 0.0), 1.0))
        if self.callback is not None:
            self.callback(phase, self.share, message)
        if self.verbose:
            print(
                f"[{self.name}] {phase}, {self.share:.0%}{self._left()}: {message}",
                file=sys.stderr,
                flush=True,
            )

    def _left(self) -> str:
        """Seconds that are left if the rest goes as fast as what is done."""
        spent = monotonic() - self.start
        left = spent * (1 - self.share) / self.share if self.share > 0 else 0.0
        return f", about {left:.0f} s left" if left >= 1 else ""
