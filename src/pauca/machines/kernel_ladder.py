"""Which kernel, and which mode of expectation propagation: the first in which all candidates settle.

Evidences of one mode are compared with each other only; power EP has its own.
"""

from dataclasses import dataclass

import numpy as np

from ..inference.ep import MODES, EPMode, dual_ep, easier_sites

# The first step of the climb is half a step of this factor; so many go to narrower and to wider kernels.
_FACTOR, _N_NARROWER, _N_WIDER = 10.0**0.5, 3, 5
# Change of log gamma by which slopes are measured.
_NUDGE = 1e-4


class UnsettledError(Exception):
    """A candidate did not settle, and there is a steadier mode."""


@dataclass(frozen=True)
class Trial:
    """One value of gamma: a posterior for each machine."""

    gamma: float
    posteriors: tuple

    @property
    def sites(self):
        """Of each machine."""
        return [posterior.sites for posterior in self.posteriors]

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
        for start, sites in zip(starts, self.trials[-1].sites, strict=True):
            start[places] = sites
        return starts


def choose(grams, rows, weights, likelihood, reference, gammas=None, *, report, **options):
    """The gamma of the largest evidence, on a grid of ``gammas`` or around ``reference``.

    ``grams(gamma)`` gives the matrix C of each machine, over ``rows``; ``options`` are those of `dual_ep`.
    """
    search = _Search(grams, weights, likelihood, options)

    def attempt(mode, last):
        def trial_at(gamma, previous=None):
            trial = search.trial(gamma, previous, mode, last)
            report(trial)
            return trial

        trials = _climb(trial_at, search.slope, reference) if gammas is None else _through(trial_at, gammas)
        best = _best(trials)
        return Choice(best.gamma, mode, (*(trial for trial in trials if trial is not best), best), rows)

    return first_settled(attempt)


class _Search:
    """Trials of one problem, which keep matrices and sites by gamma for the next mode."""

    def __init__(self, grams, weights, likelihood, options):
        self.grams, self.weights, self.likelihood, self.options = grams, weights, likelihood, options
        self.matrices: dict[float, list] = {}
        self.sites: dict[float, list] = {}

    def trial(self, gamma, previous, mode, last):
        """One value of gamma; raises if a machine does not settle, unless the mode is the last."""
        if gamma not in self.matrices:
            self.matrices[gamma] = list(self.grams(gamma))
        posteriors = []
        for C, start in zip(self.matrices[gamma], self._starts(gamma, previous), strict=True):
            posteriors.append(dual_ep(C, self.likelihood, self.weights, mode, start=start, **self.options))
            if not (posteriors[-1].converged or last):
                raise UnsettledError
        trial = Trial(gamma, tuple(posteriors))
        self.sites[gamma] = trial.sites
        return trial

    def _starts(self, gamma, previous):
        """Sites of the mode before, of the previous gamma, or else of easier problems, for all modes."""
        if gamma not in self.sites:
            if previous:
                return previous.sites
            easier = (easier_sites(C, self.likelihood, self.weights) for C in self.matrices[gamma])
            self.sites[gamma] = list(easier)
        return self.sites[gamma]

    def slope(self, trial):
        """Of the evidence by log gamma."""
        nudged = self.grams(trial.gamma * np.exp(_NUDGE))
        parts = zip(trial.posteriors, self.matrices[trial.gamma], nudged, strict=True)
        return sum(posterior.slope(C, more - C) for posterior, C, more in parts) / _NUDGE


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


def _climb(trial_at, slope_of, reference):
    """Trials uphill from the reference until the evidence turns down, and one where its slope would be none.

    Where nothing settles on the way, the other way too.
    """
    trials = [trial_at(reference)]
    slope_here = slope_of(trials[0])
    uphill = 1 if slope_here > 0 else -1
    for way in (uphill, -uphill):
        last, slope = trials[0], slope_here
        for place in range(_N_NARROWER if way > 0 else _N_WIDER):
            before, slope_before = last, slope
            last = trial_at(reference * _FACTOR ** (way * (place + 0.5)), before)
            slope = slope_of(last)
            trials.append(last)
            if last.settled and (slope * way < 0 or last.score < before.score):
                break
        if any(trial.settled for trial in trials):
            break
    share = _root(slope_before, slope)
    if before.settled and last.settled and 0 < share < 1:
        nearest = before if share < 0.5 else last
        trials.append(trial_at(before.gamma * (last.gamma / before.gamma) ** share, nearest))
    return trials


def _root(start, end):
    """Where the line through values at 0 and 1 is nought."""
    return start / (start - end) if start != end else np.inf


def _best(trials):
    """The trial of the largest evidence; where none has one, that of the widest kernel."""
    return max(trials, key=lambda trial: (trial.score, -trial.gamma))
