"""Sequential selection of columns and their prior precisions by the evidence (Faul & Tipping 2003)."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..numerics import solve_lower
from .candidates import NOVELTY, dissimilar, entry_threshold, novel, shortlist
from .evidence_terms import best_precision, evidence_gain, log_evidence_term
from .protocols import ColumnPool, GaussianPosterior, MarginalPosterior, WeightPrior

# Smallest precision of a weight, in units of standardised columns: where classes separate, the evidence may
# rise without end as a precision falls; numerical guard.
_MIN_PRECISION = 1e-8


@dataclass(frozen=True)
class Actions:
    """Actions of one round, each with its change of the log evidence in nats at fixed sites.

    Parameters
    ----------
    add : ndarray of shape (n_added,)
        Candidates that enter, best first.
    add_precision : ndarray of shape (n_added,)
        Prior precisions with which they enter.
    add_gain : ndarray of shape (n_added,)
        Changes of the log evidence in nats when they enter.
    precision : ndarray of shape (n_weights,)
        New prior precisions of the columns of the model, infinite where a column leaves.
    gain : ndarray of shape (n_weights,)
        Changes of the log evidence in nats by the new precisions.
    """

    add: NDArray
    add_precision: NDArray
    add_gain: NDArray
    precision: NDArray
    gain: NDArray

    @property
    def n_removed(self) -> int:
        """Number of columns that leave."""
        return int(np.isinf(self.precision).sum())

    def best_only(self, precision: NDArray, limit: int = 1) -> "Actions":
        """Actions with the largest gains, at most ``limit``.

        Parameters
        ----------
        precision : ndarray of shape (n_weights,)
            Present precisions, which the other columns keep.
        limit : int, default=1
            Largest number of actions.

        Returns
        -------
        Actions
        """
        gains = np.append(self.add_gain, self.gain)
        order = np.argsort(-gains, kind="stable")[:limit]
        chosen = np.isin(np.arange(len(gains)), order)
        add, only = chosen[: len(self.add)], chosen[len(self.add) :]
        return Actions(
            self.add[add],
            self.add_precision[add],
            self.add_gain[add],
            np.where(only, self.precision, precision),
            np.where(only, self.gain, 0.0),
        )

    @property
    def is_quiet(self) -> bool:
        """Whether no column enters or leaves."""
        return len(self.add) == 0 and self.n_removed == 0

    def stretched(self, precision: NDArray, stride: float) -> "Actions":
        """Actions whose changes of the log precisions are longer.

        Parameters
        ----------
        precision : ndarray of shape (n_weights,)
            Present precisions.
        stride : float
            Factor of the changes.

        Returns
        -------
        Actions
        """
        ratio = np.clip(self.precision / precision, _MIN_PRECISION, 1 / _MIN_PRECISION) ** stride
        far = np.where(np.isinf(self.precision), np.inf, np.maximum(precision * ratio, _MIN_PRECISION))
        return replace(self, precision=np.append(self.precision[:1], far[1:]))

    def none(self, precision: NDArray) -> "Actions":
        """Empty actions, by which all columns keep their precisions.

        Parameters
        ----------
        precision : ndarray of shape (n_weights,)
            Present precisions.

        Returns
        -------
        Actions
        """
        no = slice(0)
        return Actions(self.add[no], self.add_precision[no], self.add_gain[no], precision, 0.0 * self.gain)


def candidate_factors(
    columns: NDArray, squares: NDArray, Phi: NDArray, posterior: GaussianPosterior
) -> tuple[NDArray, NDArray]:
    """Sparsity and quality factors of columns outside the model.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, n_candidates)
        Candidate columns.
    squares : ndarray of shape (n_rows, n_candidates)
        Squares of their entries.
    Phi : ndarray of shape (n_rows, n_weights)
        Design matrix of the model.
    posterior : Posterior
        Posterior of the weights of the model.

    Returns
    -------
    s, q : ndarray of shape (n_candidates,)
        Sparsity factors, zero where a column lies in the span of the model, and quality factors.
    """
    b, e = posterior.sites.precision, posterior.sites.residual
    size = b @ squares
    s = size - np.square(solve_lower(posterior.factor, (Phi.T * b) @ columns)).sum(axis=0)
    return np.where(s > NOVELTY * size, s, 0.0), columns.T @ e


def active_factors(posterior: MarginalPosterior, precision: NDArray) -> tuple[NDArray, NDArray]:
    """Sparsity and quality factors of columns inside the model, without their own contribution.

    Parameters
    ----------
    posterior : Posterior
        Posterior of the weights of the model.
    precision : ndarray of shape (n_weights,)
        Prior precisions of the weights.

    Returns
    -------
    s, q : ndarray of shape (n_weights,)
        Sparsity and quality factors.
    """
    variances, (site_precision, site_shift) = posterior.variances, posterior.weight_sites
    s = np.maximum(1 / variances - precision - site_precision, 0.0)
    return s, posterior.mean / variances - site_shift


def choose_actions(
    pool: ColumnPool,
    active: ArrayLike,
    blocked: ArrayLike,
    Phi: NDArray,
    posterior: MarginalPosterior,
    prior: WeightPrior,
    *,
    min_gain: float,
    max_added: int,
) -> Actions:
    """Choose the actions of one round at fixed sites: columns enter, leave or get a new precision.

    A column stays in the model when it raises the log evidence by at least ``min_gain`` nats and, where the
    prior has positive weights only, its weight is positive.

    Parameters
    ----------
    pool : CandidatePool
        Candidate columns.
    active : array-like of shape (n_active,)
        Candidates in the model.
    blocked : array-like of shape (n_blocked,)
        Candidates that may not enter.
    Phi : ndarray of shape (n_rows, 1 + n_active)
        Design matrix of the model; column 0 is the bias, which keeps its precision.
    posterior : Posterior
        Posterior of the weights of the model.
    prior : Prior
        Prior of the weights of the model.
    min_gain : float
        Gain of the log evidence in nats that a column needs to enter and to stay.
    max_added : int
        Largest number of columns that enter.

    Returns
    -------
    Actions
    """
    precision, sign = prior.precision, prior.counts_sign
    shape = prior.has_factors or sign, sign
    s, q = active_factors(posterior, precision)
    if sign and not prior.has_factors:
        s, q = _without_factor(s, q, *prior.factor_sites(posterior.mean))
    new_precision = np.maximum(best_precision(s, q, *shape), _MIN_PRECISION)
    unwanted = prior.is_positive & (q <= 0)
    new_precision[unwanted | (log_evidence_term(new_precision, s, q, *shape) < min_gain)] = np.inf
    new_precision[0] = precision[0]
    change = evidence_gain(precision, new_precision, s, q, *shape) + min_gain * np.isinf(new_precision)
    s, q = _pool_factors(pool, Phi, posterior)
    barred = np.isin(pool.candidates, np.union1d(active, blocked)) | (prior.is_positive & (q <= 0))
    gains, best = _gains(s, q, barred, shape)
    add, add_precision, add_gain = _entering(pool, gains, best, Phi, min_gain, max_added)
    return Actions(add, add_precision, add_gain, new_precision, change)


def _pool_factors(pool: ColumnPool, Phi: NDArray, posterior: GaussianPosterior) -> tuple[NDArray, NDArray]:
    """Sparsity and quality factors of all candidates."""
    blocks = pool.with_squares()
    factors = [candidate_factors(columns, squares, Phi, posterior) for columns, squares in blocks]
    s, q = (np.concatenate(parts) for parts in zip(*factors, strict=True))
    return s, q


def _without_factor(s: NDArray, q: NDArray, precision: NDArray, shift: NDArray) -> tuple[NDArray, NDArray]:
    """Factors of active columns without the share of the prior's soft factors, whose sites are given."""
    return np.maximum(s - precision, 0.0), q - shift


def _gains(s: NDArray, q: NDArray, barred: NDArray, shape: tuple[bool, bool]) -> tuple[NDArray, NDArray]:
    """Gain in nats of every candidate at its best precision, and that precision."""
    precision = np.maximum(best_precision(s, q, *shape), _MIN_PRECISION)
    return np.where(barred, 0.0, evidence_gain(np.inf, precision, s, q, *shape)), precision


def _entering(
    pool: ColumnPool, gains: NDArray, precision: NDArray, Phi: NDArray, min_gain: float, max_added: int
) -> tuple[NDArray, NDArray, NDArray]:
    """Candidates with the largest gains that are not too similar, best first; their precisions and gains."""
    best = shortlist(gains, max_added)
    best = best[gains[best] > entry_threshold(gains, min_gain)]
    if len(best) == 0:
        return np.empty(0, dtype=int), np.empty(0), np.empty(0)
    columns = pool.columns(pool.candidates[best])
    fresh = novel(columns, Phi[:, 1:])
    chosen = best[fresh[dissimilar(columns[:, fresh], max_added)]]
    return pool.candidates[chosen], precision[chosen], gains[chosen]
