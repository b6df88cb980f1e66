"""Convergence diagnostics of Markov chains."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["effective_samples", "split_r_hat"]


def split_r_hat(chains: ArrayLike) -> float:
    """Split R̂ of Gelman and Rubin, which is near one where the chains agree.

    Parameters
    ----------
    chains : array_like of shape (n_chains, n_draws)
        Draws of one quantity. Every chain is cut into two halves that are compared like chains.

    Returns
    -------
    r_hat : float
        Infinite where constant chains differ.
    """
    halves = _halves(chains)
    within = halves.var(axis=1, ddof=1).mean()
    between = halves.mean(axis=1).var(ddof=1)
    if within == 0:
        return 1.0 if between == 0 else np.inf
    n_draws = halves.shape[1]
    return float(np.sqrt((n_draws - 1) / n_draws + between / within))


def effective_samples(chains: ArrayLike) -> float:
    """Effective sample size: the number of draws over 1 + 2 Σ autocorrelations.

    Parameters
    ----------
    chains : array_like of shape (n_chains, n_draws)
        Draws of one quantity. Autocorrelations are summed in pairs while these are positive (Geyer 1992).

    Returns
    -------
    n_effective : float
    """
    chains = np.atleast_2d(np.asarray(chains, dtype=float))
    n_chains, n_draws = chains.shape
    centred = chains - chains.mean(axis=1, keepdims=True)
    spectrum = np.abs(np.fft.rfft(centred, 2 * n_draws)) ** 2
    covariance = np.fft.irfft(spectrum)[:, :n_draws].mean(axis=0) / n_draws
    total = covariance[0] + chains.mean(axis=1).var()
    if total == 0:
        return float(n_chains * n_draws)
    correlation = 1 - (covariance[0] - covariance) / total
    even = correlation[: 2 * (n_draws // 2)].reshape(-1, 2).sum(axis=1)
    ends = np.flatnonzero(even <= 0)
    pairs = even[: ends[0]] if len(ends) else even
    return float(n_chains * n_draws / max(2 * pairs.sum() - 1, 1 / np.log10(n_draws + 10)))


def _halves(chains: ArrayLike) -> NDArray:
    """First and second halves of all chains, as rows."""
    chains = np.atleast_2d(np.asarray(chains, dtype=float))
    half = chains.shape[1] // 2
    return np.vstack([chains[:, :half], chains[:, -half:]])
