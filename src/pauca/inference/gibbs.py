"""Gibbs sampling of the spike-and-slab probit model (Lee et al. 2003): slow but free of approximations."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import cholesky, solve_triangular
from scipy.special import log_ndtr, logit, ndtri_exp

from .chains import effective_samples, split_r_hat
from .protocols import SpikeSlabPrior, check_parts

__all__ = ["GibbsPosterior", "gibbs"]

# Split R̂ below which the chains count as converged; set by hand.
_MAX_R_HAT = 1.05


@dataclass(frozen=True)
class GibbsPosterior:
    """Moments and draws of the weights of a spike-and-slab model; there is no evidence.

    Parameters
    ----------
    inclusion : ndarray of shape (n_weights,)
        Posterior inclusion probabilities.
    mean, var : ndarray of shape (n_weights,)
        Posterior means and variances.
    draws : sparse matrix of shape (n_draws, n_weights)
        Draws of all chains.
    diagnostics : dict
        ``r_hat`` and ``effective_samples`` of the number of features and of the log likelihood.
    n_iter : int
        Sweeps of each chain, the burn-in included.
    converged : bool
        Whether the chains agree.
    log_evidence : float, default=nan
        Not known.
    schedule : str, default="gibbs"
        Name of the method.
    """

    inclusion: NDArray
    mean: NDArray
    var: NDArray
    draws: sparse.csr_matrix
    diagnostics: dict[str, dict[str, float]]
    n_iter: int
    converged: bool
    log_evidence: float = np.nan
    schedule: str = "gibbs"


def gibbs(
    observations: Any,
    prior: SpikeSlabPrior,
    *,
    n_samples: int = 5000,
    n_burn_in: int = 1000,
    n_chains: int = 1,
    rng: Any = None,
) -> GibbsPosterior:
    """Draw weights that are zero or Gaussian from their posterior in a probit model.

    Parameters
    ----------
    observations : Observations
        Rows with labels ±1; weights must be whole numbers, which stand for repeated rows.
    prior : SpikeSlab
        Prior with a spike of variance zero.
    n_samples : int, default=5000
        Draws of each chain that are kept.
    n_burn_in : int, default=1000
        Draws of each chain before them.
    n_chains : int, default=1
        Number of chains, each from a start of its own.
    rng : numpy.random.Generator or int, optional
        Source of randomness.

    Returns
    -------
    posterior : GibbsPosterior
        ``inclusion`` averages the conditional probabilities, which vary less than the drawn indicators.
    """
    check_parts("gibbs", (prior, SpikeSlabPrior))
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
    """State of one chain over rows that are multiplied by their labels, and the draws that it keeps."""

    def __init__(self, rows: NDArray, prior: SpikeSlabPrior, rng: np.random.Generator) -> None:
        self._rows, self._columns = rows, np.ascontiguousarray(rows.T)
        self._slab, self._rng = prior.slab, rng
        self._log_odds = logit(prior.inclusion.astype(float))
        self._active = rng.uniform(size=rows.shape[1]) < prior.inclusion
        self._z = np.abs(rng.normal(size=len(rows)))
        self.inclusion = np.zeros(rows.shape[1])
        self.draws: list[tuple[NDArray, NDArray]] = []
        self.sizes: list[int] = []
        self.log_likelihoods: list[float] = []

    def run(self, n_draws: int, keep: bool) -> None:
        """Sweep ``n_draws`` times over all features, and ``keep`` the draws or not."""
        from .gibbs_sweep import visit

        probabilities = np.empty(len(self._active))
        inverse = self._draw_weights()[1]
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
            w, inverse, latent = self._draw_weights()
            # z ~ N(latent, 1) truncated to z > 0, by the inverse of the upper tail.
            tail = np.log(self._rng.uniform(size=len(latent))) + log_ndtr(latent)
            self._z = latent - ndtri_exp(tail)
            if keep:
                self._keep(w, latent, probabilities)

    def _draw_weights(self) -> tuple[NDArray, NDArray, NDArray]:
        """Draw of N(V Xᵀz, V) with V = (I / slab + XᵀX)⁻¹, the matrix I − X V Xᵀ, and the latent values."""
        X = self._rows[:, self._active]
        factor = cholesky(np.eye(X.shape[1]) / self._slab + X.T @ X, lower=True)
        half = solve_triangular(factor, X.T, lower=True)
        noise = half @ self._z + self._rng.normal(size=X.shape[1])
        w = solve_triangular(factor, noise, lower=True, trans="T")
        return w, np.eye(len(X)) - half.T @ half, X @ w

    def _keep(self, w: NDArray, latent: NDArray, probabilities: NDArray) -> None:
        """Store one draw."""
        self.inclusion += probabilities
        self.draws.append((np.flatnonzero(self._active), w))
        self.sizes.append(len(w))
        self.log_likelihoods.append(log_ndtr(latent).sum())


def _posterior(chains: Sequence[_Chain], n_iter: int) -> GibbsPosterior:
    """Posterior from the draws of all chains."""
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
    inclusion = np.sum([chain.inclusion for chain in chains], axis=0) / len(places)
    converged = all(entry["r_hat"] < _MAX_R_HAT for entry in diagnostics.values())
    return GibbsPosterior(inclusion, mean, np.maximum(var, 0.0), draws, diagnostics, n_iter, converged)
