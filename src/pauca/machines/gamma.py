"""Choosing the kernel parameter without a held-out set: by priced evidence, leave-one-out or folds."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import gammaln

from ..basis import CandidatePool, with_bias
from ..inference import latent_moments, leave_one_out
from ..learn import learn, null_model

RULES = ("evidence", "loo", "cv", "scale")
# Multiples of the reference value, from wide kernels to narrow ones.
_GRID = 10.0 ** np.arange(-2.0, 1.01, 0.5)
_REFINEMENTS = 10.0 ** np.array([0.25, 0.125])
# The grid ends when the scores since the best one have lost so much (in nats) together.
_LOST = 20.0
_N_FOLDS = 5


@dataclass(frozen=True)
class Trial:
    """One value of the parameter: the fits it gave, their score, and the weight of all rows that it saw.

    The features may have ``scales``; where all vectors share one prior, it has ``amplitudes``.
    """

    gamma: float
    fits: tuple
    score: float
    scales: np.ndarray | None = None
    weight: float = 0.0
    amplitudes: object = None

    @property
    def log_evidence(self):
        """Log evidence, summed over fits."""
        return float(sum(fit.model.log_evidence for fit in self.fits))

    @property
    def n_terms(self):
        """Number of active columns, summed over fits."""
        return sum(len(fit.model.active) for fit in self.fits)


def search(trial_at, reference, as_good):
    """The best trial on a grid around ``reference`` and between its neighbours, and all trials made.

    Of scores that differ by less than ``as_good`` nats the widest kernel is taken; it needs fewest terms.
    ``trial_at(gamma, wider)`` fits, starting from the terms of the next ``wider`` kernel, which are fewer
    than those of a narrower one. The grid runs from wide to narrow kernels and ends when scores have
    become clearly worse.
    """
    trials: list[Trial] = []
    lost = 0.0
    for factor in _GRID:
        trials.append(trial_at(reference * factor, trials[-1] if trials else None))
        best = best_of(trials)
        lost = lost + best.score - trials[-1].score if trials[-1] is not best else 0.0
        if lost > _LOST:
            break
    for step in _REFINEMENTS:
        for gamma in (best.gamma / step, best.gamma * step):
            wider = [trial for trial in trials if trial.gamma < gamma]
            trials.append(trial_at(gamma, max(wider, key=lambda trial: trial.gamma, default=None)))
        best = best_of(trials)
    as_good = [trial for trial in trials if trial.score >= best.score - as_good]
    return min(as_good, key=lambda trial: trial.gamma), trials


def best_of(trials):
    """The trial with the largest score."""
    return max(trials, key=lambda trial: trial.score)


def fit_score(rule, problem, fit, likelihood, settings, rng):
    """Score of one fit under a rule; larger is better."""
    if rule == "evidence":
        return priced_evidence(problem, fit.model)
    if rule == "loo":
        return problem.weights @ _leave_one_out_log_density(problem, fit.model, own=True)
    return cross_validated(problem, likelihood, settings, rng)


def priced_evidence(problem, model):
    """Log evidence, less what columns give to their own rows, the price of their choice, the cost of size.

    The evidence counts neither that a column exists because of the row it is centred on nor that the
    columns were picked among many. The first is the difference of the leave-one-out densities with and
    without the own column (at least that of the bias alone); the second is the logarithm of the number of
    ways to pick M of the columns that the kernel can tell apart. Nor does it mind how large weights are
    where classes separate. A hyperprior charges a lower bound for every unknown precision, that of a column
    outside the model too: what active columns paid is refunded.
    """
    plain, own = (_leave_one_out_log_density(problem, model, own) for own in (False, True))
    gift = own_gift(plain, own, _null_log_density(problem, model))
    return model.log_evidence - problem.weights @ gift - price(problem, model)


def own_gift(plain, own, null):
    """What columns give to their own rows, of leave-one-out log densities with them and without."""
    return plain - np.clip(own, np.minimum(plain, null), plain)


def price(problem, model):
    """That of the choice of its columns and of their size, less what they paid for unknown precisions."""
    n_active = len(model.active)
    refund = model.prior.column_penalty * n_active
    return subset_price(problem.pool.n_distinct, n_active) + model.size_penalty - refund


def subset_price(n_distinct, size):
    """Logarithm of the number of multisets of ``size`` out of ``n_distinct`` things."""
    return gammaln(n_distinct + size) - gammaln(size + 1) - gammaln(n_distinct)


def _leave_one_out_log_density(problem, model, own):
    """log p(y_n | the others) for each row."""
    return model.likelihood.log_predictive(problem.y, *leave_one_out_moments(problem, model, own))


def leave_one_out_moments(problem, model, own):
    """Mean and variance of each latent value without its row and, where it is its ``own``, its column."""
    return leave_one_out(model.Phi, model.posterior, _owners(problem, model) if own else None)


def _owners(problem, model):
    """For each row the column of Φ that would not be there without it, -1 where there is none.

    A row that counts twice or more has other copies to speak for its column.
    """
    basis = problem.pool.basis
    owner = np.full(basis.n_rows, -1)
    rows = basis.centre_rows[model.active]
    owner[rows[rows >= 0]] = 1 + np.flatnonzero(rows >= 0)
    return np.where(problem.weights < 2, owner, -1)


def _null_log_density(problem, model):
    """log p(y_n) for each row under the bias alone."""
    null = null_model(problem, model.likelihood)
    return null.likelihood.log_predictive(problem.y, *null.posterior.latent(null.Phi))


def cross_validated(problem, likelihood, settings, rng, n_folds=_N_FOLDS):
    """Log predictive density of held-out rows, summed over folds."""
    n = len(problem.y)
    fold = rng.permutation(n) % min(n_folds, n)
    return sum(_held_out(problem, likelihood, settings, rng, fold == k) for k in range(fold.max() + 1))


def _held_out(problem, likelihood, settings, rng, out):
    """Log predictive density of the rows ``out`` under a fit to the others and their columns."""
    pool, inside, outside = problem.pool, np.flatnonzero(~out), np.flatnonzero(out)
    basis = pool.basis
    candidates = pool.candidates[~np.isin(basis.centre_rows[pool.candidates], outside)]
    part = basis.restricted(inside, candidates)
    part_pool = CandidatePool(part, np.arange(part.n_candidates))
    part_problem = replace(problem, pool=part_pool, y=problem.y[inside], weights=problem.weights[inside])
    model = learn(part_problem, likelihood, settings, rng).predictor
    _, shift, scale = part.columns(model.active)
    held = basis.restricted(outside, candidates[model.active])
    Phi = with_bias((held.plain(np.arange(held.n_candidates)) - shift) / scale)
    mean, var = latent_moments(Phi, model.posterior.mean, model.posterior.factor)
    return problem.weights[outside] @ model.likelihood.log_predictive(problem.y[outside], mean, var)
