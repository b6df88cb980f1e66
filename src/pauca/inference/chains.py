"""Whether the chains of a sampler agree, and how many independent draws they are worth."""

import numpy as np

__all__ = ["effective_samples", "split_r_hat"]


def split_r_hat(chains):
    """Gelman and Rubin's R̂ of halves of chains (n_chains, n_draws): near one where they agree."""
    halves = _halves(chains)
    within = halves.var(axis=1, ddof=1).mean()
    between = halves.mean(axis=1).var(ddof=1)
    if within == 0:
        return 1.0 if between == 0 else np.inf
    n_draws = halves.shape[1]
    return float(np.sqrt((n_draws - 1) / n_draws + between / within))


def effective_samples(chains):
    """Draws over 1 + 2 Σ autocorrelations, summed in pairs while these are positive (Geyer 1992)."""
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


def _halves(chains):
    """Each chain cut in two."""
    chains = np.atleast_2d(np.asarray(chains, dtype=float))
    half = chains.shape[1] // 2
    return np.vstack([chains[:, :half], chains[:, -half:]])
