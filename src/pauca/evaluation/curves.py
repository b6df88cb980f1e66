"""Curves of predictions, as plain lists that can be stored and averaged over splits.

``calibration`` holds, for each bin, the number of rows, the sum of the stated probabilities, and how often
what was stated happened; for regression the bins are central intervals, which are said to hold y.
``error_curve`` has one value for each of `SHARES`: the error among that share of the rows of which the
classifier was most sure, or the absolute error that this share of the rows does not exceed.
"""

import numpy as np

from .scores import interval, stated_and_happened

#: Shares of the rows at which error curves are known.
SHARES = np.linspace(0.05, 1.0, 20)
_N_BINS = 10
_LEVELS = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95])


def classification_curves(y, p, labels):
    """Calibration over bins of equal width, and error by confidence; ``labels`` are sorted."""
    codes = np.searchsorted(labels, y)
    stated, happened = stated_and_happened(codes, p)
    bins = np.minimum((stated * _N_BINS).astype(int), _N_BINS - 1)
    wrong = p.argmax(axis=1) != codes
    by_confidence = wrong[np.argsort(-p.max(axis=1), kind="stable")]
    return {
        "calibration": _calibration(
            *(np.bincount(bins, weights=weight, minlength=_N_BINS) for weight in (None, stated, happened))
        ),
        "error_curve": [float(by_confidence[:n].mean()) for n in _counts(len(y))],
    }


def regression_curves(y, mean, std):
    """Coverage of central intervals, and quantiles of the absolute error."""
    error = np.sort(np.abs(y - mean))
    curves = {"calibration": None, "error_curve": [float(error[n - 1]) for n in _counts(len(y))]}
    if std is not None:
        bounds = [interval(mean, std, level) for level in _LEVELS]
        inside = np.array([np.sum((lower <= y) & (y <= upper)) for lower, upper in bounds])
        rows = np.full(len(_LEVELS), len(y))
        curves["calibration"] = _calibration(rows, rows * _LEVELS, inside)
    return curves


def pooled_calibration(calibrations):
    """Stated probability and observed frequency over several splits, bin by bin; empty bins are left out."""
    rows, stated, happened = np.sum([[c["rows"], c["stated"], c["happened"]] for c in calibrations], axis=0)
    used = rows > 0
    return stated[used] / rows[used], happened[used] / rows[used], rows[used]


def _calibration(rows, stated, happened):
    """Sums by bin, which add up over splits."""
    return {"rows": rows.tolist(), "stated": stated.tolist(), "happened": happened.tolist()}


def _counts(n):
    """How many of n rows each of the shares is, at least one."""
    return np.maximum(1, np.rint(SHARES * n).astype(int))
