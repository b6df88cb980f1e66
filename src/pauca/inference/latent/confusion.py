"""Latent values of many classes whose labels are confused: an unknown matrix says what becomes of a class.

The true class z of a row is that of the largest of its noisy latent values, and its labels have the
probabilities T[z]; the rows of T have Dirichlet posteriors. With two classes and equal shares of errors this
is the label noise of Hernández-Lobato's thesis (2009), section 6.2. Given the other rows, labels with weights
w have the probability B(α_z + w) / B(α_z), as in its (6.69) for the Beta distribution, and each row adds its
labels, times the probability of every true class, to the parameters α.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, softmax

from ...numerics import Accelerator
from ..protocols import JointTiltedLikelihood, check_parts
from .joint import ClassFits, JointProblem
from .priors import DesignPrior
from .result import steady_step

# Most rounds, the changes of a probability of a true class and of a site in standard deviations that end
# them, and the damping of the first round and its limit; set by hand.
_MAX_ROUNDS, _TOL, _SITE_TOL = 300, 1e-3, 1e-2
_FIRST_STEP, _LARGEST_STEP = 0.5, 0.8
# Smallest parameter of a Dirichlet distribution without one row; numerical guard.
_LEAST = 1e-10


class ConfusionFit(NamedTuple):
    """Posterior of latent functions, of true classes and of the confusion between classes.

    Parameters
    ----------
    latent : ClassFits
        Gaussian weights of each class.
    concentrations : ndarray of shape (n_classes, n_classes)
        Dirichlet parameters of the labels of each true class, a row for each true class.
    true_classes : ndarray of shape (n_rows, n_classes)
        Probability of each true class of each row.
    log_evidence : float
        Approximate log evidence in nats.
    n_iter : int
        Number of rounds.
    converged : bool
        Whether sites and true classes converged.
    """

    latent: ClassFits
    concentrations: NDArray
    true_classes: NDArray
    log_evidence: float
    n_iter: int
    converged: bool


def confused_latent_ep(
    likelihood: Any, prior: DesignPrior, labels: NDArray, concentrations: NDArray
) -> ConfusionFit:
    """Posterior of latent functions and confusion, by rounds of expectation propagation.

    Parameters
    ----------
    likelihood : UncertainClass
        Likelihood of latent values given the log likelihoods of the true classes, which records their
        probabilities.
    prior : DesignPrior
        Prior of the latent values of each class.
    labels : ndarray of shape (n_rows, n_classes)
        Weights of the labels of each row.
    concentrations : ndarray of shape (n_classes, n_classes)
        Dirichlet parameters of the labels of each true class before any row is seen.

    Returns
    -------
    fit : ConfusionFit
    """
    mean = concentrations / concentrations.sum(axis=1, keepdims=True)
    truth = softmax(labels @ np.log(mean).T, axis=1)
    check_parts("confused_latent_ep", (likelihood, JointTiltedLikelihood))
    problem = JointProblem(likelihood, prior, np.zeros(labels.shape[1]), truth, np.ones(len(labels)))
    sites, step, before, accelerator = np.zeros((2, *labels.shape)), _FIRST_STEP, np.inf, Accelerator()
    for n_iter in range(1, _MAX_ROUNDS + 1):
        others = _without(concentrations, labels, truth)
        problem.y = _log_probability(others, labels)
        found = problem.round(sites)
        change = float(np.abs(likelihood.probabilities - truth).max())
        converged = found.change < _SITE_TOL and change < _TOL
        if converged or n_iter == _MAX_ROUNDS:
            break
        step, before = steady_step(step, before, found.change, _LARGEST_STEP), found.change
        sites = accelerator.after(sites, sites + step * (found.matched - sites), found.units)
        sites[0] = np.maximum(sites[0], 0.0)
        truth = likelihood.probabilities
    posterior = concentrations + truth.T @ labels
    evidence = found.log_evidence + _confusion_terms(concentrations, posterior, others)
    parts = found.means, found.factors, sites, found.latent, found.log_evidence, converged
    return ConfusionFit(ClassFits(*parts), posterior, truth, evidence, n_iter, converged)


def _without(concentrations, labels, truth):
    """Dirichlet parameters without each row, shape (n_rows, n_classes, n_classes)."""
    posterior = concentrations + truth.T @ labels
    return np.maximum(posterior - truth[:, :, None] * labels[:, None, :], _LEAST)


def _log_probability(others, labels):
    """Log probability of the labels of each row for each true class."""
    total, weight = others.sum(axis=2), labels.sum(axis=1, keepdims=True)
    own = gammaln(others + labels[:, None, :]) - gammaln(others)
    return own.sum(axis=2) - gammaln(total + weight) + gammaln(total)


def _confusion_terms(concentrations, posterior, others):
    """Terms of the log evidence that belong to the confusion: those of thesis (6.82) for its Beta."""
    rows = _log_beta(others) - _log_beta(posterior)
    return float(rows.sum() + (_log_beta(posterior) - _log_beta(concentrations)).sum())


def _log_beta(concentrations):
    """Log of the normaliser of Dirichlet distributions along the last axis."""
    return gammaln(concentrations).sum(axis=-1) - gammaln(concentrations.sum(axis=-1))
