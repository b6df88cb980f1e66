"""Statistical rule of early exit: leads that are enough, learned on rows that the trees were not trained on.

On a quarter of the calibration rows, the leads after r rounds of rows whose class still changes give a scale
for each round. The rule stops once the lead exceeds a multiple of it. The other rows test multiples from the
largest down, each by the Clopper-Pearson bound on its share of rows whose class differs from that of all
trees, up to the first that fails. Since the order is fixed, the share of disagreement on new rows from the
same source is below the bound of the multiple kept with probability ``1 - risk`` over the calibration rows
(fixed-sequence testing).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta
from sklearn.isotonic import IsotonicRegression

from .additive_trees import AdditiveTrees

# Multiples of the scale that are tested, from the largest down. Set by hand.
_MULTIPLES = np.geomspace(30.0, 0.1, 90)
# Share of the calibration rows that give the scales, rows added to each round, and the share of the rounds
# after which the scale stays. Chosen on three sets (adult, magic, letter), one split each.
_SHARE, _PRIOR_ROWS, _LAST_SCALE = 0.25, 20, 0.9
# Entries (rows times rounds) that are traced at most. Set by hand.
_MAX_ENTRIES = 40_000_000


# Memory of the mean absolute contribution of the last trees, and most entries that are traced for numbers.
# Set by hand.
_MEMORY, _MAX_VALUES = 0.9, 10_000_000


@dataclass(frozen=True)
class Calibration:
    """Leads that are enough, shape (n_rounds + 1,), and what is known of the disagreement.

    ``bound`` is the upper confidence bound on the share of rows whose class differs from that of all trees,
    0 where no multiple passed and only the exact certificate is used; ``n_rows`` tested it.
    """

    leads: NDArray
    multiple: float
    bound: float
    n_rows: int


@dataclass(frozen=True)
class ValueCalibration:
    """When numbers are known, by trees evaluated, and what is known of those that are not.

    A row stops once its ``motion``, the mean absolute contribution of its last trees (of ``memory``), times
    ``scale`` is within the tolerance; ``shift`` is what the other trees add on average. ``bound`` is the
    upper confidence bound on the share of rows beyond the tolerance, 0 where no multiple passed; ``n_rows``
    tested it.
    """

    scale: NDArray
    shift: NDArray
    tolerance: float
    bound: float
    n_rows: int
    memory: float = _MEMORY


def clopper_pearson(n_wrong: int, n_rows: int, risk: float) -> float:
    """Upper confidence bound of a share: ``n_wrong`` of ``n_rows`` are observed (Clopper & Pearson 1934)."""
    return 1.0 if n_wrong >= n_rows else float(beta.ppf(1 - risk, n_wrong + 1, n_rows - n_wrong))


def calibrate(trees: AdditiveTrees, X: NDArray, confidence: float, risk: float) -> Calibration:
    """Leads that are enough for agreement with all trees at least ``confidence``; see the module."""
    leaders, leads = _traced(trees, X[: max(2, _MAX_ENTRIES // trees.n_rounds)])
    n_first = max(1, int(_SHARE * len(leaders)))
    scale = _scales(leaders[:n_first], leads[:n_first])
    leaders, leads = leaders[n_first:], leads[n_first:]
    running = _running_ratio(leads, scale)
    found = Calibration(np.full(trees.n_rounds + 1, np.inf), np.inf, 0.0, len(leads))
    for multiple in _MULTIPLES:
        stop = np.minimum((running <= multiple).sum(axis=1), trees.n_rounds - 1)
        wrong = int(np.sum(leaders[np.arange(len(stop)), stop] != leaders[:, -1]))
        bound = clopper_pearson(wrong, len(leads), risk)
        if bound > 1 - confidence:
            break
        enough = np.concatenate([[np.inf], multiple * scale])
        found = Calibration(enough, float(multiple), bound, len(leads))
    return found


def calibrate_values(
    trees: AdditiveTrees, X: NDArray, exponential: bool, tolerance: float, confidence: float, risk: float
) -> ValueCalibration:
    """Rule for numbers: within the tolerance of all trees' on a share ``confidence`` of the rows.

    As for classes, a quarter of the rows give the scale, the others test multiples of it in a fixed order.
    """
    scores, motions = _traced_values(trees, X[: max(2, _MAX_VALUES // trees.n_trees)])
    n_first = max(1, int(_SHARE * len(scores)))
    left = scores[:n_first, -1:] - scores[:n_first]
    shift = left.mean(axis=0)
    scale = _value_scales(left - shift, motions[:n_first])
    estimates, steps = scores[n_first:] + shift, motions[n_first:] * scale
    if exponential:
        estimates = np.exp(estimates)
        steps = steps * estimates
    wrong = np.abs(estimates - estimates[:, -1:]) > tolerance
    running = np.minimum.accumulate(steps, axis=1)
    never = np.full(trees.n_trees + 1, np.inf)
    found = ValueCalibration(never, np.zeros(len(never)), tolerance, 0.0, len(steps))
    for multiple in _MULTIPLES:
        stop = np.minimum((multiple * running > tolerance).sum(axis=1), trees.n_trees - 1)
        bound = clopper_pearson(int(wrong[np.arange(len(stop)), stop].sum()), len(stop), risk)
        if bound > 1 - confidence:
            break
        enough = np.concatenate([[np.inf], multiple * scale])
        found = ValueCalibration(enough, np.concatenate([[0.0], shift]), tolerance, bound, len(stop))
    return found


def _value_scales(left, motions):
    """Root mean square of what the other trees add beyond its mean, in units of that of the motion."""
    tiny = np.finfo(float).tiny
    squares = np.square(left).mean(axis=0) / np.maximum(np.square(motions).mean(axis=0), tiny)
    scale = np.sqrt(squares)
    return np.maximum(scale, scale[int(_LAST_SCALE * (len(scale) - 1))])


def _traced_values(trees, X):
    """Score and motion of every row after each tree."""
    from .compiled_bounds import trace_values  # imports numba

    scores, motions = np.empty((2, len(X), trees.n_trees))
    general = trees.general or bool(np.isnan(X).any())
    trace_values(trees.parts, trees.roots, trees.base[0], X, general, _MEMORY, scores, motions)
    return scores, motions


def _traced(trees, X):
    """Leader and lead of every row after each round."""
    from .compiled_sums import trace  # imports numba

    shape = len(X), trees.n_rounds
    leaders, leads = np.empty(shape, dtype=np.int16), np.empty(shape, dtype=np.float32)
    general = trees.general or bool(np.isnan(X).any())
    trace(trees.parts, trees.roots, trees.outputs, trees.base, X, general, leaders, leads)
    return leaders, leads


def _scales(leaders, leads):
    """Root mean squared lead by round of the rows whose class still changes, smoothed and never rising.

    Each round is given a few rows more, with a quarter of the mean squared change of the smaller half of the
    leads; the last rounds take the scale of the one at the start of the last tenth.
    """
    changes = leaders != leaders[:, -1:]
    final = np.where(changes, -1.0, 1.0) * leads[:, -1:]
    close = leads < np.median(leads, axis=0)
    moved = np.where(close, np.square(final - leads), 0.0).sum(axis=0) / np.maximum(close.sum(axis=0), 1)
    squares = np.where(changes, np.square(leads, dtype=float), 0.0).sum(axis=0) + _PRIOR_ROWS * moved / 4
    count = changes.sum(axis=0) + _PRIOR_ROWS
    rounds = np.arange(len(count))
    falling = IsotonicRegression(increasing=False)
    smooth = np.sqrt(falling.fit(rounds, squares / count, sample_weight=count).predict(rounds))
    return np.maximum(smooth, smooth[int(_LAST_SCALE * (len(smooth) - 1))])


def _running_ratio(leads, scale):
    """Largest ratio so far of the lead to its scale, by row and round."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(leads > 0, leads / scale, 0.0)
    return np.maximum.accumulate(ratio, axis=1)
