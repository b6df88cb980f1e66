"""Members as basis functions: the evidence chooses them, and how many."""

import warnings
from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..basis import CandidatePool, PrecomputedBasis
from ..inference import laplace
from ..learn import Recipe, Settings, learn
from ..likelihoods import Gaussian, Logit
from ..numerics import threads_for
from ..priors import SoftTruncated
from .checks import check_outputs

# Weights of members are about 1 / M in units where outputs have variance one: below that it is steep.
_PRIOR = partial(SoftTruncated, steepness=30.0)
_MAX_PRECISION = 1e6
# What a member must be worth, in nats: those that are kept count alike, so that faint ones would harm.
_SETTINGS = Settings(min_gain=0.3)
_EMPTY = np.empty(0, dtype=int), np.empty(0)


@dataclass(frozen=True)
class WeightedMembers:
    """Members that the evidence keeps, in rising order, their positive weights, and the log evidence."""

    selected: np.ndarray
    weights: np.ndarray
    log_evidence: float


def evidence_pruning(outputs, y, *, task="regression", sample_weight=None):
    """Choose members, and their number, by the evidence of a model in which they are the basis functions.

    f(x) = w_0 + Σ_j w_j f_j(x) with a prior that wants w_j > 0 and a precision of its own for every weight.
    Members are added, deleted and re-estimated as in a relevance vector machine, until the log evidence stops
    rising. In classification the f_j are votes; more than two classes are one against the rest each, with the
    same weights for all.

    Parameters
    ----------
    outputs, y, task, sample_weight
        See `ordered_aggregation`.

    Returns
    -------
    WeightedMembers
        ``selected``, empty if no member is of use; ``weights``, those of the plain outputs; ``log_evidence``.

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
    return chosen_by_evidence(check_outputs(outputs, y, task, sample_weight))


def chosen_by_evidence(data):
    """`evidence_pruning` of checked outputs."""
    if data.known is not None:
        raise ValueError(
            'method="evidence" needs the outputs of all members for all rows: use selection="train" or '
            '"holdout".'
        )
    columns, y, weights, recipe = _regression(data) if data.task == "regression" else _classification(data)
    basis = PrecomputedBasis(columns, np.full(columns.shape[1], -1))
    with threads_for(columns.size):
        problem = recipe.problem(CandidatePool(basis, np.arange(columns.shape[1])), y, weights)
        fit = learn(problem, recipe.likelihood, _SETTINGS, np.random.default_rng(0), _EMPTY)
    if not fit.converged:
        warnings.warn("evidence_pruning did not converge.", ConvergenceWarning, stacklevel=3)
    return _positive(fit.model, basis)


def _positive(model, basis):
    """The active members whose posterior mean is positive, in the units of the plain outputs."""
    _, _, scale = basis.columns(model.active)
    weights = model.posterior.mean[1:] / scale
    order = np.argsort(model.active)
    order = order[weights[order] > 0]
    return WeightedMembers(model.active[order], weights[order], model.log_evidence)


def _regression(data):
    """One row for each target of each row; Gaussian noise of learned precision, targets of variance one."""
    columns = data.outputs.reshape(data.n_members, -1).T
    y, weights = data.y.ravel(), np.repeat(data.weights, columns.shape[0] // len(data.weights))
    centre = np.average(y, weights=weights)
    spread = np.sqrt(np.average(np.square(y - centre), weights=weights)) or 1.0
    recipe = Recipe(Gaussian(10.0, _MAX_PRECISION), laplace, _PRIOR)
    return columns / spread, (y - centre) / spread, weights, recipe


def _classification(data):
    """One row for each class (of two the second only) of each row: votes for it, and whether it is true."""
    classes = range(data.n_classes) if data.n_classes > 2 else [data.n_classes - 1]
    columns = np.concatenate([2.0 * (data.outputs == code).T - 1 for code in classes])
    y = np.concatenate([2.0 * (data.y == code) - 1 for code in classes])
    return columns, y, np.tile(data.weights, len(classes)), Recipe(Logit(), laplace, _PRIOR)
