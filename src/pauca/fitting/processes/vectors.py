"""Which rows carry a process: greedy selection on Gaussian sites of all rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...inference import LatentFit, site_of_cavity
from ...likelihoods import Gaussian
from ...numerics import solve_lower
from ...selection import InducingSearch
from .process import Process

# Largest share of a site's precision that the rest of its row's prior variance takes away; numerical guard.
_LEAST_SHARE = 1e-3
# Rows, drawn at random, by which vectors are selected; each stands for as many as there are more. Set by hand
# for the time and memory of a fit.
_MOST_ROWS = 8000
# Smallest variance of a latent value; numerical guard.
_LEAST_VARIANCE = 1e-9


def sites_of_rows(
    process: Process,
    likelihood: Any,
    data: Any,
    seen: NDArray,
    fit: LatentFit,
    by_ep: bool,
) -> NDArray:
    """Gaussian sites (precision, shift) of all rows from a dense fit of those at the places ``seen``.

    A row that was not seen gets the site that matches its tilted moments, or the expansion of its likelihood,
    at what the others predict for it.
    """
    X, y, weights = data.X, data.y, data.weights
    offset = process.constant[0]
    if isinstance(likelihood, Gaussian):
        precision = weights * likelihood.precision
        return np.stack([precision, precision * (y - offset)])
    F = process.features(X)
    cross = process.covariance(X, X[seen]) + F @ F[seen].T
    mean = cross @ fit.coef
    if by_ep:
        half = solve_lower(fit.posterior.factor, (cross * fit.posterior.root).T)
        prior = process.variance(X) + np.square(F).sum(axis=1)
        var = np.maximum(prior - np.square(half).sum(axis=0), _LEAST_VARIANCE)
        sites = weights * site_of_cavity(likelihood, y, offset, mean, var)
        # Sites of rows that were seen are those of the fit, but for weights that were tempered there.
        sites[:, seen] = fit.state * weights[seen]
        return sites
    _, gradient, curvature = likelihood.expand(y, offset + mean)
    return weights * np.stack([curvature, curvature * mean + gradient])


def sites_of_f(fit: LatentFit, left: NDArray) -> NDArray:
    """Sites of the latent values f from those of Φw, whose rows leave the prior variance ``left``."""
    return fit.sites / np.maximum(1 - fit.sites[0] * left, _LEAST_SHARE)


def select_vectors(
    process: Process, X: Any, sites: NDArray, places: NDArray, max_vectors: int, min_gain: float
) -> tuple[NDArray, bool]:
    """Places of the vectors chosen by at most 8000 rows, and whether no other had a gain."""
    n, Z = X.shape[0], X[places]
    if n > _MOST_ROWS:
        part = np.sort(np.random.default_rng(0).choice(n, _MOST_ROWS, replace=False))
        X, sites = X[part], sites[:, part] * (n / _MOST_ROWS)
    columns, covariance = process.covariance(X, Z), process.covariance(Z, Z)
    search = InducingSearch(columns, covariance, process.features(X), sites[0], sites[1:].T)
    chosen, converged = search.run(max_vectors, min_gain)
    return places[chosen], converged
