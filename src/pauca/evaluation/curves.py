"""Calibration and risk-coverage curves, as plain lists that can be stored and averaged over splits.

``calibration`` holds, for each bin, the number of rows (``rows``), the sum of the predicted probabilities
(``predicted``) and the number of rows on which the predicted event was observed (``observed``); for
regression the bins are central intervals and the event is that the interval holds y. ``risk_coverage`` has
one value for each entry of `COVERAGES`. For classification it is the risk-coverage curve: the error among
that fraction of the rows with the largest predicted probability. For regression it holds quantiles of the
absolute error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..validation import as_numbers
from .scores import interval, predicted_and_observed

#: Coverages, as fractions of the rows, at which risk-coverage curves are evaluated.
COVERAGES = np.linspace(0.05, 1.0, 20)
# Number of bins of equal width in calibration curves of classifiers; set by hand, not tuned.
_N_BINS = 10
# Probabilities of the central intervals in calibration curves of regressors; set by hand, not tuned.
_LEVELS = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95])


def classification_curves(y: NDArray, p: NDArray, labels: NDArray) -> dict[str, Any]:
    """Calibration over bins of equal width, and the risk-coverage curve; ``labels`` are sorted."""
    codes = np.searchsorted(labels, y)
    predicted, observed = predicted_and_observed(codes, p)
    bins = np.minimum((predicted * _N_BINS).astype(int), _N_BINS - 1)
    wrong = p.argmax(axis=1) != codes
    by_confidence = wrong[np.argsort(-p.max(axis=1), kind="stable")]
    return {
        "calibration": _calibration(
            *(np.bincount(bins, weights=weight, minlength=_N_BINS) for weight in (None, predicted, observed))
        ),
        "risk_coverage": [float(by_confidence[:n].mean()) for n in _counts(len(y))],
    }


def regression_curves(y: NDArray, mean: NDArray, std: NDArray | None) -> dict[str, Any]:
    """Coverage of central intervals (None without ``std``), and quantiles of the absolute error."""
    error = np.sort(np.abs(y - mean))
    curves: dict[str, Any] = {
        "calibration": None,
        "risk_coverage": [float(error[n - 1]) for n in _counts(len(y))],
    }
    if std is not None:
        bounds = [interval(mean, std, level) for level in _LEVELS]
        inside = np.array([np.sum((lower <= y) & (y <= upper)) for lower, upper in bounds])
        rows = np.full(len(_LEVELS), len(y))
        curves["calibration"] = _calibration(rows, rows * _LEVELS, inside)
    return curves


def pooled_calibration(
    calibrations: Iterable[Mapping[str, Sequence[float]]],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Pool the calibration curves of several splits, bin by bin; empty bins are left out.

    Parameters
    ----------
    calibrations : iterable of mapping
        Values of ``calibration`` in the records that `evaluate` returns.

    Returns
    -------
    predicted : ndarray of shape (n_bins,)
        Mean predicted probability.
    observed : ndarray of shape (n_bins,)
        Observed frequency.
    rows : ndarray of shape (n_bins,)
        Number of rows.
    """
    try:
        curves = [[c["rows"], c["predicted"], c["observed"]] for c in calibrations]
        sums = as_numbers("calibrations", curves, 3).sum(axis=0)
    except (TypeError, KeyError, IndexError) as error:
        raise TypeError("calibrations must hold mappings with rows, predicted and observed.") from error
    rows, predicted, observed = sums[:, sums[0] > 0]
    return predicted / rows, observed / rows, rows


def _calibration(rows: NDArray, predicted: NDArray, observed: NDArray) -> dict[str, list[float]]:
    """Sums by bin, which add up over splits."""
    return {"rows": rows.tolist(), "predicted": predicted.tolist(), "observed": observed.tolist()}


def _counts(n: int) -> NDArray[np.int_]:
    """Number of rows, at least one of n, at each entry of `COVERAGES`."""
    return np.maximum(1, np.rint(COVERAGES * n).astype(int))
