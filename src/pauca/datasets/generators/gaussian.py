"""Classification problems made of Gaussians, for which the Bayes classifier is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .draws import Seed, check_count, check_number, draw_mixture

# Means of the two components of each class, and their common variance: Ripley 1996.
_RIPLEY_CENTRES = np.array([[[-0.7, 0.3], [0.3, 0.3]], [[-0.3, 0.7], [0.4, 0.7]]])
_RIPLEY_VARIANCE = 0.03


def make_ripley(
    n_samples: int = 250, *, random_state: Seed = None
) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """Ripley's two-class problem: ``x | y ~ (N(m_y1, 0.03 I) + N(m_y2, 0.03 I)) / 2`` in two dimensions.

    The centres are (-0.7, 0.3) and (0.3, 0.3) for class 0, (-0.3, 0.7) and (0.4, 0.7) for class 1.
    The Bayes error is 8.9 %; the 8 % of the literature is the error of the Bayes classifier on Ripley's own
    test set.

    Parameters
    ----------
    n_samples : int, default=250
        Number of rows, divided evenly between the classes.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers, for reproducible draws.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,), values 0 and 1

    References
    ----------
    B. D. Ripley, Pattern Recognition and Neural Networks, Cambridge University Press, 1996.
    """
    return draw_mixture(n_samples, _RIPLEY_CENTRES, np.sqrt(_RIPLEY_VARIANCE), random_state)


def ripley_posterior(X: ArrayLike) -> NDArray[np.float64]:
    """Exact probability of class 1, ``P(y = 1 | x)``, under the distribution of :func:`make_ripley`.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
        Points.

    Returns
    -------
    probability : ndarray of shape (n_samples,)
    """
    from scipy.special import expit, logsumexp

    from ...validation import as_numbers, check_size

    X = as_numbers("X", X)
    check_size("X", X)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError(f"X must have shape (n_samples, 2), got {X.shape}.")
    squared_distance = ((X[:, None, None, :] - _RIPLEY_CENTRES) ** 2).sum(axis=-1)
    log_density = logsumexp(-squared_distance / (2 * _RIPLEY_VARIANCE), axis=-1)
    return expit(log_density[:, 1] - log_density[:, 0])


def make_twonorm(
    n_samples: int = 300, *, n_features: int = 20, random_state: Seed = None
) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """Breiman's twonorm: ``x | y=0 ~ N(-a, I)``, ``x | y=1 ~ N(a, I)`` with ``a = (2, ..., 2) / sqrt(d)``.

    The optimal boundary is a plane; the Bayes error is Phi(-2) = 2.3 % in any dimension.

    Parameters
    ----------
    n_samples : int, default=300
        Number of rows, divided evenly between the classes.
    n_features : int, default=20
        Dimension d.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers, for reproducible draws.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,), values 0 and 1

    References
    ----------
    L. Breiman, Bias, variance, and arcing classifiers, Technical Report 460, UC Berkeley, 1996.
    """
    a = np.full(check_count(n_features, "n_features"), 2 / np.sqrt(n_features))
    return draw_mixture(n_samples, [[-a], [a]], 1.0, random_state)


def make_ringnorm(
    n_samples: int = 300, *, n_features: int = 20, shift: float = 1.0, random_state: Seed = None
) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """Breiman's ringnorm: ``x | y=0 ~ N(0, 4 I)``, ``x | y=1 ~ N(a, I)`` with ``a = (s, ..., s) / sqrt(d)``.

    s is the `shift`. The optimal boundary is a sphere. In 20 dimensions the Bayes error is 1.5 %; with
    ``shift=2``, the value behind the data files of DELVE and of Raetsch's benchmark, it is 1.2 %.

    Parameters
    ----------
    n_samples : int, default=300
        Number of rows, divided evenly between the classes.
    n_features : int, default=20
        Dimension d.
    shift : float, default=1.0
        Distance between the class means.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers, for reproducible draws.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,), values 0 and 1

    References
    ----------
    L. Breiman, Bias, variance, and arcing classifiers, Technical Report 460, UC Berkeley, 1996.
    """
    a = np.full(check_count(n_features, "n_features"), check_number(shift, "shift") / np.sqrt(n_features))
    return draw_mixture(n_samples, [[0 * a], [a]], [[2.0], [1.0]], random_state)


def make_threenorm(
    n_samples: int = 300, *, n_features: int = 20, random_state: Seed = None
) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """Breiman's threenorm: ``x | y=0 ~ (N(a, I) + N(-a, I)) / 2``, ``x | y=1 ~ N(b, I)``.

    Here ``a = (c, c, c, c, ...)``, ``b = (c, -c, c, -c, ...)`` and ``c = 2 / sqrt(d)``. In 20 dimensions the
    Bayes error is 10.4 %.

    Parameters
    ----------
    n_samples : int, default=300
        Number of rows, divided evenly between the classes.
    n_features : int, default=20
        Dimension d.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers, for reproducible draws.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,), values 0 and 1

    References
    ----------
    L. Breiman, Bias, variance, and arcing classifiers, Technical Report 460, UC Berkeley, 1996.
    """
    a = np.full(check_count(n_features, "n_features"), 2 / np.sqrt(n_features))
    b = a * (-1.0) ** np.arange(n_features)
    return draw_mixture(n_samples, [[a, -a], [b, b]], 1.0, random_state)


def make_overlap(
    n_samples: int = 200, *, separation: float = 2.0, random_state: Seed = None
) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """Two Gaussians with equal covariance: ``x | y ~ N(-+ separation/2 * e, I)``, e the diagonal direction.

    The optimal boundary is a line; the Bayes error is Phi(-separation/2), 15.9 % by default. The paper shows
    the set without its parameters: centres, covariance and size are our choice.

    Parameters
    ----------
    n_samples : int, default=200
        Number of rows, divided evenly between the classes.
    separation : float, default=2.0
        Distance between the class means in standard deviations.
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
    centre = np.full(2, check_number(separation, "separation") / np.sqrt(8))
    return draw_mixture(n_samples, [[-centre], [centre]], 1.0, random_state)


