"""Columns enter, leave and change their precision by the effect on the evidence (Faul & Tipping 2003)."""

from dataclasses import dataclass, replace

import numpy as np

from ..numerics import solve_lower
from .candidates import NOVELTY, dissimilar, entry_threshold, novel, shortlist
from .evidence_terms import best_precision, gain, log_evidence_term

# Smallest precision of a weight, in units of standardised columns: where classes separate, the evidence may
# rise without end as a precision falls; numerical guard.
_MIN_PRECISION = 1e-8


@dataclass(frozen=True)
class Actions:
    """Actions of one round, each with its change of the log evidence in nats at fixed sites.

    Candidates in ``add`` enter with ``add_precision``; columns of the model get a new ``precision``, infinite
    where the column leaves.
    """

    add: np.ndarray
    add_precision: np.ndarray
    add_gain: np.ndarray
    precision: np.ndarray
    gain: np.ndarray

    @property
    def n_removed(self):
        """Number of columns that leave."""
        return int(np.isinf(self.precision).sum())

    def best_only(self, precision, limit=1):
        """The best actions, at most ``limit``; the other columns keep their present ``precision``."""
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
    def is_quiet(self):
        """Whether no column enters or leaves."""
        return len(self.add) == 0 and self.n_removed == 0

    def stretched(self, precision, stride):
        """Actions whose steps from the present ``precision`` are ``stride`` times as long in logarithms."""
        ratio = np.clip(self.precision / precision, _MIN_PRECISION, 1 / _MIN_PRECISION) ** stride
        far = np.where(np.isinf(self.precision), np.inf, np.maximum(precision * ratio, _MIN_PRECISION))
        return replace(self, precision=np.append(self.precision[:1], far[1:]))

    def none(self, precision):
        """No action at all."""
        no = slice(0)
        return Actions(self.add[no], self.add_precision[no], self.add_gain[no], precision, 0.0 * self.gain)


def candidate_factors(columns, squares, Phi, posterior):
    """s and q of columns outside the model, with the squares of their entries; s is zero where a column is
    in its span."""
    b, e = posterior.sites.precision, posterior.sites.residual
    size = b @ squares
    s = size - np.square(solve_lower(posterior.factor, (Phi.T * b) @ columns)).sum(axis=0)
    return np.where(s > NOVELTY * size, s, 0.0), columns.T @ e


def active_factors(posterior, precision):
    """s and q of columns inside the model, with their own contribution taken out."""
    variances, (site_precision, site_shift) = posterior.variances, posterior.weight_sites
    s = np.maximum(1 / variances - precision - site_precision, 0.0)
    return s, posterior.mean / variances - site_shift


def choose(pool, active, blocked, Phi, posterior, prior, *, min_gain, max_added):
    """The actions of one round: enter, leave and re-estimate, all from the same sites.

    A column stays in the model when it raises the log evidence by at least ``min_gain`` nats and, where the
    prior has positive weights only, its weight is positive. Column 0 of Φ is the bias: it keeps its
    precision. Candidates in ``blocked`` stay out.
    """
    precision, half = prior.precision, prior.has_factors
    s, q = active_factors(posterior, precision)
    new_precision = np.maximum(best_precision(s, q, half), _MIN_PRECISION)
    unwanted = prior.is_positive & (q <= 0)
    new_precision[unwanted | (log_evidence_term(new_precision, s, q, half) < min_gain)] = np.inf
    new_precision[0] = precision[0]
    change = gain(precision, new_precision, s, q, half) + min_gain * np.isinf(new_precision)
    s, q = _pool_factors(pool, Phi, posterior)
    barred = np.isin(pool.candidates, np.union1d(active, blocked)) | (prior.is_positive & (q <= 0))
    gains, best = _gains(s, q, barred, half)
    add, add_precision, add_gain = _entering(pool, gains, best, Phi, min_gain, max_added)
    return Actions(add, add_precision, add_gain, new_precision, change)


def _pool_factors(pool, Phi, posterior):
    """s and q of all candidates."""
    blocks = pool.with_squares()
    factors = [candidate_factors(columns, squares, Phi, posterior) for columns, squares in blocks]
    s, q = (np.concatenate(parts) for parts in zip(*factors, strict=True))
    return s, q


def _gains(s, q, barred, half):
    """Gain in nats of every candidate at its best precision, and that precision."""
    precision = np.maximum(best_precision(s, q, half), _MIN_PRECISION)
    return np.where(barred, 0.0, gain(np.inf, precision, s, q, half)), precision


def _entering(pool, gains, precision, Phi, min_gain, max_added):
    """Candidates with the largest gains that are not too much alike, best first; precisions and gains."""
    best = shortlist(gains, max_added)
    best = best[gains[best] > entry_threshold(gains, min_gain)]
    if len(best) == 0:
        return np.empty(0, dtype=int), np.empty(0), np.empty(0)
    columns = pool.columns(pool.candidates[best])
    fresh = novel(columns, Phi[:, 1:])
    chosen = best[fresh[dissimilar(columns[:, fresh], max_added)]]
    return pool.candidates[chosen], precision[chosen], gains[chosen]
