"""Ratios of the standard normal density and distribution that stay exact far in the tails."""

import numpy as np
from scipy.special import erfcx, log_ndtr

__all__ = ["inverse_mills", "log_ndtr", "mills_curvature", "mills_terms"]

_FAR = -50.0


def inverse_mills(z):
    """r(z) = φ(z) / Ψ(z)."""
    z = np.asarray(z, dtype=float)
    return np.sqrt(2 / np.pi) / erfcx(-z / np.sqrt(2))


def mills_curvature(z):
    """ρ(z) = r (z + r), in (0, 1), and δ(z) = 1 - ρ(z); minus the second derivative of log Ψ is ρ."""
    _, rho, delta = mills_terms(z)
    return rho, delta


def mills_terms(z):
    """r(z), ρ(z) and δ(z) together."""
    z = np.asarray(z, dtype=float)
    r = inverse_mills(z)
    rho = r * (z + r)
    if np.min(z, initial=0.0) >= _FAR:
        return r, rho, 1.0 - rho
    delta = np.where(z < _FAR, _far_delta(z), 1.0 - rho)
    return r, np.where(z < _FAR, 1.0 - delta, rho), delta


def _far_delta(z):
    """Asymptotic series of δ for z < -50, where 1 - r (z + r) cancels."""
    u = 1.0 / np.square(np.minimum(z, _FAR))
    return u * (1 + u * (-6 + u * (50 - 518 * u)))
