"""The published rule for credible sets of a linear model with Gaussian noise, as a reference.

Sum of single effects by iterative Bayesian stepwise selection: Wang, Sarkar, Carbonetto & Stephens (2020),
algorithm 1, with prior variances and noise by evidence, ten effects, sets of 95 % with a purity of .5.
"""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp, softmax


def susie_sets(X, y, n_effects=10, coverage=0.95, min_purity=0.5, max_iter=100):
    """Credible sets of the reference algorithm."""
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0, ddof=1) > 0, X.std(axis=0, ddof=1), 1)
    y = y - y.mean()
    own, noise = np.square(X).sum(axis=0), y.var(ddof=1)
    chances, means, seconds = np.zeros((3, n_effects, X.shape[1]))
    variances = np.zeros(n_effects)
    for _ in range(max_iter):
        for k in range(n_effects):
            residual = y - X @ (chances * means).sum(axis=0) + X @ (chances[k] * means[k])
            least_squares, error = X.T @ residual / own, noise / own

            def log_factors(variance, b=least_squares, s=error):
                return 0.5 * (np.log(s / (s + variance)) + b**2 * variance / (s * (s + variance)))

            best = minimize_scalar(
                lambda v, f=log_factors: -logsumexp(f(np.exp(v))), bounds=(-15, 5), method="bounded"
            )
            none = logsumexp(log_factors(0.0))
            variances[k] = np.exp(best.x) if -best.fun > none else 0.0
            chances[k] = softmax(log_factors(variances[k]))
            var = variances[k] * error / (variances[k] + error)
            means[k], seconds[k] = var * least_squares / error, var + (var * least_squares / error) ** 2
        fitted = chances * means
        blur = (chances * seconds).sum(axis=0) @ own - np.square(X @ fitted.T).sum()
        before, noise = noise, (np.square(y - X @ fitted.sum(axis=0)).sum() + blur) / len(y)
        if abs(noise - before) < 1e-5 * before:
            break
    return _sets(X, chances[variances > 0], coverage, min_purity)


def _sets(X, chances, coverage, min_purity):
    found = {}
    for row in chances:
        order = np.argsort(-row)
        chosen = order[: np.searchsorted(np.cumsum(row[order]), coverage) + 1]
        purity = np.abs(np.corrcoef(X[:, chosen].T)).min() if len(chosen) > 1 else 1.0
        if purity >= min_purity:
            found.setdefault(tuple(sorted(chosen)), chosen)
    return list(found.values())


def genotypes(n, d, correlation, rng, block=25):
    """Counts 0, 1, 2 of minor alleles in blocks of neighbours whose correlation falls off."""
    frequency = rng.uniform(0.1, 0.5, d)
    counts = np.zeros((n, d))
    for _ in range(2):
        noise = rng.normal(size=(n, d))
        for j in range(d):
            if j % block:
                noise[:, j] = correlation * noise[:, j - 1] + np.sqrt(1 - correlation**2) * noise[:, j]
        counts += noise < np.quantile(rng.normal(size=10_000), frequency)
    return counts
