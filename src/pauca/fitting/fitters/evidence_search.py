"""Rounds of selection and inference until the evidence of the selected columns settles."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...basis import CandidatePool, PrecomputedBasis
from ...priors import ARD
from ...selection import MAX_ENTERING, Barrier, Path, choose_actions, novel
from ..classes import Binary
from ..fitter import Fit, Model
from ..recipe import BIAS_PRECISION, Limits, Recipe
from ..scores import SCALE_PENALTY, subset_penalty
from .refinement import cautious, coordinate_ascent, with_curvature_at_mean

# Random columns that a search starts from, so that it can find columns that are of use only together; set
# by hand.
_START_SIZE = 10
# Longest extrapolation of log precisions in rounds that only re-estimate; set by hand.
_MAX_STRIDE = 8
# A rise below this share of the evidence is rounding; numerical guard.
_ROUNDING = 1e-12
_NO_COLUMNS = np.empty(0, dtype=int)


@dataclass(frozen=True)
class EvidenceSearch:
    """Search among the columns of a pool for one target.

    Parameters
    ----------
    pool : CandidatePool
        Candidate columns.
    y, weights : ndarray of shape (n_rows,)
        Targets and weights of the rows.
    recipe : Recipe
        Likelihood, engine and prior.
    limits : Limits
        When columns enter and leave, and when the search stops.
    n_scales : int
        Number of learned feature scales, which count like columns where weights are shrunk.
    """

    pool: Any
    y: NDArray
    weights: NDArray
    recipe: Recipe
    limits: Limits
    n_scales: int = 0

    def run(self, rng: np.random.Generator, start: Any = None) -> Fit:
        """Add, delete and re-estimate columns until the evidence stops rising.

        ``start`` is a pair (candidates, precisions); by default that of the recipe, else a few random
        columns.
        """
        limits, recipe = self.limits, self.recipe
        model = self.model_of(*self._start(rng, start))
        path, barrier, stride, converged = Path(recipe.criterion), Barrier(), 1, not recipe.selects
        path.add(model, 0, 0, self._loo(model))
        while not converged and len(path) <= limits.max_iter:
            actions = self._actions(model, barrier.blocked)
            after, done, stride = self._first_improvement(model, actions, stride)
            rise = self.objective(after) - self.objective(model)
            settled = rise < max(limits.tol, _ROUNDING * abs(self.objective(model)))
            converged = settled and len(actions.add) == 0 and not barrier.is_stale
            barrier = barrier.after(actions, done, settled, rise)
            model = after
            path.add(model, len(done.add), done.n_removed, self._loo(model))
        if limits.min_weight is not None:
            model, settled = coordinate_ascent(self, model, path)
            converged = converged and settled
            path.model = with_curvature_at_mean(self, model)
        converged = converged and path.model.posterior.converged
        return Fit(path.model, path.records, converged, path.chosen, self._shrinkage(path))

    def _start(self, rng, start):
        """Candidates and precisions of the first model."""
        if start is None and self.recipe.initial_columns is not None:
            start = self.recipe.initial_columns(self)
        if self.recipe.warm_start_engine is not None:
            start = self._with_known_precisions().run(rng, start).terms
        return start or _random_columns(self.pool, rng)

    def _with_known_precisions(self):
        """Search with the warm-start engine, whose precisions are numbers."""
        engine = self.recipe.warm_start_engine or self.recipe.engine
        recipe = replace(self.recipe, engine=engine, prior=ARD, warm_start_engine=None)
        return replace(self, recipe=recipe, limits=replace(self.limits, min_weight=None))

    def model_of(self, candidates, precision, likelihood=None) -> Model:
        """Model of the given candidates, with ``precision`` for each."""
        Phi = self.pool.design(candidates)
        prior = self.recipe.prior(np.concatenate([[BIAS_PRECISION], precision]))
        likelihood = self.recipe.likelihood if likelihood is None else likelihood
        return self.infer(np.asarray(candidates, dtype=int), Phi, prior, likelihood, None)

    def null_model(self, likelihood=None) -> Model:
        """Model of the bias alone, its likelihood re-estimated."""
        model = self.model_of(_NO_COLUMNS, np.empty(0), likelihood)
        return self.model_of(_NO_COLUMNS, np.empty(0), self.reestimated_likelihood(model))

    def infer(self, active, Phi, prior, likelihood, start) -> Model:
        """Model with the posterior of the weights of Φ."""
        posterior = self.recipe.engine(likelihood, prior, Phi, self.y, self.weights, start)
        penalty = prior.bound_penalty + likelihood.bound_penalty(self.weights)
        return Model(active, Phi, prior, likelihood, posterior, penalty)

    def reestimated_likelihood(self, model, accelerate=True):
        """Likelihood of a model with its own parameters re-estimated."""
        arguments = self.y, model.Phi, model.posterior, model.prior, self.weights
        return model.likelihood.reestimate(*arguments, accelerate)

    def _actions(self, model, blocked):
        """Actions of one round, the best ones only where the limits say so."""
        actions = choose_actions(
            self.pool,
            model.active,
            blocked,
            model.Phi,
            model.posterior,
            model.prior,
            min_gain=self.limits.min_gain,
            max_added=min(MAX_ENTERING, len(model.active) + 1),
        )
        if self.limits.max_actions is None:
            return actions
        return actions.best_only(model.prior.precision, self.limits.max_actions)

    def _loo(self, model):
        """Leave-one-out estimates of a model, None where the recipe does not record them."""
        tail_scale = self.recipe.criterion.tail_scale if self.recipe.criterion else 1.0
        return Binary(self.recipe, self.y, self.weights).loo_estimates([model], tail_scale)

    def objective(self, model: Model) -> float:
        """Log evidence less the required gains of the columns, in nats: no round lowers it.

        The penalty of a column for its unknown precision is not counted: it would pay it outside the model
        too.
        """
        required = self.limits.min_gain - model.prior.column_penalty
        return model.log_evidence - required * len(model.active)

    def _first_improvement(self, model, actions, stride):
        """Model after all actions, the actions carried out, and the stride of the next round.

        Rounds that only re-estimate take ever longer strides. Should a stride lower the objective, the
        actions are carried out as they are, or only the best one; if nothing raises it the model stays.
        """
        likelihood, precision = self.reestimated_likelihood(model), model.prior.precision
        trials = [actions, actions.best_only(precision)]
        if actions.is_quiet and stride > 1:
            trials.insert(0, actions.stretched(precision, stride))
        for trial in trials:
            after = self._apply(model, trial, likelihood)
            if self.objective(after) > self.objective(model):
                longer = actions.is_quiet and trial is trials[0]
                return after, trial, min(2 * stride, _MAX_STRIDE) if longer else 1
        return model, actions.none(precision), 1 if actions.is_quiet else stride

    def _apply(self, model, actions, likelihood):
        """Model with the actions carried out and the posterior inferred again."""
        stays = np.isfinite(actions.precision)
        active = np.concatenate([model.active[stays[1:]], actions.add])
        Phi = np.hstack([model.Phi[:, stays], self.pool.columns(actions.add)])
        precision = np.concatenate([actions.precision[stays], actions.add_precision])
        start = model.posterior.warm_start(stays, len(actions.add))
        return self.infer(active, Phi, model.prior.with_precision(precision), likelihood, start)

    def _shrinkage(self, path):
        """Function that makes the model to predict with, None where it is the model itself."""
        recipe, model = self.recipe, path.model
        if not recipe.may_be_null and recipe.shrinkage_nats == 0:
            return None
        without_columns = replace(self, pool=self.pool.without_candidates())
        penalised = self._penalised_evidence(path.records) if recipe.may_be_null else np.inf
        loss = recipe.shrinkage_nats * (len(model.active) + self.n_scales)
        return partial(cautious, without_columns, model, penalised, loss)

    def _penalised_evidence(self, records):
        """Largest log evidence on a path less the penalties for the choice of columns and for scales."""
        sizes = records["n_terms"]
        penalised = records["log_evidence"] - subset_penalty(self.pool.n_distinct, sizes)
        return np.max(penalised, where=sizes > 0, initial=-np.inf) - SCALE_PENALTY * self.n_scales


def _random_columns(pool, rng):
    """Random candidates that repeat no other, with precision one."""
    size = min(_START_SIZE, len(pool.candidates) // 4)
    drawn = rng.choice(pool.candidates, size, replace=False)
    columns = pool.columns(drawn)
    candidates = np.sort(drawn[novel(columns, np.empty((len(columns), 0)))])
    return candidates, np.ones(len(candidates))


def select_columns(
    columns: NDArray, y: NDArray, weights: NDArray, recipe: Recipe, limits: Limits, start: Any = None
) -> tuple[Fit, NDArray, NDArray]:
    """Fit of the columns of a matrix, and the shift and scale of the active ones in their own units.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, n_columns)
        Candidate columns; no row owns one.
    y, weights : ndarray of shape (n_rows,)
        Targets and weights of the rows.
    recipe : Recipe
        Likelihood, engine and prior.
    limits : Limits
        When columns enter and leave, and when the search stops.
    start : tuple of two ndarrays or None
        Columns and precisions to start from; None: a few random columns.
    """
    basis = PrecomputedBasis(columns, np.full(columns.shape[1], -1))
    rng = np.random.default_rng(0)
    pool = CandidatePool.draw(basis, limits.max_candidates, rng)
    fit = EvidenceSearch(pool, y, weights, recipe, limits).run(rng, start)
    _, shift, scale = basis.columns(fit.model.active)
    return fit, shift, scale
