"""Posterior of the kernel parameter of Bayes machines: a quadrature over log gamma, weighted by evidence."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...inference.ep import EPMode
from .label_noise import SEARCHED, LabelNoiseFitter, NoiseTrial, first_settled

# First step in log gamma, from which the curvature of the log evidence is known, and bounds of the step of
# the quadrature, which otherwise is one standard deviation: with smooth integrands the trapezoidal rule is
# then exact to three digits. Set by hand.
_FIRST_STEP, _LEAST_STEP, _LARGEST_STEP = 0.3, 0.03, 0.6
# Loss of log evidence in nats beside the largest at which the quadrature ends, and the most steps to either
# side; set by hand.
_MOST_LOSS, _MOST_STEPS = 6.0, 20
# Least posterior probability of a value of gamma that is kept; set by hand for the time of predictions.
_LEAST_WEIGHT = 1e-3


@dataclass(frozen=True)
class GammaPosterior:
    """Values of gamma with their weights.

    Parameters
    ----------
    trials : list of NoiseTrial
        Trial at each value, ascending, all in one mode of expectation propagation.
    weights : ndarray of shape (n_trials,)
        Posterior probabilities, which sum to one.
    """

    trials: list
    weights: NDArray


def gamma_posterior(
    fitter_in: Callable[[EPMode, bool], LabelNoiseFitter], reference: float, start: NoiseTrial
) -> GammaPosterior:
    """Posterior of gamma under a prior that is uniform in log gamma over the range that is searched.

    The integral over log gamma is a trapezoidal rule whose step follows from the curvature at the best value.

    Parameters
    ----------
    fitter_in : callable
        Fitter of the rows by whose evidence the values are weighted, in a mode of expectation propagation.
    reference : float
        Value in the middle of the range.
    start : NoiseTrial
        Trial of the largest evidence so far.
    """
    low, high = np.log(reference) + np.log(SEARCHED)
    middle = float(np.clip(np.log(start.gamma), low, high))

    def attempt(mode, is_last):
        return _quadrature(_Walk(fitter_in(mode, is_last), low, high), middle)

    return first_settled(attempt)


class _Walk:
    """Trials at values of log gamma within bounds."""

    def __init__(self, fitter: LabelNoiseFitter, low: float, high: float) -> None:
        self.fitter, self.low, self.high = fitter, low, high
        self.trials: dict[float, NoiseTrial] = {}

    def score(self, at: float) -> float:
        """Log evidence; minus infinity outside of the bounds and where there is none."""
        if not self.low - 1e-9 <= at <= self.high + 1e-9:
            return -np.inf
        if at not in self.trials:
            self.trials[at] = self.fitter.fit(float(np.exp(at)), list(self.trials.values()))
        return self.trials[at].score if np.isfinite(self.trials[at].score) else -np.inf

    def best(self, middle: float, step: float) -> float:
        """Best value among those a whole number of steps away, uphill from the middle."""
        score = self.score(middle)
        for way in (step, -step):
            while self.score(middle + way) > score:
                middle, score = middle + way, self.score(middle + way)
        return middle


def _quadrature(walk: _Walk, middle: float) -> GammaPosterior:
    middle = walk.best(middle, _FIRST_STEP)
    step = _step(walk, middle)
    middle = walk.best(middle, step)
    top = walk.score(middle)
    places = [middle]
    for way in (-step, step):
        for count in range(1, _MOST_STEPS + 1):
            if not walk.score(middle + count * way) > top - _MOST_LOSS:
                break
            places.append(middle + count * way)
    places.sort()
    trials = [walk.trials[place] for place in places]
    scores = np.array([trial.score for trial in trials])
    if not np.isfinite(top):
        scores = np.zeros(len(trials))
    weights = np.exp(scores - scores.max())
    kept = np.flatnonzero(weights >= _LEAST_WEIGHT * weights.sum())
    return GammaPosterior([trials[k] for k in kept], weights[kept] / weights[kept].sum())


def _step(walk: _Walk, middle: float) -> float:
    """One posterior standard deviation of log gamma, by the curvature of the log evidence, within bounds."""
    scores = [walk.score(middle + way) for way in (-_FIRST_STEP, 0.0, _FIRST_STEP)]
    if not np.isfinite(scores).all():
        return _FIRST_STEP
    curvature = (2 * scores[1] - scores[0] - scores[2]) / _FIRST_STEP**2
    return float(np.clip(1 / np.sqrt(max(curvature, 1e-6)), _LEAST_STEP, _LARGEST_STEP))
