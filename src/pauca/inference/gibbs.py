"""Gibbs sampling of the spike-and-slab probit model (Lee et al. 2003): slow, and right in the end."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.linalg import cholesky, solve_triangular
from scipy.special import log_ndtr, logit, ndtri_exp

from .chains import effective_samples, split_r_hat

__all__ = ["GibbsPosterior", "gibbs"]

# R̂ of halves of chains below which they are said to agree.
_AGREEMENT = 1.05


@dataclass(frozen=True)
class GibbsPosterior:
    """Inclusion probabilities, moments and draws of the weights, with diagnostics; there is no evidence."""

    inclusion: np.ndarray
    mean: np.ndarray
    var: np.ndarray
    draws: sparse.csr_matrix
    diagnostics: dict
    n_iter: int
    converged: bool
    log_evidence: float = np.nan
    schedule: str = "gibbs"


def gibbs(observations, prior, *, n_samples=5000, n_burn_in=1000, n_chains=1, rng=None):
    """Draw from the posterior of weights that are nothing, or Gaussian.

    Parameters
    ----------
    observations : Observations
        Labels are ±1; weights must be whole, and mean repeated rows.
    prior : SpikeSlab
        With a spike of variance zero.
    n_samples, n_burn_in : int
        Draws of each chain that are kept, and draws before them.
    n_chains : int
        Chains, each from another start.
    rng : numpy.random.Generator
        Source of the draws.

    Returns
    -------
    GibbsPosterior
        ``inclusion`` is the mean of the conditional probabilities, which varies less than that of the draws.
    """
    rng = np.random.default_rng(rng)
    repeats = observations.weights.astype(int)
    if prior.spike != 0 or (repeats != observations.weights).any():
        raise ValueError(
            "Gibbs sampling needs spike_variance=0 and whole sample weights; use inference='ep'."
        )
    rows = np.repeat(observations.X * observations.y[:, None], repeats, axis=0).astype(float)
    chains = [_Chain(rows, prior, rng) for _ in range(n_chains)]
    for chain in chains:
        chain.run(n_burn_in, keep=False)
        chain.run(n_samples, keep=True)
    return _posterior(chains, n_burn_in + n_samples)


class _Chain:
    """The state of a chain, label-scaled rows, and what it keeps."""

    def __init__(self, rows, prior, rng):
        self._rows, self._columns = rows, np.ascontiguousarray(rows.T)
        self._slab, self._rng = prior.slab, rng
        self._log_odds = logit(prior.inclusion.astype(float))
        self._active = rng.uniform(size=rows.shape[1]) < prior.inclusion
        self._z = np.abs(rng.normal(size=len(rows)))
        self.inclusion = np.zeros(rows.shape[1])
        self.draws, self.sizes, self.log_likelihoods = [], [], []

    def run(self, n_draws, keep):
        """Sweep so many times."""
        from .gibbs_sweep import visit

        probabilities = np.empty(len(self._active))
        inverse = self._inverse()
        for _ in range(n_draws):
            uniforms = self._rng.uniform(size=len(self._active))
            visit(
                self._columns,
                self._z,
                inverse,
                self._active,
                self._log_odds,
                self._slab,
                uniforms,
                probabilities,
            )
            w, inverse, latent = self._weights()
            # z > 0 with mean u and variance one, from the upper tail.
            tail = np.log(self._rng.uniform(size=len(latent))) + log_ndtr(latent)
            self._z = latent - ndtri_exp(tail)
            if keep:
                self._keep(w, latent, probabilities)

    def _inverse(self):
        return self._weights()[1]

    def _weights(self):
        """A draw of N(V Xᵀz, V), V = (I / slab + XᵀX)⁻¹; the inverse I − X V Xᵀ anew; the latent values."""
        X = self._rows[:, self._active]
        factor = cholesky(np.eye(X.shape[1]) / self._slab + X.T @ X, lower=True)
        half = solve_triangular(factor, X.T, lower=True)
        noise = half @ self._z + self._rng.normal(size=X.shape[1])
        w = solve_triangular(factor, noise, lower=True, trans="T")
        return w, np.eye(len(X)) - half.T @ half, X @ w

    def _keep(self, w, latent, probabilities):
        self.inclusion += probabilities
        self.draws.append((np.flatnonzero(self._active), w))
        self.sizes.append(len(w))
        self.log_likelihoods.append(log_ndtr(latent).sum())


def _posterior(chains, n_iter):
    """What all chains say together."""
    places, weights = zip(*(draw for chain in chains for draw in chain.draws), strict=True)
    starts = np.concatenate([[0], np.cumsum([len(place) for place in places])])
    shape = len(places), len(chains[0].inclusion)
    draws = sparse.csr_matrix((np.concatenate(weights), np.concatenate(places), starts), shape=shape)
    mean = np.asarray(draws.mean(axis=0)).ravel()
    var = np.asarray(draws.multiply(draws).mean(axis=0)).ravel() - np.square(mean)
    traces = {
        "n_features": np.array([chain.sizes for chain in chains]),
        "log_likelihood": np.array([chain.log_likelihoods for chain in chains]),
    }
    diagnostics = {
        name: {"r_hat": split_r_hat(trace), "effective_samples": effective_samples(trace)}
        for name, trace in traces.items()
    }
    inclusion = sum(chain.inclusion for chain in chains) / len(places)
    converged = all(entry["r_hat"] < _AGREEMENT for entry in diagnostics.values())
    return GibbsPosterior(inclusion, mean, np.maximum(var, 0.0), draws, diagnostics, n_iter, converged)
