"""A scale for every feature, where the evidence speaks clearly for it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
from scipy import sparse
from scipy.optimize import minimize

from ..basis import with_bias
from ..inference import column_gradient
from .gamma import best_of

# Before any data the logarithms of the squared scales vary so much around their mean.
_SPREAD = 1.5
# What all scales must be worth at least, in nats, to be better than one for all features; times the root of
# the number of machines of a many-class problem, which see the same rows.
_LEAST_WORTH = 10.0
# Climbs at a given set of columns; their steps, and after how many of them hope is weighed.
_MOST_CLIMBS, _MOST_STEPS, _FIRST_STEPS = 2, 15, 4
# How many times narrower the chosen kernel is, about, than the wide one to start from.
_WIDER = 10.0
# A first climb must promise to lead above the best trial; new columns gain as much again, about.
_PROMISE = 2.0
# Limits of the logarithms of the squared scales.
_LIMITS = (-8.0, 5.0)
# Columns and scales together may be as many as this share of the rows.
_MOST_LEARNED = 0.5


def tuned(chosen, starts, climbs):
    """The chosen trial, or one with scales that is better by what they must be worth; and trials with scales.

    ``climbs`` start from each of the trials ``starts``.
    """
    best, tries = chosen, []
    for start in starts:
        tries += climbs.of(start, best)
        best = best_of([best, *tries])
    return best, tries


def places_to_start(chosen, trials):
    """The chosen kernel, a wider one, and that of the largest evidence before any price, which is narrow.

    Where most features say nothing the best kernel with one scale may be too narrow or too wide to show what
    the others say.
    """
    wide = min(trials, key=lambda trial: abs(np.log(_WIDER * trial.gamma / chosen.gamma)))
    narrow = max(trials, key=lambda trial: trial.log_evidence)
    return list({start.gamma: start for start in (wide, chosen, narrow)}.values())


def varying(X):
    """Which features have more than one value: the others need no scale."""
    if sparse.issparse(X):
        return (X.max(axis=0) - X.min(axis=0)).toarray().ravel() > 0
    return np.ptp(X, axis=0) > 0


@dataclass(frozen=True)
class Climbs:
    """Scales climb the evidence of the active columns; with the new scales columns are selected again.

    ``descent_of(trial)`` gives a function of the logarithms of squared scales: penalty less evidence, and its
    gradient. ``trial_at(gamma, scales=..., draw=...)`` selects, among other candidates where there are more
    than enough. Features that ``varies`` names get scales, if each is ``worth`` so much.
    """

    trial_at: Callable
    descent_of: Callable
    varies: np.ndarray
    worth: float

    def of(self, start, best):
        """Trials on the way up, as long as there are enough rows for their columns and scales; none if the
        first climb promises less than ``best``."""
        n_scales = self.varies.sum()
        price = np.sqrt(len(start.fits)) * max(self.worth * n_scales, _LEAST_WORTH)
        last = replace(start, scales=np.ones(len(self.varies)))
        needed = (best.score + price - start.score) / _PROMISE
        tries: list = []
        for draw in range(1, 1 + _MOST_CLIMBS):
            logs, rise = self._climb(last, -np.inf if tries else needed)
            if not tries and rise < needed:
                break
            size = np.exp(logs).mean()
            scales = _scales(logs - np.log(size), self.varies)
            trial = self.trial_at(last.gamma * size, scales=scales, draw=draw)
            last = replace(trial, score=trial.score - price - _penalty(logs))
            if max(len(fit.model.active) for fit in trial.fits) + n_scales > _MOST_LEARNED * trial.weight:
                break
            tries.append(last)
        return tries

    def _climb(self, trial, needed):
        """Logarithms of squared scales some steps uphill, and by how much evidence less penalty has risen.

        The climb is given up when its first steps are far from what is ``needed``.
        """
        descent = self.descent_of(trial)
        logs = 2 * np.log(trial.scales[self.varies])
        before, n_steps = descent(logs)[0], count(1)

        def give_up(intermediate_result):
            if next(n_steps) == _FIRST_STEPS and before - intermediate_result.fun < needed / 2:
                raise StopIteration

        found = minimize(
            descent,
            logs,
            jac=True,
            method="L-BFGS-B",
            bounds=[_LIMITS] * len(logs),
            callback=give_up,
            options={"maxiter": _MOST_STEPS},
        )
        return found.x, before - found.fun


def _scales(logs, varies):
    """The scales of all features, one for those that need none."""
    scales = np.ones(len(varies))
    scales[varies] = np.exp(0.5 * logs)
    return scales


def _penalty(logs):
    """Minus the log prior of the logarithms of the squared scales, up to a constant."""
    return 0.5 * np.square(logs - logs.mean()).sum() / _SPREAD**2


def descent(evidences, varies):
    """Penalty less evidence, and its gradient, as a function of the logarithms of squared scales.

    Each of the ``evidences``, one a machine, gives log evidence and gradient for scales of all features.
    """

    def function(logs):
        value, gradient = _penalty(logs), (logs - logs.mean()) / _SPREAD**2
        for evidence in evidences:
            log_evidence, slopes = evidence(_scales(logs, varies))
            value, gradient = value - log_evidence, gradient - slopes[varies]
        return value, gradient

    return function


class ColumnEvidence:
    """Log evidence of the active columns of one machine, and its slopes, as a function of scales.

    The precisions of the weights stay as they are.
    """

    def __init__(self, basis, model, engine, y, weights):
        self.basis, self.model, self.engine, self.y, self.weights = basis, model, engine, y, weights
        self.start = model.posterior.warm_start(slice(None), 0)

    def __call__(self, scales):
        model, basis = self.model, self.basis.rescaled(scales)
        Phi = with_bias(basis.columns(model.active)[0])
        posterior = self.engine(model.likelihood, model.prior, Phi, self.y, self.weights, self.start)
        self.start = posterior.warm_start(slice(None), 0)
        gradient = basis.scale_gradient(model.active, column_gradient(Phi, posterior)[:, 1:])
        return posterior.log_evidence, gradient
