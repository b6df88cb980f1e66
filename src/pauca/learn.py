"""Rounds of selection and inference: the one place where basis, likelihood, prior and engine meet."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from .basis import CandidatePool, with_bias
from .inference import Posterior, expanded_at_mean, leave_one_out
from .likelihoods import Likelihood
from .priors import ARD
from .selection import Barrier, Criterion, Path, choose, judge, novel

BIAS_PRECISION = 1e-3
_START_SIZE = 10
_LONGEST_STRIDE = 8
# Coordinate ascent ends when a cycle raises the bound by less than this share of it.
_SETTLED = 1e-6
# Caution raises precisions by such steps, as many at most.
_STEP_OF_CAUTION, _MOST_STEPS = np.sqrt(2), 40
# Of what smaller weights save in `Model.size_penalty`, caution may spend so much.
_SAVINGS_SPENT = 0.5
_NOTHING = np.empty(0, dtype=int)


@dataclass(frozen=True)
class Problem:
    """What stays fixed during a search: the candidates, the targets with their weights, the engine, and
    the kind of prior, made of precisions.

    The engine of a ``pilot`` makes a search with known precisions first, where the search proper begins.
    """

    pool: CandidatePool
    y: np.ndarray
    weights: np.ndarray
    engine: Callable[..., Posterior]
    prior: Callable[..., ARD] = ARD
    pilot: Callable[..., Posterior] | None = None


@dataclass(frozen=True)
class Recipe:
    """The choice that makes a machine: likelihood to begin with, engine and kind of prior.

    Where precisions have posteriors, ``threshold`` is the mean weight below which a column is not relevant,
    and ``pilot`` may be the engine of a first search with known precisions. Predictions are made with
    precisions as large as a loss of evidence of ``caution`` nats a column allows. ``judged`` searches take
    down leave-one-out estimates of every model.
    """

    likelihood: Likelihood
    engine: Callable[..., Posterior]
    prior: Callable[..., ARD] = ARD
    threshold: float | None = None
    pilot: Callable[..., Posterior] | None = None
    caution: float = 0.0
    judged: bool = False

    def problem(self, pool, y, weights):
        """The search among the columns of a pool."""
        return Problem(pool, y, weights, self.engine, self.prior, self.pilot)


@dataclass(frozen=True)
class Model:
    """A point of the search: bias and active columns (Φ), their prior, the likelihood, the posterior."""

    active: np.ndarray
    Phi: np.ndarray
    prior: ARD
    likelihood: Likelihood
    posterior: Posterior
    cost: float = 0.0

    @property
    def log_evidence(self):
        """Log evidence of the active columns, or its lower bound where precisions are not known."""
        return self.posterior.log_evidence - self.cost

    @property
    def size_penalty(self):
        """What weights cost that make an observation nearly sure."""
        return self.prior.size_penalty(self.likelihood.saturation)


@dataclass(frozen=True)
class Settings:
    """What a column must be worth, in nats of log evidence, and when to stop.

    With a ``threshold`` the precisions have posteriors: the search is followed by updates of all of them,
    and columns with smaller mean weights leave. With a ``criterion`` the model is not the last one of the
    path but the first of those that it likes best; ``max_actions`` in a round make the path a finer one.
    ``caution`` and ``judged`` are those of the `Recipe`; ``n_scales`` of features, chosen for their fit,
    count like columns. ``first`` gives the candidates and precisions of a problem to begin with.
    """

    min_gain: float = 1e-2
    tol: float = 1e-3
    max_iter: int = 500
    threshold: float | None = None
    criterion: Criterion | None = None
    max_actions: int | None = None
    caution: float = 0.0
    n_scales: int = 0
    judged: bool = False
    first: Callable | None = None


@dataclass(frozen=True)
class Fit:
    """The model that a search has found, the way there, and at which of its rounds the model was met.

    ``cautious`` makes the model to predict with, where that is another one.
    """

    model: Model
    path: np.ndarray
    converged: bool
    chosen: int = -1
    cautious: Callable[[], Model] | None = None

    @cached_property
    def predictor(self):
        """The model to predict with."""
        return self.model if self.cautious is None else self.cautious()

    @property
    def n_iter(self):
        """Number of rounds."""
        return len(self.path) - 1

    @property
    def terms(self):
        """Active candidates and their precisions, to start another search from."""
        return self.model.active, self.model.prior.precision[1:]


def learn(problem, likelihood, settings, rng, start=None):
    """Add, delete and re-estimate columns until the evidence stops rising.

    ``start`` is a pair (candidates, precisions) to begin with; by default what the settings say, else a few
    random columns, from which the search can find columns that are of use only together.
    """
    if start is None and settings.first is not None:
        start = settings.first(problem)
    if problem.pilot is not None:
        start = _pilot_terms(problem, likelihood, settings, rng, start)
    model = start_model(problem, likelihood, *(start or _random_start(problem.pool, rng)))
    path, barrier, stride, converged = Path(settings.criterion), Barrier(), 1, False
    path.add(model, 0, 0, _judgement(problem, model, settings))
    while not converged and len(path) <= settings.max_iter:
        actions = _choose(problem.pool, barrier.blocked, model, settings)
        if settings.max_actions is not None:
            actions = actions.best_only(model.prior.precision, settings.max_actions)
        after, done, stride = _first_improvement(problem, model, actions, stride, settings)
        rise = _objective(after, settings) - _objective(model, settings)
        settled = rise < settings.tol
        converged = settled and len(actions.add) == 0 and not barrier.is_stale
        barrier = barrier.after(actions, done, settled, rise)
        model = after
        path.add(model, len(done.add), done.n_removed, _judgement(problem, model, settings))
    if settings.threshold is not None:
        model, settled = _settle(problem, model, path, settings)
        converged = converged and settled
        path.model = _unbound(problem, model)
    converged = converged and path.model.posterior.converged
    return Fit(path.model, path.records, converged, path.chosen, _caution(problem, path.model, settings))


def _pilot_terms(problem, likelihood, settings, rng, start):
    """Active candidates and their precisions after a search with known precisions."""
    pilot = replace(problem, engine=problem.pilot, prior=ARD, pilot=None)
    return learn(pilot, likelihood, replace(settings, threshold=None), rng, start).terms


def start_model(problem, likelihood, candidates, precision):
    """The model of the given candidates, with ``precision`` for each."""
    Phi = with_bias(problem.pool.columns(candidates))
    prior = problem.prior(np.concatenate([[BIAS_PRECISION], precision]))
    return _infer(problem, np.asarray(candidates, dtype=int), Phi, prior, likelihood, None)


def null_model(problem, likelihood):
    """The model of the bias alone, its likelihood re-estimated."""
    model = start_model(problem, likelihood, _NOTHING, np.empty(0))
    return start_model(problem, _reestimated(problem, model), _NOTHING, np.empty(0))


def _random_start(pool, rng):
    size = min(_START_SIZE, len(pool.candidates) // 4)
    drawn = rng.choice(pool.candidates, size, replace=False)
    columns = pool.columns(drawn)
    candidates = np.sort(drawn[novel(columns, np.empty((len(columns), 0)))])
    return candidates, np.ones(len(candidates))


def _reestimated(problem, model, accelerate=True):
    return model.likelihood.reestimate(
        problem.y, model.Phi, model.posterior, model.prior, problem.weights, accelerate
    )


def _infer(problem, active, Phi, prior, likelihood, start):
    posterior = problem.engine(likelihood, prior, Phi, problem.y, problem.weights, start)
    return Model(
        active,
        Phi,
        prior,
        likelihood,
        posterior,
        prior.bound_penalty + likelihood.bound_penalty(problem.weights),
    )


def _choose(pool, blocked, model, settings):
    return choose(
        pool,
        model.active,
        blocked,
        model.Phi,
        model.posterior,
        model.prior,
        min_gain=settings.min_gain,
        max_added=min(10, len(model.active) + 1),
    )


def _judgement(problem, model, settings):
    """What leaving out single rows says about a model, where that is wanted."""
    tail_scale = settings.criterion.tail_scale if settings.criterion else 1.0
    return judgement(model, problem.y, problem.weights, tail_scale) if settings.judged else None


def judgement(model, y, weights, tail_scale=1.0):
    """What leaving out single rows says about a model."""
    mean, var = leave_one_out(model.Phi, model.posterior)
    return judge(model.likelihood, y, weights, mean, var, tail_scale)


def _objective(model, settings):
    """Log evidence less what the columns must be worth: what no round lowers.

    What a column pays for its unknown precision it would pay outside the model too.
    """
    worth = settings.min_gain - model.prior.column_penalty
    return model.log_evidence - worth * len(model.active)


def _first_improvement(problem, model, actions, stride, settings):
    """The model after all actions, what was done, and the stride of the next round.

    Rounds that only re-estimate take ever longer strides. Should a stride lower the objective, the
    actions are carried out as they are, or only the best one; if nothing raises it the model stays.
    """
    likelihood, precision = _reestimated(problem, model), model.prior.precision
    trials = [actions, actions.best_only(precision)]
    if actions.is_quiet and stride > 1:
        trials.insert(0, actions.stretched(precision, stride))
    for trial in trials:
        after = _apply(problem, model, trial, likelihood)
        if _objective(after, settings) > _objective(model, settings):
            longer = actions.is_quiet and trial is trials[0]
            return after, trial, min(2 * stride, _LONGEST_STRIDE) if longer else 1
    return model, actions.none(precision), 1 if actions.is_quiet else stride


def _apply(problem, model, actions, likelihood):
    """The model with the actions carried out and the posterior converged again."""
    stays = np.isfinite(actions.precision)
    active = np.concatenate([model.active[stays[1:]], actions.add])
    Phi = np.hstack([model.Phi[:, stays], problem.pool.columns(actions.add)])
    prior = model.prior.with_precision(np.concatenate([actions.precision[stays], actions.add_precision]))
    start = model.posterior.warm_start(stays, len(actions.add))
    return _infer(problem, active, Phi, prior, likelihood, start)


def _settle(problem, model, path, settings):
    """Update all posteriors in turn, the columns as they are; then drop small weights, and again."""
    while True:
        model, settled = _ascend(problem, model, path, settings)
        small = np.abs(model.posterior.mean[1:]) < settings.threshold
        if not small.any():
            return model, settled
        model = _without(problem, model, small)
        path.add(model, 0, small.sum())


def _ascend(problem, model, path, settings):
    """Cycles of coordinate ascent until the bound stops rising, and whether it did."""
    for _ in range(settings.max_iter):
        least = _SETTLED * max(1.0, abs(model.log_evidence))
        after = updated(problem, model, accelerate=True)
        if after.log_evidence < model.log_evidence + least:
            after = updated(problem, model)
        rise = after.log_evidence - model.log_evidence
        if rise > 0:
            model = after
            path.add(model, 0, 0)
        if rise < least:
            return model, True
    return model, False


def updated(problem, model, accelerate=False):
    """One cycle: posteriors of precisions and noise given the weights, of the weights given those.

    It never lowers the lower bound, unless the precisions ``accelerate``.
    """
    prior, likelihood = (
        model.prior.reestimated(model.posterior, accelerate),
        _reestimated(problem, model, accelerate),
    )
    start = model.posterior.warm_start(slice(None), 0)
    return _infer(problem, model.active, model.Phi, prior, likelihood, start)


def _caution(problem, model, settings):
    """What makes the cautious model, if there is to be one; it keeps no columns of candidates alive."""
    if settings.caution == 0:
        return None
    without_columns = replace(problem, pool=CandidatePool(problem.pool.basis, _NOTHING))
    loss = settings.caution * (len(model.active) + settings.n_scales)
    return partial(_cautious, without_columns, model, loss)


def _cautious(problem, model, loss):
    """The model with larger precisions, all by one factor, at a ``loss`` of so many nats at most.

    Columns that were picked among many because they fit best have weights that are too large; where classes
    separate, far too large.
    """
    least, careful = _sound_evidence(model) - loss, model
    for _ in range(_MOST_STEPS if len(model.active) else 0):
        precision = np.append(careful.prior.precision[:1], _STEP_OF_CAUTION * careful.prior.precision[1:])
        prior, start = careful.prior.with_precision(precision), careful.posterior.warm_start(slice(None), 0)
        after = _infer(problem, model.active, model.Phi, prior, model.likelihood, start)
        if _sound_evidence(after) < least:
            break
        careful = after
    return careful


def _sound_evidence(model):
    return model.log_evidence - _SAVINGS_SPENT * model.size_penalty


def _without(problem, model, small):
    """The model without some of its columns."""
    stays = np.append(True, ~small)
    prior = model.prior.with_precision(model.prior.precision[stays])
    start = model.posterior.warm_start(stays, 0)
    return _infer(problem, model.active[~small], model.Phi[:, stays], prior, model.likelihood, start)


def _unbound(problem, model):
    """The model with the curvature of the likelihood: its bound is surer of the weights than it should be."""
    posterior = expanded_at_mean(
        model.likelihood, model.prior, model.Phi, problem.y, problem.weights, model.posterior
    )
    return replace(model, posterior=posterior)
