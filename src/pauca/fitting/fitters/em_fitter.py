"""Fitter of probabilistic classification vector machines: expectation maximisation from several starts."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from ...basis import CandidatePool, with_bias
from ...inference import WarmStart
from ...priors import ARD
from ..classes import null_moments, signs_of
from ..fitter import Fit, FitProblem, Model, Trial
from ..scores import loo_moments, penalised_evidence, selection_penalty
from .em import EMSettings, LatentState, em_search

# Largest random weight of columns that the other machine does not use; set by hand.
_SMALL = 0.05
# Posterior precision of certain weights, as a factor of the standard deviation; numerical guard.
_CERTAIN = 1e7
# Limit on the iterations of the support vector machine, whose solution need not be exact; set by hand.
_SVC_STEPS = 100_000


@dataclass(frozen=True)
class EMFitter:
    """Expectation maximisation from all candidate columns to few, the best of several starts.

    Parameters
    ----------
    problem : FitProblem
        Training rows, targets and recipe.
    settings : EMSettings
        Penalty of the weights, when to stop, whether gamma is learned.
    places : range
        Starts that are made: 0 from a relevance vector machine, 1 from a support vector machine, then random.
    first_columns, first_coef : ndarray
        Columns that a relevance vector machine keeps, and their weights, a row for each target.
    """

    problem: FitProblem
    settings: EMSettings
    places: range
    first_columns: NDArray
    first_coef: NDArray

    def fit(self, value: float, known: Sequence[Trial] = (), scales: Any = None, draw: int = 0) -> Trial:
        """Best trial, by penalised evidence, of the starts from one gamma, which are its ``restarts``."""
        problem, rng = self.problem, self.problem.rng(draw)
        basis = problem.basis_at(value)
        bases = [basis.signed(signs_of(basis, target)) for target in problem.targets]
        coef = np.zeros((len(problem.targets), basis.n_candidates))
        coef[:, self.first_columns] = self.first_coef
        drawn = CandidatePool.draw(basis, problem.limits.max_candidates, rng).candidates
        candidates = np.union1d(drawn[basis.centre_rows[drawn] >= 0], self.first_columns)
        trials = []
        every = starts(bases, candidates, problem.targets, coef, rng)
        for states in islice(every, self.places.start, self.places.stop):
            trials.append(self._trial(states, value))
            problem.report(trials[-1])
        return replace(max(trials, key=lambda trial: trial.score), restarts=tuple(trials))

    def refit(self, trial: Trial) -> Trial:
        """Trial at the gamma of another trial."""
        return self.fit(trial.gamma)

    def _trial(self, states, gamma):
        """Outcome of one start, with a Gaussian posterior at the mode that was found."""
        problem, classes = self.problem, self.problem.classes
        result = em_search(problem.basis_at, states, gamma, problem.weights, self.settings)
        basis = problem.basis_at(result.gamma)
        models = _at_mode(basis, classes, result.states, self.settings.penalty)
        converged = result.converged and all(model.posterior.converged for model in models)
        certain = [
            partial(_at_point, model, state) if self.settings.plug_in else None
            for model, state in zip(models, result.states, strict=True)
        ]
        fits = [
            Fit(model, result.path, converged, shrink=shrink)
            for model, shrink in zip(models, certain, strict=True)
        ]
        candidates = np.unique(np.concatenate([state.active for state in states]))
        pools = [CandidatePool(basis.signed(state.signs), candidates) for state in states]
        return Trial.of_fits(result.gamma, fits, _score(pools, models, classes), joint=classes.is_joint)


def _at_point(model, state):
    """Model with the weights at the mode that expectation maximisation found, taken as certain."""
    w = state.w[np.append(True, np.isin(state.active, model.active))]
    factor = _CERTAIN * np.eye(len(w))
    return replace(model, posterior=replace(model.posterior, mean=w, factor=factor))


def _score(pools, models, classes):
    """Penalised evidence of all latent functions, in nats."""
    moments = partial(_all_moments, pools, models, classes.weights)
    loo, loo_without_own = (classes.log_density(moments(without)) for without in (False, True))
    null = classes.log_density(null_moments(classes))
    log_evidence = sum(model.log_evidence for model in models)
    penalty = sum(selection_penalty(pool, model) for pool, model in zip(pools, models, strict=True))
    return float(penalised_evidence(log_evidence, loo, loo_without_own, null, classes.weights, penalty))


def _all_moments(pools, models, weights, without_own):
    pairs = zip(pools, models, strict=True)
    return [loo_moments(pool.basis, weights, model, without_own) for pool, model in pairs]


def _at_mode(basis, classes, states, penalty):
    """Models with posteriors for the precisions E[α_j]; weights that turn out negative are left out."""
    actives, begins = [state.active for state in states], [WarmStart(state.w) for state in states]
    priors = [ARD(penalty.scales(state.w) ** -2) for state in states]
    while True:
        pairs = zip(states, actives, strict=True)
        Phis = [with_bias(basis.signed(state.signs).columns(active)[0]) for state, active in pairs]
        posteriors = classes.final(priors, Phis, begins)
        stays = [np.append(True, posterior.mean[1:] > 0) for posterior in posteriors]
        if all(stay.all() for stay in stays):
            parts = zip(actives, Phis, priors, posteriors, strict=True)
            return [Model(active, Phi, prior, classes.likelihood, post) for active, Phi, prior, post in parts]
        actives = [active[stay[1:]] for active, stay in zip(actives, stays, strict=True)]
        priors = [ARD(prior.precision[stay]) for prior, stay in zip(priors, stays, strict=True)]
        begins = [posterior.warm_start(stay, 0) for posterior, stay in zip(posteriors, stays, strict=True)]


def starts(bases, candidates, targets, relevance_coef, rng):
    """Yield lists of states, one for each target: from an RVM, from an SVM, then random ones.

    ``bases`` are the signed bases of the targets, ``relevance_coef`` has the weights of their plain columns.
    """
    pairs = list(zip(bases, targets, strict=True))
    yield [
        _from_coefficients(basis, candidates, y, coef, rng)
        for (basis, y), coef in zip(pairs, relevance_coef, strict=True)
    ]
    yield [
        _from_coefficients(basis, candidates, y, _support_coef(basis, candidates, y), rng)
        for basis, y in pairs
    ]
    while True:
        yield [_at_random(basis, candidates, y, rng) for basis, y in pairs]


def _from_coefficients(basis, candidates, y, coef, rng):
    """State with the weights of another machine, small random ones in place of zero or negative ones."""
    columns, _, scale = basis.columns(candidates)
    w = (coef * basis.signs)[candidates] * np.where(np.isfinite(scale), scale, 0.0)
    w = np.append(0.0, np.where(w > 0, w, _SMALL * rng.uniform(size=len(w))))
    return LatentState(y, basis.signs, candidates, w, with_bias(columns) @ w)


def _at_random(basis, candidates, y, rng):
    """State with weights between 0.2 and 1.2 and large latent values of the right sign."""
    w = np.append(rng.normal(), rng.uniform(0.2, 1.2, size=len(candidates)))
    f = 10 * rng.uniform(size=len(y)) * y + rng.uniform(size=len(y))
    return LatentState(y, basis.signs, candidates, w, f)


def _support_coef(basis, candidates, y):
    """Weights of the plain columns in a support vector machine of the rows that candidates are centred on."""
    rows = basis.centre_rows[candidates]
    coef = np.zeros(basis.n_candidates)
    if len(np.unique(y[rows])) == 2:
        K = basis.signed(None).restricted(rows, candidates).plain(np.arange(len(candidates)))
        size = max(np.abs(np.diag(K)).mean(), np.finfo(float).tiny)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            machine = SVC(kernel="precomputed", max_iter=_SVC_STEPS).fit(K / size, y[rows])
        coef[candidates[machine.support_]] = machine.dual_coef_[0] / size
    return coef