def make_bumpy(
    n_samples: int = 200, *, length: float = 2.0, width: float = 0.5, random_state: Seed = None
) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """A Gaussian and its rotation by 90 degrees: ``N(0, diag(length^2, width^2))`` and axes exchanged.

    Class 0 lies along the first axis, class 1 along the second. The optimal boundary ``|x_1| = |x_2|`` is
    quadratic and the Bayes error is ``2/pi * arctan(width / length)``, 15.6 % by default. The paper shows the
    set without its parameters: the common centre and the two standard deviations are our choice.

    Parameters
    ----------
    n_samples : int, default=200
        Number of rows, divided evenly between the classes.
    length : float, default=2.0
        Standard deviation along each Gaussian.
    width : float, default=0.5
        Standard deviation across each Gaussian.
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
    along, across = check_number(length, "length"), check_number(width, "width")
    return draw_mixture(n_samples, np.zeros((2, 1, 2)), [[along, across], [across, along]], random_state)


def make_relevance(
    n_samples: int = 200, *, n_features: int = 2, separation: float = 4.0, random_state: Seed = None
) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """Classes that differ in one feature: ``x_1 | y ~ N(-+ separation/2, 1)``, all others ``N(0, 1)``.

    The Bayes error is Phi(-separation/2), 2.3 % by default. The paper shows the set without its parameters:
    the distributions are our choice.

    Parameters
    ----------
    n_samples : int, default=200
        Number of rows, divided evenly between the classes.
    n_features : int, default=2
        Number of columns, of which the first is relevant.
    separation : float, default=4.0
        Distance between the class means in standard deviations.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers, for reproducible draws.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,), values 0 and 1

    References
    ----------
    H. Chen, P. Tino, X. Yao, Probabilistic classification vector machines, IEEE TNN 20, 2009.
    """
    centre = np.zeros(check_count(n_features, "n_features"))
    centre[0] = check_number(separation, "separation") / 2
    return draw_mixture(n_samples, [[-centre], [centre]], 1.0, random_state)
