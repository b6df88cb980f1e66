"""Pruning by evidence: members are the basis functions of a sparse Bayesian model."""

import warnings
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from ...fitting import Limits, Recipe
from ...fitting.fitters import select_columns
from ...inference import laplace
from ...likelihoods import Gaussian, Logit
from ...numerics import threads_for
from ...priors import SoftTruncated
from ..checks import MemberOutputs, check_outputs

# Steepness of the truncation at zero, per unit of weight: weights are about 1 / M where outputs have variance
# one. Set by hand, not tuned.
_PRIOR = partial(SoftTruncated, steepness=30.0)
# Start and upper limit of the noise precision, in units where targets have variance one. Numerical guard.
_NOISE_PRECISION, _MAX_PRECISION = 10.0, 1e6
# Least gain of log evidence, in nats, for a member to be kept; higher than for vectors, because all kept
# members are averaged with equal weights. Set by hand, not tuned.
_LIMITS = Limits(min_gain=0.3)
_EMPTY = np.empty(0, dtype=int), np.empty(0)


@dataclass(frozen=True)
class WeightedMembers:
    """Members that the evidence keeps.

    Attributes
    ----------
    selected : ndarray of int of shape (n_kept,)
        Indices of the kept members, in rising order.
    weights : ndarray of shape (n_kept,)
        Positive posterior mean weights of their outputs.
    log_evidence : float
        Log evidence of the model in nats.
    """

    selected: NDArray
    weights: NDArray
    log_evidence: float


def evidence_pruning(
    outputs: ArrayLike,
    y: ArrayLike,
    *,
    task: str = "regression",
    sample_weight: ArrayLike | None = None,
) -> WeightedMembers:
    """Select members, and their number, by the evidence of a model whose basis functions they are.

    f(x) = w_0 + Σ_j w_j f_j(x) with a prior that favours w_j > 0 and has a precision for every weight.
    Members are added, deleted and re-estimated as in a relevance vector machine, until the log evidence stops
    rising. In classification the f_j are votes; more than two classes are taken one-vs-rest, with the same
    weights for all.

    Parameters
    ----------
    outputs : array-like of shape (n_members, n_samples) or (n_members, n_samples, n_outputs)
        Predictions of each member: numbers, or classes.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Targets.
    task : {"regression", "classification"}, default="regression"
        Whether outputs are numbers or votes for classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.

    Returns
    -------
    WeightedMembers
        ``selected``, empty if no member raises the evidence; ``weights`` of the unscaled outputs;
        ``log_evidence``.

    Examples
    --------
    >>> import numpy as np
    >>> from pauca.ensembles import evidence_pruning
    >>> rng = np.random.default_rng(0)
    >>> y = rng.normal(size=100)
    >>> members = [y + rng.normal(size=100), y + 0.1 * rng.normal(size=100), rng.normal(size=100)]
    >>> evidence_pruning(members, y).selected
    array([1])
    """
    return select_by_evidence(check_outputs(outputs, y, task, sample_weight))


def select_by_evidence(data: MemberOutputs) -> WeightedMembers:
    """Members that the evidence keeps, for checked outputs; see `evidence_pruning`."""
    if data.known is not None:
        raise ValueError(
            'method="evidence" needs the outputs of all members for all rows: use selection="train" or '
            '"holdout".'
        )
    columns, y, weights, recipe = _regression(data) if data.task == "regression" else _classification(data)
    with threads_for(columns.size):
        fit, _, scale = select_columns(columns, y, weights, recipe, _LIMITS, _EMPTY)
    if not fit.converged:
        warnings.warn("evidence_pruning did not converge.", ConvergenceWarning, stacklevel=3)
    return _positive(fit.model, scale)


def _positive(model, scale):
    """Active members with positive posterior means, in the units of the unscaled outputs."""
    weights = model.posterior.mean[1:] / scale
    order = np.argsort(model.active)
    order = order[weights[order] > 0]
    return WeightedMembers(model.active[order], weights[order], model.log_evidence)


def _regression(data):
    """Columns, targets, weights and recipe of regression: Gaussian noise, targets scaled to variance one."""
    columns = data.outputs.reshape(data.n_members, -1).T
    y, weights = data.y.ravel(), np.repeat(data.weights, columns.shape[0] // len(data.weights))
    centre = np.average(y, weights=weights)
    spread = np.sqrt(np.average(np.square(y - centre), weights=weights)) or 1.0
    recipe = Recipe(Gaussian(_NOISE_PRECISION, _MAX_PRECISION), laplace, _PRIOR)
    return columns / spread, (y - centre) / spread, weights, recipe


def _classification(data):
    """Columns, targets, weights and recipe of classification: rows are repeated for each one-vs-rest problem.

    Columns are votes for the class (1) or against it (-1), targets whether it is the true one.
    """
    classes = range(data.n_classes) if data.n_classes > 2 else [data.n_classes - 1]
    columns = np.concatenate([2.0 * (data.outputs == code).T - 1 for code in classes])
    y = np.concatenate([2.0 * (data.y == code) - 1 for code in classes])
    return columns, y, np.tile(data.weights, len(classes)), Recipe(Logit(), laplace, _PRIOR)
