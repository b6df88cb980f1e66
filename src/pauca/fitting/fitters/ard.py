"""Fitter of machines with a precision for every weight (relevance vector machines, EPCVM, ARD)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...basis import CandidatePool, with_bias
from ...inference import column_gradient
from ..feature_scales import several_starts
from ..fitter import FitProblem, Trial
from ..kernel_choice import LogSearch
from ..scores import SCALE_PENALTY, fit_score
from .evidence_search import EvidenceSearch

# Multiples of the reference gamma from wide to narrow kernels, and factors of the refinements; chosen by
# `benchmarks regret` over all sets.
_MULTIPLES, _REFINEMENTS = 10.0 ** np.arange(-2.0, 1.01, 0.5), 10.0 ** np.array([0.25, 0.125])
# Nats that the scores since the best one may lose before the grid is left; set by hand for the time of a fit.
_PATIENCE = 20.0


@dataclass(frozen=True)
class ARDFitter:
    """Columns enter, leave and change their precisions by their effect on the evidence.

    Parameters
    ----------
    problem : FitProblem
        Training rows, targets and recipe.
    rule : str or None
        Rule that scores a gamma, where there is a choice: "evidence", "loo" or "cv".
    tie_margin : float
        Scores within this many nats count as equal, and the widest kernel among them is taken.
    """

    problem: FitProblem
    rule: str | None
    tie_margin: float

    scale_penalty = SCALE_PENALTY

    @property
    def search(self) -> LogSearch:
        """Options of the search for gamma."""
        return LogSearch(_MULTIPLES, 0, _REFINEMENTS, _PATIENCE, self.tie_margin)

    def fit(self, value: float, known: Sequence[Trial] = (), scales: Any = None, draw: int = 0) -> Trial:
        """Trial at one gamma, warm-started from the columns of the next wider kernel among the known ones."""
        problem, recipe, rng = self.problem, self.problem.recipe, self.problem.rng(draw)
        known = known if recipe.warm_starts else ()
        wider = max((t for t in known if t.gamma < value), key=lambda t: t.gamma, default=None)
        pool = CandidatePool.draw(problem.basis_at(value, scales), problem.limits.max_candidates, rng)
        n_scales = 0 if scales is None else int(problem.varies.sum())
        fits, score = [], 0.0
        for k, part in enumerate(problem.classes.parts):
            signed = problem.signed(pool, part.y)
            search = EvidenceSearch(signed, part.y, part.weights, recipe, problem.limits, n_scales)
            fit = search.run(rng, wider.fits[k].terms if wider else None)
            if self.rule:
                score += fit_score(self.rule, search, fit, rng)
            fits.append(fit)
        options = {"scales": scales, "weight": problem.weights.sum()}
        trial = Trial.of_fits(value, fits, float(score), **options)
        problem.report(trial)
        return trial

    def refit(self, trial: Trial) -> Trial:
        """Trial on all rows at the gamma and scales of a trial on a part of them."""
        return self.fit(trial.gamma, scales=trial.scales)

    def scale_starts(self, chosen: Trial, trials: Sequence[Trial]) -> list[Trial]:
        """Trials from which the search for scales starts: several widths of the kernel."""
        return several_starts(chosen, trials)

    def evidence_gradient(self, trial: Trial) -> list:
        """Log evidence of the columns of each fit and its gradient as functions of the scales."""
        problem, basis = self.problem, self.problem.basis_at(trial.gamma)
        pairs = zip(trial.fits, problem.targets, strict=True)
        return [
            _ColumnEvidence(problem.signed(basis, y), fit.model, problem.recipe.engine, y, problem.weights)
            for fit, y in pairs
            if len(fit.model.active)
        ]


class _ColumnEvidence:
    """Log evidence of the active columns of one fit and its gradient as a function of the feature scales.

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
