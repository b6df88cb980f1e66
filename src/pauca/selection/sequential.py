"""Sequential choice of basis functions by their effect on the evidence (Faul & Tipping 2003)."""

from dataclasses import dataclass, replace

import numpy as np

from ..numerics import solve_lower
from .terms import best_precision, gain, log_evidence_term

# A column whose part outside the span of the model is below this share of its size adds only rounding.
_NOVELTY = 1e-6
# Columns that enter together have gains of at least this share of the best and are less alike than this.
_SHARE_OF_BEST = 0.3
_ALIKE = 0.7
# Columns of mean zero and variance one with a larger correlation are one and the same.
_SAME = 1 - 1e-7
# Where classes separate, the evidence may rise for ever as a precision falls: it falls no further than this.
_SMALLEST = 1e-8


@dataclass(frozen=True)
class Actions:
    """What one round may do: candidates to enter, and new precisions of the columns in the model
    (infinite: the column leaves), each with its change of the log evidence at fixed sites."""

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
        """The same with the ways from the present ``precision`` to the new ones ``stride`` times as long."""
        ratio = np.clip(self.precision / precision, _SMALLEST, 1 / _SMALLEST) ** stride
        far = np.where(np.isinf(self.precision), np.inf, np.maximum(precision * ratio, _SMALLEST))
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
    return np.where(s > _NOVELTY * size, s, 0.0), columns.T @ e


def active_factors(posterior, precision):
    """s and q of columns inside the model, with their own contribution taken out."""
    variances, (site_precision, site_shift) = posterior.variances, posterior.weight_sites
    s = np.maximum(1 / variances - precision - site_precision, 0.0)
    return s, posterior.mean / variances - site_shift


def choose(pool, active, blocked, Phi, posterior, prior, *, min_gain, max_added):
    """The actions of one round: enter, leave and re-estimate, all from the same sites.

    A column is in the model when it is worth at least ``min_gain`` of log evidence and, where the prior
    wants positive weights, its weight is one. Column 0 of Φ is the bias: it keeps its precision.
    Candidates in ``blocked`` stay out.
    """
    precision, half = prior.precision, prior.has_factors
    s, q = active_factors(posterior, precision)
    new_precision = np.maximum(best_precision(s, q, half), _SMALLEST)
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
    """What every candidate would bring at its best precision, and that precision."""
    precision = np.maximum(best_precision(s, q, half), _SMALLEST)
    return np.where(barred, 0.0, gain(np.inf, precision, s, q, half)), precision


def _entering(pool, gains, precision, Phi, min_gain, max_added):
    """Candidates with the largest gains that are not too much alike, best first; precisions and gains."""
    threshold = max(min_gain, _SHARE_OF_BEST * gains.max(initial=0.0))
    shortlist = np.argsort(-gains, kind="stable")[: 4 * max_added]
    shortlist = shortlist[gains[shortlist] > threshold]
    if len(shortlist) == 0:
        return np.empty(0, dtype=int), np.empty(0), np.empty(0)
    columns = pool.columns(pool.candidates[shortlist])
    fresh = novel(columns, Phi[:, 1:])
    chosen = shortlist[fresh[unlike(columns[:, fresh], max_added)]]
    return pool.candidates[chosen], precision[chosen], gains[chosen]


def novel(columns, known):
    """Indices of the columns, in order, that repeat neither a known column nor an earlier one."""
    n_rows, n_known = known.shape
    everything = np.hstack([known, columns])
    same = np.abs(everything.T @ everything) > n_rows * _SAME
    repeats = np.triu(same, 1).any(axis=0)[n_known:]
    return np.flatnonzero(~repeats & (np.square(columns).sum(axis=0) > 0))


def unlike(columns, limit):
    """Indices of up to ``limit`` columns, in order, whose mutual correlations stay below the bound."""
    correlation = np.abs(columns.T @ columns) / len(columns)
    kept: list[int] = []
    for j in range(len(correlation)):
        if len(kept) < limit and correlation[j, kept].max(initial=0.0) < _ALIKE:
            kept.append(j)
    return kept
