"""Regression problems whose true function is known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .draws import Seed, check_count, check_number, random_numbers


def sinc_function(x: ArrayLike) -> NDArray[np.float64]:
    """True function of :func:`make_sinc`: ``sin(x) / x``, and 1 at zero.

    Parameters
    ----------
    x : array-like
        Points in radians.

    Returns
    -------
    value : ndarray of the shape of `x`
    """
    from ...validation import as_numbers

    return np.sinc(as_numbers("x", x) / np.pi)


def make_sinc(
    n_samples: int = 100, *, noise: float = 0.1, grid: bool = False, random_state: Seed = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Tipping's sinc: ``y = sin(x) / x + e`` for x in [-10, 10], ``e ~ N(0, noise^2)``.

    Parameters
    ----------
    n_samples : int, default=100
        Number of rows.
    noise : float, default=0.1
        Standard deviation of the noise.
    grid : bool, default=False
        Whether x is evenly spaced instead of drawn uniformly.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers, for reproducible draws.

    Returns
    -------
    X : ndarray of shape (n_samples, 1)
    y : ndarray of shape (n_samples,)

    References
    ----------
    M. E. Tipping, Sparse Bayesian learning and the relevance vector machine, JMLR 1, 2001.
    """
    n_samples, noise = check_count(n_samples, "n_samples"), check_number(noise, "noise")
    rng = random_numbers(random_state)
    x = np.linspace(-10, 10, n_samples) if grid else rng.uniform(-10, 10, size=n_samples)
    return x[:, None], sinc_function(x) + noise * rng.standard_normal(n_samples)


def make_peak(
    n_samples: int = 200, *, n_features: int = 20, random_state: Seed = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Breiman's peak: ``y = 25 exp(-r^2 / 2)``, x in a uniform direction at distance ``r ~ U[0, 3]``.

    Parameters
    ----------
    n_samples : int, default=200
        Number of rows.
    n_features : int, default=20
        Dimension of x.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers, for reproducible draws.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)

    References
    ----------
    L. Breiman, Using adaptive bagging to debias regressions, Technical Report 547, UC Berkeley, 1999.
    """
    n_samples, n_features = check_count(n_samples, "n_samples"), check_count(n_features, "n_features")
    rng = random_numbers(random_state)
    r = 3 * rng.uniform(size=n_samples)
    direction = rng.standard_normal((n_samples, n_features))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    return r[:, None] * direction, 25 * np.exp(-(r**2) / 2)


def make_friedman1(
    n_samples: int = 200, *, n_features: int = 10, noise: float = 1.0, random_state: Seed = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Friedman #1: ``y = 10 sin(pi x_1 x_2) + 20 (x_3 - 1/2)^2 + 10 x_4 + 5 x_5 + e``, x uniform on [0, 1]^d.

    This is scikit-learn's generator of this name with Friedman's noise as the default.

    Parameters
    ----------
    n_samples : int, default=200
        Number of rows.
    n_features : int, default=10
        Number of columns, at least 5; only the first five matter.
    noise : float, default=1.0
        Standard deviation of the noise.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers, for reproducible draws.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)

    References
    ----------
    J. H. Friedman, Multivariate adaptive regression splines, Annals of Statistics 19, 1991.
    """
    n_features = check_count(n_features, "n_features", minimum=5)
    return _friedman(1, n_samples, noise, random_state, n_features=n_features)


def make_friedman2(
    n_samples: int = 200, *, noise: float = 125.0, random_state: Seed = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Friedman #2: ``y = sqrt(x_1^2 + (x_2 x_3 - 1 / (x_2 x_4))^2) + e``, the impedance of a circuit.

    This is scikit-learn's generator of this name with Friedman's noise (signal to noise 3) as the default.

    Parameters
    ----------
    n_samples : int, default=200
        Number of rows.
    noise : float, default=125.0
        Standard deviation of the noise.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers, for reproducible draws.

    Returns
    -------
    X : ndarray of shape (n_samples, 4)
    y : ndarray of shape (n_samples,)

    References
    ----------
    J. H. Friedman, Multivariate adaptive regression splines, Annals of Statistics 19, 1991.
    """
    return _friedman(2, n_samples, noise, random_state)


def make_friedman3(
    n_samples: int = 200, *, noise: float = 0.1, random_state: Seed = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Friedman #3: ``y = arctan((x_2 x_3 - 1 / (x_2 x_4)) / x_1) + e``, the phase of a circuit.

    This is scikit-learn's generator of this name with Friedman's noise (signal to noise 3) as the default.

    Parameters
    ----------
    n_samples : int, default=200
        Number of rows.
    noise : float, default=0.1
        Standard deviation of the noise.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers, for reproducible draws.

    Returns
    -------
    X : ndarray of shape (n_samples, 4)
    y : ndarray of shape (n_samples,)

    References
    ----------
    J. H. Friedman, Multivariate adaptive regression splines, Annals of Statistics 19, 1991.
    """
    return _friedman(3, n_samples, noise, random_state)


def _friedman(number: int, n_samples: int, noise: float, random_state: Seed, **options: Any) -> Any:
    """Check the arguments and call scikit-learn's generator of Friedman's problem with this number."""
    from sklearn import datasets

    generate = getattr(datasets, f"make_friedman{number}")
    n_samples, noise = check_count(n_samples, "n_samples"), check_number(noise, "noise")
    return generate(n_samples, noise=noise, random_state=random_state, **options)
