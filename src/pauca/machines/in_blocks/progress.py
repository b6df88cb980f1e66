"""Progress of a long fit: phases, the share that is done, the time that is left."""

from collections.abc import Callable

from ...reporting import tell

# Where each phase begins and ends in a fit, as shares of its time; measured on a million rows.
_PHASES = {"kernel": (0.0, 0.45), "vectors": (0.45, 0.55), "posterior": (0.55, 1.0)}

#: Called with the phase, the share of the whole fit that is done, and a message; an exception ends the fit.
Callback = Callable[[str, float, str], None]


class FitProgress:
    """Function that tells a user and a callback what a fit is doing.

    Parameters
    ----------
    callback : callable or None
        Called with the phase, the share of the fit that is done, and a message.
    """

    def __init__(self, callback: Callback | None) -> None:
        self.callback = callback
        self.share = 0.0

    def __call__(self, phase: str, share: float, message: str) -> None:
        first, last = _PHASES[phase]
        self.share = max(self.share, first + (last - first) * min(max(share, 0.0), 1.0))
        if self.callback is not None:
            self.callback(phase, self.share, message)
        tell(f"{phase}, {self.share:.0%}: {message}", level=1, share=self.share)
