"""Final fits of Bayes machines that learn a matrix of confusion between classes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...inference import ConfusionFit, DesignPrior, confused_latent_ep
from ...likelihoods import UncertainClass
from ...numerics import robust_cholesky, solve_lower, solve_upper

# Prior variances of the latent values that are compared by evidence, in units of their independent noise: how
# sharp the borders between classes may be. Set by hand.
_AMPLITUDES = 3.0, 30.0, 300.0


@dataclass(frozen=True)
class ConfusedRows:
    """Latent functions of all classes by the kernel columns of some rows, and the confusion of labels.

    Parameters
    ----------
    rows : ndarray of shape (n_vectors,)
        Rows at which the processes are represented.
    amplitude : float
        Prior variance of the latent values, as a multiple of the kernel.
    coefs : ndarray of shape (n_classes, n_vectors)
        Weights of the kernel columns in the means of the latent functions.
    kernels : list of ndarray of shape (n_vectors, n_vectors)
        Matrices that say by how much each column lessens the prior variance.
    fit : ConfusionFit
        Posterior of the confusion and of the true classes.
    """

    rows: NDArray
    amplitude: float
    coefs: NDArray
    kernels: list
    fit: ConfusionFit


def confusion_prior(n_classes: int, noise_prior: tuple[float, float]) -> NDArray:
    """Dirichlet parameters of the labels of each class: b for the class itself, a shared by the others.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    noise_prior : tuple of float
        (a, b) of the Beta prior of the share of wrong labels.
    """
    a, b = noise_prior
    return np.where(np.eye(n_classes, dtype=bool), float(b), a / (n_classes - 1))


def best_amplitude(gram: Any, labels: NDArray, prior: NDArray) -> float:
    """Amplitude of the largest evidence on some rows.

    Parameters
    ----------
    gram : Gram
        Kernel matrix of the rows, without labels.
    labels : ndarray of shape (n_rows, n_classes)
        Weights of the labels of each row.
    prior : ndarray of shape (n_classes, n_classes)
        Dirichlet parameters of the labels of each true class.
    """
    rows = np.arange(len(labels))
    fits = [fit_confused(gram, rows, labels, prior, amplitude) for amplitude in _AMPLITUDES]
    return max(fits, key=lambda each: each.fit.log_evidence).amplitude


def fit_confused(gram: Any, rows: NDArray, labels: NDArray, prior: NDArray, amplitude: float) -> ConfusedRows:
    """Processes represented at some rows, given the labels of all.

    Parameters
    ----------
    gram : Gram
        Kernel matrix of all rows, without labels.
    rows : ndarray of int
        Rows at which the processes are represented.
    labels : ndarray of shape (n_rows, n_classes)
        Weights of the labels of each row.
    prior : ndarray of shape (n_classes, n_classes)
        Dirichlet parameters of the labels of each true class.
    amplitude : float
        Prior variance of the latent values, as a multiple of the kernel.
    """
    root = robust_cholesky(gram.block(rows))
    design = solve_lower(root, gram.columns(rows).T).T
    left = np.maximum(gram.diagonal - np.square(design).sum(axis=1), 0.0)
    scale = np.sqrt(amplitude)
    fit = confused_latent_ep(UncertainClass(), DesignPrior(scale * design, amplitude * left), labels, prior)
    coefs = scale * solve_upper(root, fit.latent.means.T).T
    inverse = solve_lower(root, np.eye(len(rows)))
    return ConfusedRows(
        rows, amplitude, coefs, [amplitude * _explained(inverse, L) for L in fit.latent.factors], fit
    )


def _explained(inverse, factor):
    """R⁻ᵀ (I − (L Lᵀ)⁻¹) R⁻¹ for the inverse R⁻¹ of the root of the kernel matrix."""
    half = solve_lower(factor, np.eye(len(factor)))
    return inverse.T @ (np.eye(len(factor)) - half.T @ half) @ inverse
