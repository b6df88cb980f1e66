"""Which kernel, and which mode of expectation propagation: the first in which all candidates settle.

Evidences of one mode are compared with each other only; power EP has its own.
"""

from dataclasses import dataclass

import numpy as np

from ..inference.ep import MODES, EPMode, dual_ep

# Multiples of the reference value, from narrow kernels, where every mode settles, to wide ones.
_GRID = 10.0 ** np.arange(1.0, -2.01, -0.5)
_REFINEMENTS = 10.0 ** np.array([0.25, 0.125])
# The grid ends when evidences have fallen by so much (in nats) since the best one.
_LOST = 20.0


class UnsettledError(Exception):
    """A candidate did not settle, and there is a steadier mode."""


@dataclass(frozen=True)
class Trial:
    """One value of gamma: a posterior for each machine."""

    gamma: float
    posteriors: tuple

    @property
    def settled(self):
        """Whether all machines have settled."""
        return all(posterior.converged for posterior in self.posteriors)

    @property
    def score(self):
        """Log evidence, summed over machines; what has not settled has none."""
        evidence = float(sum(posterior.log_evidence for posterior in self.posteriors))
        return evidence if self.settled else -np.inf


@dataclass(frozen=True)
class Choice:
    """A kernel parameter, the mode in which it was found, and the trials that were made, the best last.

    ``rows`` are those that the trials saw.
    """

    gamma: float
    mode: EPMode
    trials: tuple
    rows: np.ndarray

    @property
    def modes(self):
        """The modes that are left to try."""
        return MODES[MODES.index(self.mode) :]

    def starts(self, rows):
        """Sites of ``rows`` to start from, for each machine: those found for some of them."""
        order = np.argsort(rows)
        places = order[np.searchsorted(rows, self.rows, sorter=order)]
        starts = [np.zeros((len(rows), 4)) for _ in self.trials[-1].posteriors]
        for sites, posterior in zip(starts, self.trials[-1].posteriors, strict=True):
            sites[places] = posterior.sites
        return starts


def choose(grams, rows, weights, likelihood, reference, gammas=None, *, tol, max_iter, report):
    """The gamma of the largest evidence, on a grid of ``gammas`` or around ``reference``.

    ``grams(gamma)`` gives the matrix C of each machine, over ``rows``.
    """

    def attempt(mode, last):
        def trial_at(gamma, previous=None):
            starts = [posterior.sites for posterior in previous.posteriors] if previous else None
            posteriors = []
            for k, C in enumerate(grams(gamma)):
                start = starts[k] if starts else None
                posteriors.append(
                    dual_ep(C, likelihood, weights, mode, start=start, tol=tol, max_iter=max_iter)
                )
                if not (posteriors[-1].converged or last):
                    raise UnsettledError
            trial = Trial(gamma, tuple(posteriors))
            report(trial)
            return trial

        trials = _around(trial_at, reference) if gammas is None else _through(trial_at, gammas)
        best = _best(trials)
        return Choice(best.gamma, mode, (*(trial for trial in trials if trial is not best), best), rows)

    return first_settled(attempt)


def first_settled(attempt, modes=MODES):
    """``attempt(mode, last)`` in the first mode without `UnsettledError`, else in the last."""
    for mode in modes[:-1]:
        try:
            return attempt(mode, False)
        except UnsettledError:
            continue
    return attempt(modes[-1], True)


def settle(C, likelihood, weights, modes, **options):
    """The posterior in the first of the modes that settles, else in the last."""

    def attempt(mode, last):
        posterior = dual_ep(C, likelihood, weights, mode, **options)
        if not (posterior.converged or last):
            raise UnsettledError
        return posterior

    return first_settled(attempt, modes)


def _through(trial_at, gammas):
    """Trials of all values, each starting from the one before."""
    trials: list[Trial] = []
    for gamma in sorted(map(float, gammas), reverse=True):
        trials.append(trial_at(gamma, trials[-1] if trials else None))
    return trials


def _around(trial_at, reference):
    """Trials on a grid, until evidences are clearly worse, and then around the best."""
    trials: list[Trial] = []
    for factor in _GRID:
        trials.append(trial_at(reference * factor, trials[-1] if trials else None))
        if trials[-1].settled and trials[-1].score < _best(trials).score - _LOST:
            break
    for step in _REFINEMENTS:
        best = _best(trials).gamma
        for gamma in (best * step, best / step):
            narrower = [trial for trial in trials if trial.gamma > gamma]
            trials.append(trial_at(gamma, min(narrower, key=lambda trial: trial.gamma, default=None)))
    return trials


def _best(trials):
    """The trial of the largest evidence; where none has one, that of the widest kernel."""
    return max(trials, key=lambda trial: (trial.score, -trial.gamma))
