"""Scores by which kernels are compared: penalised evidence, leave-one-out, cross-validation; all in nats."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from ..basis import CandidatePool, with_bias
from ..inference import latent_moments, leave_one_out
from .fitter import Fit, Model

# Number of folds of cross-validated scores; customary.
_N_FOLDS = 5
# Rise of the penalised evidence, in nats for each scale, that feature scales must bring; chosen by test
# log-loss on half splits 0-11 of about 15 sets.
SCALE_PENALTY = 1.5


def fit_score(rule: str, search: Any, fit: Fit, rng: np.random.Generator) -> float:
    """Score of the fit of an `EvidenceSearch` under a rule: "evidence", "loo" or "cv"; larger is better."""
    if rule == "evidence":
        return _penalised_fit(search, fit.model)
    if rule == "loo":
        return search.weights @ _loo_log_density(search, fit.model, without_own=True)
    return cross_validated(search, rng)


def _penalised_fit(search, model):
    """Penalised evidence of a model."""
    loo, loo_without_own = (_loo_log_density(search, model, without) for without in (False, True))
    null = search.null_model(model.likelihood)
    null_density = null.likelihood.log_predictive(search.y, *null.posterior.latent(null.Phi))
    densities = loo, loo_without_own, null_density
    penalty = selection_penalty(search.pool, model)
    return penalised_evidence(model.log_evidence, *densities, search.weights, penalty)


def penalised_evidence(
    log_evidence: float,
    loo: NDArray,
    loo_without_own: NDArray,
    null: NDArray,
    weights: NDArray,
    penalty: float,
) -> float:
    """Log evidence less the self-influence of the columns and the penalty for their choice and size.

    The evidence counts neither that a column exists because of the row it is centred on nor that the columns
    were picked among many.

    Parameters
    ----------
    log_evidence : float
        Log evidence of all latent functions.
    loo, loo_without_own : ndarray of shape (n_rows,)
        Leave-one-out log densities of the rows, with and without the column centred on the row.
    null : ndarray of shape (n_rows,)
        Log densities in the model without columns.
    weights : ndarray of shape (n_rows,)
        Weights of the rows.
    penalty : float
        `selection_penalty`, summed over latent functions.
    """
    return log_evidence - weights @ self_influence(loo, loo_without_own, null) - penalty


def self_influence(loo: NDArray, loo_without_own: NDArray, null: NDArray) -> NDArray:
    """Log density in nats that each row gains from its own column, bounded by the null model."""
    return loo - np.clip(loo_without_own, np.minimum(loo, null), loo)


def selection_penalty(pool: CandidatePool, model: Model) -> float:
    """Penalty in nats for the choice of the columns and for large weights, less what unknown precisions paid.

    A hyperprior charges a lower bound for every unknown precision, also that of a column outside the model:
    what active columns paid is given back.
    """
    n_active = len(model.active)
    paid = model.prior.column_penalty * n_active
    return subset_penalty(pool.n_distinct, n_active) + model.size_penalty - paid


def subset_penalty(n_distinct: float, size: Any) -> Any:
    """Logarithm of the number of multisets of columns.

    Parameters
    ----------
    n_distinct : float
        Number of distinguishable columns.
    size : int or ndarray of int
        Number of columns of a multiset.
    """
    return gammaln(n_distinct + size) - gammaln(size + 1) - gammaln(n_distinct)


def _loo_log_density(search, model, without_own):
    """log p(y_n | the others) for each row."""
    moments = loo_moments(search.pool.basis, search.weights, model, without_own)
    return model.likelihood.log_predictive(search.y, *moments)


def loo_moments(basis: Any, weights: NDArray, model: Model, without_own: bool) -> tuple[NDArray, NDArray]:
    """Mean and variance of each latent value without its row and, on request, its own column."""
    owners = _owners(basis, weights, model) if without_own else None
    return leave_one_out(model.Phi, model.posterior, owners)


def _owners(basis, weights, model):
    """For each row the column of Φ that would not exist without it, -1 where there is none.

    The column of a row that counts twice or more would exist without one of its copies.
    """
    owner = np.full(basis.n_rows, -1)
    rows = basis.centre_rows[model.active]
    owner[rows[rows >= 0]] = 1 + np.flatnonzero(rows >= 0)
    return np.where(weights < 2, owner, -1)


def cross_validated(search: Any, rng: np.random.Generator, n_folds: int = _N_FOLDS) -> float:
    """Log predictive density of held-out rows, summed over folds."""
    n = len(search.y)
    fold = rng.permutation(n) % min(n_folds, n)
    return sum(_held_out(search, rng, fold == k) for k in range(fold.max() + 1))


def _held_out(search, rng, out):
    """Log predictive density of the rows ``out`` under a fit to the others and their columns."""
    pool, inside, outside = search.pool, np.flatnonzero(~out), np.flatnonzero(out)
    basis = pool.basis
    candidates = pool.candidates[~np.isin(basis.centre_rows[pool.candidates], outside)]
    part = basis.restricted(inside, candidates)
    part_pool = CandidatePool(part, np.arange(part.n_candidates))
    inner = replace(search, pool=part_pool, y=search.y[inside], weights=search.weights[inside])
    model = inner.run(rng).predictor
    _, shift, scale = part.columns(model.active)
    held = basis.restricted(outside, candidates[model.active])
    Phi = with_bias((held.plain(np.arange(held.n_candidates)) - shift) / scale)
    mean, var = latent_moments(Phi, model.posterior.mean, model.posterior.factor)
    return search.weights[outside] @ model.likelihood.log_predictive(search.y[outside], mean, var)
