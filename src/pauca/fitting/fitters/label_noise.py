"""Fitter of Bayes machines, whose labels are noisy: kernel and mode of expectation propagation.

The mode is the first of a ladder, from the most exact to the steadiest, in which all trials settle.
Evidences are compared within one mode only; power EP has its own.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...inference.ep import MODES, EPMode, dual_ep, easier_sites
from ..fitter import FitProblem, Trial
from ..kernel_choice import LogSearch, maximise

# Multiples of the reference gamma, walked from one of them while the evidence rises, and the factor of the
# refinement; set by hand for the time of a fit, compared with a finer search by `benchmarks bayes`.
_SEARCH = LogSearch(10.0 ** np.arange(-2.5, 1.51, 0.5), start=5, refinements=(10.0**0.25,))
# Least and largest multiple of the reference gamma.
SEARCHED = 10.0**-2.5, 10.0**1.5


class UnsettledError(Exception):
    """A trial did not settle, and there is a steadier mode of expectation propagation."""


@dataclass(frozen=True)
class NoiseTrial(Trial):
    """Trial whose ``fits`` are posteriors over some training ``rows`` in one mode of EP, or final fits."""

    rows: NDArray = field(default_factory=lambda: np.empty(0, dtype=int))
    mode: EPMode = MODES[0]
    is_final: bool = False

    @property
    def settled(self) -> bool:
        """Whether expectation propagation settled for all latent functions."""
        return all(posterior.converged for posterior in self.fits)

    def starts(self, rows: NDArray) -> list[NDArray]:
        """Sites for each latent function to start from on other rows, zero where a row is new."""
        order = np.argsort(rows)
        places = order[np.searchsorted(rows, self.rows, sorter=order)]
        starts = [np.zeros((len(rows), 4)) for _ in self.fits]
        for start, posterior in zip(starts, self.fits, strict=True):
            start[places] = posterior.sites
        return starts


@dataclass(frozen=True)
class LabelNoiseFitter:
    """Expectation propagation for every latent function, in one mode.

    Parameters
    ----------
    problem : FitProblem
        Training rows and targets; ``basis_at(gamma)`` gives their `Gram` without labels.
    votes : list of ndarray of shape (n_rows, 2)
        Weights of the labels that agree with the targets, and of the others.
    fit_rows : callable
        Final fit of one latent function on all rows: (gram, likelihood, weights, modes, start) -> RowFit.
    tol : float
        Largest change of a site, in posterior standard deviations, at which a trial ends.
    mode : EPMode
        Mode of the trials.
    is_last : bool
        Whether the mode is the last of the ladder, in which a trial need not settle.
    known_sites : dict
        Sites by gamma from modes before, updated by every trial.
    """

    problem: FitProblem
    votes: list
    fit_rows: Callable
    tol: float
    mode: EPMode = MODES[0]
    is_last: bool = False
    known_sites: dict = field(default_factory=dict)

    def fit(self, value: float, known: Sequence[Any] = (), scales: Any = None, draw: int = 0) -> NoiseTrial:
        """Trial at one gamma, warm-started from another mode or from the nearest known gamma."""
        problem = self.problem
        likelihood: Any = problem.recipe.likelihood
        gram, rows = problem.basis_at(value), np.arange(len(problem.data.y))
        matrices = [gram.signed(target).block(rows) for target in problem.targets]
        posteriors = []
        starts = self._starts(value, known, matrices)
        for C, votes, start in zip(matrices, self.votes, starts, strict=True):
            options = {"start": start, "tol": self.tol, "max_iter": problem.limits.max_iter}
            posteriors.append(dual_ep(C, likelihood, votes, self.mode, **options))
            if not (posteriors[-1].converged or self.is_last):
                raise UnsettledError
        self.known_sites[value] = [posterior.sites for posterior in posteriors]
        settled = all(posterior.converged for posterior in posteriors)
        score = float(sum(posterior.log_evidence for posterior in posteriors)) if settled else -np.inf
        options = {"weight": problem.weights.sum(), "rows": problem.data.rows, "mode": self.mode}
        trial = NoiseTrial(value, score, score, len(rows), tuple(posteriors), **options)
        problem.report(trial)
        return trial

    def _starts(self, value, known, matrices):
        """Sites to start from: those of another mode, of the nearest gamma, or of easier problems."""
        if value not in self.known_sites:
            if known:
                nearest = min(known, key=lambda trial: abs(np.log(trial.gamma / value)))
                return [posterior.sites for posterior in nearest.fits]
            likelihood, pairs = self.problem.recipe.likelihood, zip(matrices, self.votes, strict=True)
            self.known_sites[value] = [easier_sites(C, likelihood, votes) for C, votes in pairs]
        return self.known_sites[value]

    def refit(self, trial: Any) -> NoiseTrial:
        """Final fits on this fitter's rows, at the gamma of a trial on some of them, from its mode on."""
        return self._finished(trial, trial.starts(self.problem.data.rows))

    def fit_active(self, value: float, known: Sequence[Any] = ()) -> NoiseTrial:
        """Trial at one gamma whose score is the evidence of the final fits themselves."""
        start = NoiseTrial(value, 0.0, 0.0, 0, mode=self.mode)
        trial = self._finished(start, [None] * len(self.problem.targets))
        if not (self.is_last or all(fit.converged for fit in trial.fits)):
            raise UnsettledError
        settled = all(fit.converged for fit in trial.fits)
        scored = replace(trial, score=trial.log_evidence if settled else -np.inf)
        self.problem.report(replace(scored, fits=tuple(fit.posterior for fit in trial.fits)))
        return scored

    def _finished(self, trial: NoiseTrial, starts: Sequence[Any]) -> NoiseTrial:
        """Final fits at the gamma of a trial, from given sites."""
        problem, likelihood = self.problem, self.problem.recipe.likelihood
        gram, modes = problem.basis_at(trial.gamma), MODES[MODES.index(trial.mode) :]
        parts = zip(problem.targets, self.votes, starts, strict=True)
        fits = tuple(
            self.fit_rows(gram.signed(target), likelihood, votes, modes, start)
            for target, votes, start in parts
        )
        log_evidence = float(sum(fit.posterior.log_evidence for fit in fits))
        options = {"weight": problem.weights.sum(), "rows": problem.data.rows, "mode": trial.mode}
        options["is_final"] = True
        return NoiseTrial(trial.gamma, trial.score, log_evidence, len(problem.data.y), fits, **options)


def choose_noise_kernel(
    fitter_in: Callable[[EPMode, bool], LabelNoiseFitter],
    reference: float,
    gammas: Iterable | None = None,
    *,
    of_active: bool = False,
) -> tuple[NoiseTrial, list[NoiseTrial]]:
    """Trial of the largest evidence, of some ``gammas`` or around a ``reference``, and all trials.

    ``of_active``: the evidence is that of the final fits, over active rows.
    """

    def attempt(mode, is_last):
        fitter = fitter_in(mode, is_last)
        fit = fitter.fit_active if of_active else fitter.fit
        if gammas is None:
            return maximise(fit, reference, _SEARCH)
        trials: list = []
        for gamma in sorted(map(float, gammas), reverse=True):
            trials.append(fit(gamma, trials))
        return max(reversed(trials), key=lambda trial: trial.score), trials

    return first_settled(attempt)


def first_settled(attempt: Callable[[EPMode, bool], Any], modes: Sequence[EPMode] = MODES) -> Any:
    """Result of ``attempt(mode, is_last)`` in the first mode without `UnsettledError`, else in the last."""
    for mode in modes[:-1]:
        try:
            return attempt(mode, False)
        except UnsettledError:
            continue
    return attempt(modes[-1], True)
