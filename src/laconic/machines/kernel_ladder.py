"""Which kernel, and which mode of expectation propagation: the first in which all candidates settle.

Evidences of one mode are compared with each other only; power EP has its own.
"""

from dataclasses import dataclass

import numpy as np

from ..inference.ep import MODES, EPMode, dual_ep, easier_sites

# The climb goes in steps of this factor, and so many of them at most to wider and to narrower kernels.
_FACTOR = 10.0**0.5
_WIDEST, _NARROWEST = -4, 2
# The vertex of a parabola is tried if it is at least this part of a step away from what was.
_LEAST_STEP = 0.1


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


def choose(grams, rows, weights, likelihood, reference, gammas=None, *, tol, max_iter, report):
    """The gamma of the largest evidence, on a grid of ``gammas`` or around ``reference``.

    ``grams(gamma)`` gives the matrix C of each machine, over ``rows``.
    """
    first = reference if gammas is None else float(max(gammas))
    # Sites to start from, by gamma: of easier problems, then of the mode before.
    found = {first: [easier_sites(C, likelihood, weights) for C in grams(first)]}

    def attempt(mode, last):
        def trial_at(gamma, previous=None):
            starts = found.get(gamma) or previous.sites
            posteriors = []
            for C, start in zip(grams(gamma), starts, strict=True):
                posteriors.append(
                    dual_ep(C, likelihood, weights, mode, start=start, tol=tol, max_iter=max_iter)
                )
                if not (posteriors[-1].converged or last):
                    raise UnsettledError
            trial = Trial(gamma, tuple(posteriors))
            found[gamma] = trial.sites
            report(trial)
            return trial

        trials = _climb(trial_at, reference) if gammas is None else _through(trial_at, gammas)
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


def _climb(trial_at, reference):
    """Trials from the reference to wider kernels, or else to narrower ones, until the evidence falls, and one
    at the vertex of the parabola through the best and its neighbours.
    """
    trials = {0: trial_at(reference)}
    for direction, end in ((-1, _WIDEST), (1, _NARROWEST)):
        place = 0
        while place != end and not _fallen(trials[place], trials.values()):
            place += direction
            trials[place] = trial_at(reference * _FACTOR**place, trials[place - direction])
        if _best(trials.values()).score > trials[0].score:
            break
    top = max(trials, key=lambda place: trials[place].score)
    scores = [trials[place].score if place in trials else -np.inf for place in (top - 1, top, top + 1)]
    aside = _vertex(*scores) if np.isfinite(scores).all() else 0.0
    if abs(aside) < _LEAST_STEP:
        return list(trials.values())
    return [*trials.values(), trial_at(reference * _FACTOR ** (top + aside), trials[top])]


def _fallen(trial, trials):
    """Whether its evidence is less than another; what has not settled tells nothing."""
    return trial.settled and trial.score < _best(trials).score


def _vertex(left, middle, right):
    """Where the parabola through values at −1, 0, 1 has its vertex."""
    curvature = left - 2 * middle + right
    return 0.5 * (left - right) / curvature if curvature < 0 else 0.0


def _best(trials):
    """The trial of the largest evidence; where none has one, that of the widest kernel."""
    return max(trials, key=lambda trial: (trial.score, -trial.gamma))
