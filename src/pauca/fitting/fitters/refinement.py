"""Refinement of a model whose columns are chosen: coordinate ascent, shrinkage of the weights."""

from dataclasses import replace
from typing import Any

import numpy as np

from ...inference import expanded_at_mean
from ..fitter import Model

# Share of the lower bound by which a cycle of coordinate ascent must raise it to go on; set by hand.
_SETTLED = 1e-6
# Factor by which shrinkage raises all precisions in a step, and the limit on the steps; set by hand.
_SHRINKAGE_STEP, _MAX_SHRINKAGE_STEPS = np.sqrt(2), 40
# Share of the saved size penalty that shrinkage may spend besides its own nats; set by hand.
_SAVINGS_SPENT = 0.5


def coordinate_ascent(search: Any, model: Model, path: Any) -> tuple[Model, bool]:
    """Model after updates of all posteriors in turn, without columns of small weights; whether it settled.

    Columns whose mean weight is below the limit leave, and the updates begin again.
    """
    while True:
        model, settled = _ascend(search, model, path)
        small = np.abs(model.posterior.mean[1:]) < search.limits.min_weight
        if not small.any():
            return model, settled
        model = _without(search, model, small)
        path.add(model, 0, small.sum())


def _ascend(search, model, path):
    """Cycles of coordinate ascent until the bound stops rising, and whether it did."""
    for _ in range(search.limits.max_iter):
        least = _SETTLED * max(1.0, abs(model.log_evidence))
        after = updated(search, model, accelerate=True)
        if after.log_evidence < model.log_evidence + least:
            after = updated(search, model)
        rise = after.log_evidence - model.log_evidence
        if rise > 0:
            model = after
            path.add(model, 0, 0)
        if rise < least:
            return model, True
    return model, False


def updated(search: Any, model: Model, accelerate: bool = False) -> Model:
    """Model after one cycle: posteriors of precisions and noise given the weights, then those of the weights.

    A cycle never lowers the lower bound, unless ``accelerate`` lets the precisions take longer steps.
    """
    prior = model.prior.reestimated(model.posterior, accelerate)
    likelihood = search.reestimated_likelihood(model, accelerate)
    start = model.posterior.warm_start(slice(None), 0)
    return search.infer(model.active, model.Phi, prior, likelihood, start)


def _without(search, model, small):
    """Model without some of its columns."""
    stays = np.append(True, ~small)
    prior = model.prior.with_precision(model.prior.precision[stays])
    start = model.posterior.warm_start(stays, 0)
    return search.infer(model.active[~small], model.Phi[:, stays], prior, model.likelihood, start)


def with_curvature_at_mean(search: Any, model: Model) -> Model:
    """Model with the curvature of the likelihood at the mean, where its quadratic bound is too narrow."""
    arguments = model.likelihood, model.prior, model.Phi, search.y, search.weights
    return replace(model, posterior=expanded_at_mean(*arguments, model.posterior))


def cautious(search: Any, model: Model, penalised_evidence: float, loss: float) -> Model:
    """Model to predict with: shrunk, or the bias alone if its evidence is above the penalised evidence.

    Of many columns some raise the evidence of labels drawn at random, too.
    """
    null = search.null_model(model.likelihood)
    if len(model.active) and penalised_evidence < null.log_evidence:
        return null
    return shrunk(search, model, loss) if loss > 0 else model


def shrunk(search: Any, model: Model, loss: float) -> Model:
    """Model with all precisions raised by one factor, at a ``loss`` of log evidence in nats at most.

    Columns that were picked among many because they fit best have weights that are too large; where classes
    separate, far too large.
    """
    least, shrunken = _sound_evidence(model) - loss, model
    for _ in range(_MAX_SHRINKAGE_STEPS if len(model.active) else 0):
        precision = np.append(shrunken.prior.precision[:1], _SHRINKAGE_STEP * shrunken.prior.precision[1:])
        prior, start = shrunken.prior.with_precision(precision), shrunken.posterior.warm_start(slice(None), 0)
        after = search.infer(model.active, model.Phi, prior, model.likelihood, start)
        if _sound_evidence(after) < least:
            break
        shrunken = after
    return shrunken


def _sound_evidence(model):
    """Log evidence less half the penalty for large weights."""
    return model.log_evidence - _SAVINGS_SPENT * model.size_penalty
