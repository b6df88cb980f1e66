"""Starts of expectation maximisation: the solutions of other machines, then random ones."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from ...basis import with_bias
from .em import LatentState

# Largest random weight of columns that the other machine does not use; set by hand.
_SMALL = 0.05
# Limit on the iterations of the support vector machine, whose solution need not be exact; set by hand.
_SVC_STEPS = 100_000


def starts(bases, candidates, targets, relevance_coef, rng):
    """Yield lists of states, one for each target: from an RVM, from an SVM, then random ones.

    ``bases`` are the signed bases of the targets, ``relevance_coef`` has the weights of their plain columns.
    """
    pairs = list(zip(bases, targets, strict=True))
    yield [
        _from_coefficients(basis, candidates, y, coef, rng)
        for (basis, y), coef in zip(pairs, relevance_coef, strict=True)
    ]
    yield [
        _from_coefficients(basis, candidates, y, _support_coef(basis, candidates, y), rng)
        for basis, y in pairs
    ]
    while True:
        yield [_at_random(basis, candidates, y, rng) for basis, y in pairs]


def _from_coefficients(basis, candidates, y, coef, rng):
    """State with the weights of another machine, small random ones in place of zero or negative ones."""
    columns, _, scale = basis.columns(candidates)
    w = (coef * basis.signs)[candidates] * np.where(np.isfinite(scale), scale, 0.0)
    w = np.append(0.0, np.where(w > 0, w, _SMALL * rng.uniform(size=len(w))))
    return LatentState(y, basis.signs, candidates, w, with_bias(columns) @ w)


def _at_random(basis, candidates, y, rng):
    """State with weights between 0.2 and 1.2 and large latent values of the right sign."""
    w = np.append(rng.normal(), rng.uniform(0.2, 1.2, size=len(candidates)))
    f = 10 * rng.uniform(size=len(y)) * y + rng.uniform(size=len(y))
    return LatentState(y, basis.signs, candidates, w, f)


def _support_coef(basis, candidates, y):
    """Weights of the plain columns in a support vector machine of the rows that candidates are centred on."""
    rows = basis.centre_rows[candidates]
    coef = np.zeros(basis.n_candidates)
    if len(np.unique(y[rows])) == 2:
        K = basis.signed(None).restricted(rows, candidates).plain(np.arange(len(candidates)))
        size = max(np.abs(np.diag(K)).mean(), np.finfo(float).tiny)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            machine = SVC(kernel="precomputed", max_iter=_SVC_STEPS).fit(K / size, y[rows])
        coef[candidates[machine.support_]] = machine.dual_coef_[0] / size
    return coef
