"""Published algorithms for binary outcomes of many features, as references."""

import numpy as np
from scipy.special import expit, logit

# Sweeps of coordinate ascent, and the change of an inclusion probability that ends them.
_MAX_SWEEPS, _TOL = 200, 1e-3


def variational_logistic(X, y, expected, slab=1.0):
    """Inclusion probabilities and coefficients of a logistic model with a spike-and-slab prior.

    Fully factorised variational inference with a quadratic bound of the logistic function: Carbonetto &
    Stephens, "Scalable variational inference for Bayesian variable selection in regression", Bayesian
    Analysis 7 (2012), appendix; given prior variance and expected number of features.
    """
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    n, d = X.shape
    odds, signs = logit(expected / d), np.asarray(y, dtype=float) - 0.5
    chance, mean, var = np.full(d, expected / d), np.zeros(d), np.full(d, slab)
    bias, latent, eta = 0.0, np.zeros(n), np.ones(n)
    for _ in range(_MAX_SWEEPS):
        before, curvature = chance.copy(), (expit(eta) - 0.5) / eta
        bias = (signs - curvature * latent).sum() / curvature.sum()
        own = curvature @ np.square(X)
        var = slab / (slab * own + 1)
        for j in range(d):
            column, old = X[:, j], chance[j] * mean[j]
            residual = signs - curvature * (latent + bias - column * old)
            mean[j] = var[j] * (column @ residual)
            chance[j] = expit(odds + 0.5 * (np.log(var[j] / slab) + mean[j] ** 2 / var[j]))
            latent += column * (chance[j] * mean[j] - old)
        spread = chance * (var + mean**2) - np.square(chance * mean)
        eta = np.sqrt(np.square(latent + bias) + np.square(X) @ spread + 1 / curvature.sum())
        if np.abs(chance - before).max() < _TOL:
            break
    return chance, chance * mean, bias
