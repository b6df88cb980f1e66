"""A scale for every feature, where the evidence rises clearly by it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from .fitter import ScalableFitter, Trial, complete

# Prior standard deviation of the logarithms of the squared scales around their mean; chosen with the
# penalties by test log-loss on half splits 0-11 of about 15 sets.
LOG_SCALE_STD = 1.5
# Least rise of the score, in nats, for which scales are taken; times the root of the number of latent
# functions, which see the same rows. Chosen as above.
_MIN_TOTAL_RISE = 10.0
# Ascents of the evidence with a selection of columns after each; steps of an ascent, and the step at which it
# may be abandoned. Set by hand for the time of a fit.
_MAX_ASCENTS, _MAX_STEPS, _CHECKED_STEP = 2, 15, 4
# Ratio between the gamma of the chosen kernel and that of the wide kernel to start from; set by hand.
_WIDER = 10.0
# Expected ratio between the rise after columns are selected again and the rise of the ascent before; set by
# hand.
_EXPECTED_RATIO = 2.0
# Bounds of the logarithms of the squared scales; numerical guard.
_BOUNDS = (-8.0, 5.0)
# Columns and scales together are at most this share of the summed weight of the rows; set by hand.
_MAX_SHARE = 0.5


def choose_scales(
    fitter: ScalableFitter, chosen: Trial, trials: Sequence[Trial]
) -> tuple[Trial, list[Trial]]:
    """Best of the chosen trial and trials with feature scales, which pay a penalty; and the latter."""
    best, scaled = chosen, []
    for start in fitter.scale_starts(chosen, trials):
        scaled += Ascent(fitter).trials(start, best)
        best = max([best, *scaled], key=lambda trial: trial.score)
    return best, scaled


def several_starts(chosen: Trial, trials: Sequence[Trial]) -> list[Trial]:
    """Starts of the search for scales: the chosen kernel, a wider one, and that of the largest evidence.

    Where most features are irrelevant, the best kernel with one scale may be too narrow or too wide to show
    which the others are.
    """
    wide = min(trials, key=lambda trial: abs(np.log(_WIDER * trial.gamma / chosen.gamma)))
    narrow = max(trials, key=lambda trial: trial.log_evidence)
    return list({start.gamma: start for start in (wide, chosen, narrow)}.values())


@dataclass(frozen=True)
class Ascent:
    """Scales that climb the evidence of the active columns, which are then selected again, in turn."""

    fitter: ScalableFitter

    @property
    def varies(self) -> NDArray:
        """Boolean mask of the features that get scales."""
        return self.fitter.problem.varies

    def trials(self, start: Trial, best: Trial) -> list[Trial]:
        """Trials with scales, as long as there are enough rows for them.

        There are none if the first ascent, extrapolated, stays below the score of the ``best`` trial.
        """
        n_scales = self.varies.sum()
        penalty = np.sqrt(len(start.fits)) * max(self.fitter.scale_penalty * n_scales, _MIN_TOTAL_RISE)
        last = replace(start, scales=np.ones(len(self.varies)))
        needed = (best.score + penalty - start.score) / _EXPECTED_RATIO
        trials: list[Trial] = []
        for draw in range(1, 1 + _MAX_ASCENTS):
            logs, rise = self._ascend(last, -np.inf if trials else needed)
            if not trials and rise < needed:
                break
            size = np.exp(logs).mean()
            scales = _scales(logs - np.log(size), self.varies)
            trial = complete(self.fitter, self.fitter.fit(last.gamma * size, (), scales, draw))
            last = replace(trial, score=trial.score - penalty - log_scale_penalty(logs))
            if max(len(fit.model.active) for fit in trial.fits) + n_scales > _MAX_SHARE * trial.weight:
                break
            trials.append(last)
        return trials

    def _ascend(self, trial, needed):
        """Logarithms of squared scales after some steps uphill, and the rise of the evidence less penalty.

        The ascent is abandoned when its first steps are far from the rise that is ``needed``.
        """
        descent = penalised_descent(self.fitter.evidence_gradient(trial), self.varies)
        logs = 2 * np.log(trial.scales[self.varies])
        before, n_steps = descent(logs)[0], count(1)

        def abandon(intermediate_result):
            if next(n_steps) == _CHECKED_STEP and before - intermediate_result.fun < needed / 2:
                raise StopIteration

        found = minimize(
            descent,
            logs,
            jac=True,
            method="L-BFGS-B",
            bounds=[_BOUNDS] * len(logs),
            callback=abandon,
            options={"maxiter": _MAX_STEPS},
        )
        return found.x, before - found.fun


def _scales(logs, varies):
    """Scales of all features from the logarithms of the squares of some; the others have scale one."""
    scales = np.ones(len(varies))
    scales[varies] = np.exp(0.5 * logs)
    return scales


def log_scale_penalty(logs: NDArray) -> float:
    """Minus the log prior of the logarithms of the squared scales in nats, up to a constant."""
    return 0.5 * np.square(logs - logs.mean()).sum() / LOG_SCALE_STD**2


def penalised_descent(evidences: Sequence[Callable], varies: NDArray) -> Callable[[NDArray], tuple[Any, Any]]:
    """Penalty less evidence, and its gradient, as a function of the logarithms of the squared scales.

    Each of the ``evidences``, one for each latent function, gives log evidence and gradient for scales of all
    features.
    """

    def function(logs):
        value, gradient = log_scale_penalty(logs), (logs - logs.mean()) / LOG_SCALE_STD**2
        for evidence in evidences:
            log_evidence, rise = evidence(_scales(logs, varies))
            value, gradient = value - log_evidence, gradient - rise[varies]
        return value, gradient

    return function
