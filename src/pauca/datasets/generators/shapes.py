"""Classification problems with a geometric rule: circle, spirals, waves and a sparse plane."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .draws import Seed, balanced_labels, check_count, check_number, random_numbers

# Waves that are mixed in each of the three classes: Breiman et al. 1984.
_WAVE_PAIRS = np.array([[0, 1], [0, 2], [1, 2]])


def make_circle(
    n_samples: int = 100, *, label_noise: float = 0.0, random_state: Seed = None
) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """Points in and around a circle: ``x ~ U[-1, 1]^2``, ``y = 1`` where ``x_1^2 + x_2^2 >= 1/2``, else 0.

    Parameters
    ----------
    n_samples : int, default=100
        Number of rows.
    label_noise : float, default=0.0
        Fraction of the labels that is changed, chosen at random.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers, for reproducible draws.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,), values 0 and 1

    References
    ----------
    D. Hernandez-Lobato, Prediction based on averages over automatically induced learners, PhD thesis,
    Universidad Autonoma de Madrid, 2009, section 3.3.3.
    """
    n_samples = check_count(n_samples, "n_samples")
    n_flipped = round(check_number(label_noise, "label_noise", maximum=1.0) * n_samples)
    rng = random_numbers(random_state)
    X = rng.uniform(-1, 1, size=(n_samples, 2))
    y = ((X**2).sum(axis=1) >= 0.5).astype(int)
    flipped = rng.permutation(n_samples)[:n_flipped]
    y[flipped] = 1 - y[flipped]
    return X, y


def make_spiral(
    n_samples: int = 200, *, turns: float = 1.5, noise: float = 0.03, random_state: Seed = None
) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """Two spirals wound into each other: ``x = t (cos(2 pi turns t + pi y), sin(2 pi turns t + pi y)) + e``.

    ``t = sqrt(u)`` with u uniform on [0, 1], which spreads the points evenly along the arms, and
    ``e ~ N(0, noise^2 I)``. The paper shows the set without its parameters: all of them are our choice.

    Parameters
    ----------
    n_samples : int, default=200
        Number of rows, divided evenly between the classes.
    turns : float, default=1.5
        Turns of each arm.
    noise : float, default=0.03
        Standard deviation of the Gaussian noise; the arms end at radius 1.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers, for reproducible draws.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,), values 0 and 1

    References
    ----------
    H. Chen, P. Tino, X. Yao, Probabilistic classification vector machines, IEEE TNN 20, 2009.
    """
    n_samples = check_count(n_samples, "n_samples")
    turns, noise = check_number(turns, "turns"), check_number(noise, "noise")
    rng = random_numbers(random_state)
    y = balanced_labels(n_samples, rng)
    radius = np.sqrt(rng.uniform(size=n_samples))
    angle = np.pi * (2 * turns * radius + y)
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return X + noise * rng.standard_normal(X.shape), y


def make_waveform(
    n_samples: int = 300, *, n_classes: int = 3, random_state: Seed = None
) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """Breiman's waveform: ``x_i = u h_a(i) + (1 - u) h_b(i) + e_i`` for i = 1, ..., 21.

    u is uniform on [0, 1] and e standard normal. The waves are triangles, ``h_1(i) = max(6 - |i - 11|, 0)``,
    ``h_2(i) = h_1(i - 4)`` and ``h_3(i) = h_1(i + 4)``; classes 0, 1 and 2 mix the waves (1, 2), (1, 3) and
    (2, 3). The Bayes error of the three classes is about 14 %.

    Parameters
    ----------
    n_samples : int, default=300
        Number of rows, divided evenly between the three classes.
    n_classes : {2, 3}, default=3
        Number of classes. With 2, class 1 (waves 1 and 3) stands against the other two, as in Raetsch's
        benchmark: a third of the labels are 1.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers, for reproducible draws.

    Returns
    -------
    X : ndarray of shape (n_samples, 21)
    y : ndarray of shape (n_samples,), values 0, ..., n_classes - 1

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and Regression Trees, Wadsworth, 1984, p. 49.
    """
    n_samples = check_count(n_samples, "n_samples")
    if check_count(n_classes, "n_classes", 2) > 3:
        raise ValueError(f"n_classes must be 2 or 3, got {n_classes!r}.")
    rng = random_numbers(random_state)
    y = balanced_labels(n_samples, rng, 3)
    peaks = np.array([11, 15, 7])
    waves = np.maximum(6 - np.abs(np.arange(1, 22) - peaks[:, None]), 0)
    first, second = waves[_WAVE_PAIRS[y]].swapaxes(0, 1)
    u = rng.uniform(size=(n_samples, 1))
    X = u * first + (1 - u) * second + rng.standard_normal((n_samples, 21))
    return X, y if n_classes == 3 else (y == 1).astype(int)


def make_sparse_linear(
    n_samples: int = 30,
    n_features: int = 200,
    n_informative: int = 10,
    *,
    coef: bool = False,
    random_state: Seed = None,
) -> tuple[NDArray, ...]:
    """Separable classes, few informative features: ``y = 1`` where ``w' x > 0``, w sparse, else 0.

    Weights are ``w_j ~ N(-0.5, 1)`` for the first, informative features, and zero for the others; there is no
    intercept. The paper does not state the distribution of x; ours is ``N(0, I)``. To draw a test set from
    the same w, draw training and test rows together.

    Parameters
    ----------
    n_samples : int, default=30
        Number of rows.
    n_features : int, default=200
        Number of columns.
    n_informative : int, default=10
        Number of non-zero weights.
    coef : bool, default=False
        Whether the weights w are returned, too.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers, for reproducible draws.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,), values 0 and 1
    w : ndarray of shape (n_features,), only if `coef` is True

    References
    ----------
    Y. Qi, T. Minka, R. Picard, Z. Ghahramani, Predictive automatic relevance determination by expectation
    propagation, ICML 2004, section 4.
    """
    n_samples, n_features = check_count(n_samples, "n_samples"), check_count(n_features, "n_features")
    if check_count(n_informative, "n_informative") > n_features:
        raise ValueError(f"n_informative must be at most n_features={n_features}, got {n_informative}.")
    rng = random_numbers(random_state)
    w = np.zeros(n_features)
    w[:n_informative] = rng.normal(-0.5, 1, size=n_informative)
    X = rng.standard_normal((n_samples, n_features))
    y = (X @ w > 0).astype(int)
    return (X, y, w) if coef else (X, y)
