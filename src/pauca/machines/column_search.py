"""Machines that give every weight a precision of its own: which columns, and which kernel."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..basis import CandidatePool
from ..learn import Settings, learn
from . import gamma as kernel_parameter
from .feature_scales import Climbs, ColumnEvidence, descent, places_to_start
from .rows_and_targets import RowsAndTargets

# What a scale of a feature must be worth, in nats of priced evidence.
_WORTH_OF_SCALES = 1.5


@dataclass(frozen=True)
class ColumnSearch:
    """Columns enter, leave and get other precisions by their effect on the evidence.

    ``rule`` says how a gamma is judged, where there is a choice; of scores that differ by less than
    ``as_good`` nats the widest kernel is taken.
    """

    given: RowsAndTargets
    settings: Settings
    rule: str | None
    as_good: float

    def at(self, gamma, previous=None, scales=None, draw=0):
        """The trial of one gamma.

        It starts from the terms of a ``previous`` one, with another ``draw`` of candidates where there are
        more than enough.
        """
        given, recipe = self.given, self.given.recipe
        settings = replace(self.settings, n_scales=0 if scales is None else int(given.varies.sum()))
        rng = np.random.default_rng(given.seed + draw)
        pool = CandidatePool.draw(given.basis_at(gamma, scales), given.max_candidates, rng)
        fits, score = [], 0.0
        for k, target in enumerate(given.targets):
            problem = recipe.problem(given.signed(pool, target), target, given.weights)
            start = previous.fits[k].terms if previous else None
            fit = learn(problem, recipe.likelihood, settings, rng, start)
            if self.rule:
                score += kernel_parameter.fit_score(self.rule, problem, fit, recipe.likelihood, settings, rng)
            fits.append(fit)
        trial = kernel_parameter.Trial(gamma, tuple(fits), float(score), scales, given.weights.sum())
        given.report(trial)
        return trial

    def around(self, reference):
        """The best trial for values of gamma around a ``reference``, and all trials."""
        return kernel_parameter.search(self.at, reference, self.as_good)

    def again(self, chosen):
        """The trial of what was chosen on a part of the rows."""
        return self.at(chosen.gamma, scales=chosen.scales)

    def starts(self, chosen, trials):
        """From where to climb to better scales."""
        return places_to_start(chosen, trials)

    def climbs(self):
        """Climbs to better scales."""
        return Climbs(self.at, self._descent_of, self.given.varies, _WORTH_OF_SCALES)

    def _descent_of(self, trial):
        given, basis = self.given, self.given.basis_at(trial.gamma)
        evidence = partial(ColumnEvidence, engine=given.recipe.engine, weights=given.weights)
        pairs = zip(trial.fits, given.targets, strict=True)
        return descent(
            [evidence(given.signed(basis, y), fit.model, y=y) for fit, y in pairs if len(fit.model.active)],
            given.varies,
        )
