"""Where expectation maximisation starts: at the solutions of other machines, then at random."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from ..basis import with_bias
from .em_search import Side

# Weights that another machine does not use start between zero and this.
_SMALL = 0.05
# A start need not be the solution of the support vector machine.
_SVC_STEPS = 100_000


def starts(bases, candidates, targets, relevance_coef, rng):
    """Yield sides, one for each target: from a relevance vector machine, a support vector machine, chance.

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
    """Weights of another machine; those that are zero or of the wrong sign are small and random."""
    columns, _, scale = basis.columns(candidates)
    w = (coef * basis.signs)[candidates] * np.where(np.isfinite(scale), scale, 0.0)
    w = np.append(0.0, np.where(w > 0, w, _SMALL * rng.uniform(size=len(w))))
    return Side(y, basis.signs, candidates, w, with_bias(columns) @ w)


def _at_random(basis, candidates, y, rng):
    """Weights between 0.2 and 1.2 and far latent values of the right sign."""
    w = np.append(rng.normal(), rng.uniform(0.2, 1.2, size=len(candidates)))
    f = 10 * rng.uniform(size=len(y)) * y + rng.uniform(size=len(y))
    return Side(y, basis.signs, candidates, w, f)


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
