"""Rounds of a boosted ensemble that matter, one by one or all together, with new weights."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ...checks import MemberOutputs
from ...pruning.criteria import criterion_matrix
from ...pruning.sdp import select_by_sdp
from ..boosted_model import BoostedModel

# Function from scores to the loss of all rows in nats, and its derivatives in the scores.
Loss = Callable[[NDArray], tuple[float, NDArray]]

METHODS = "ordered", "sdp"
# The weights of all rounds kept are found anew each time that their number has grown by this share.
_GROWTH = 1.25


def contributions(model: BoostedModel, X: NDArray) -> NDArray:
    """Scores that each round adds to every row, shape (n_rounds, n_rows, n_outputs)."""
    from ..compiled_sums import add_rounds  # imports numba

    trees = model.trees
    added = np.zeros((trees.n_rounds, len(X), len(trees.base)))
    general = trees.general or bool(np.isnan(X).any())
    add_rounds(trees.parts, trees.roots, trees.outputs, X, general, added)
    return added


def selected(
    base: NDArray, added: NDArray, loss: Loss, count: int, penalty: float
) -> tuple[NDArray, NDArray]:
    """Indices of the rounds kept in the order in which they were added, and their weights.

    ``added`` is what each round adds to the scores, shape (n_rounds, n_rows, n_outputs), ``base`` the scores
    before the first; ``loss`` gives the loss of scores in nats and its derivatives.
    """
    spread = added.std(axis=1).sum(axis=1) + np.finfo(float).tiny
    left = np.ones(len(added), dtype=bool)
    order: list[int] = []
    weights, refit_at = np.empty(0), 1.0
    scores = np.tile(base, (added.shape[1], 1))
    while len(order) < count:
        _, gradient = loss(scores)
        with np.errstate(over="ignore"):  # a round that adds one number to all rows has hardly any spread
            gains = -np.tensordot(added, gradient, 2) / spread
        best = int(np.argmax(np.where(left, gains, -np.inf)))
        order.append(best)
        left[best] = False
        weights = np.append(weights, 1.0)
        if len(order) >= refit_at or len(order) == count:
            weights = _reweighted(base, added[order], loss, weights, penalty * spread[order])
            refit_at = max(len(order) + 1, _GROWTH * len(order))
        scores = base + np.tensordot(weights, added[order], 1)
    return np.array(order), weights


def selected_together(
    base: NDArray, added: NDArray, loss: Loss, count: int, penalty: float, rng: Any
) -> tuple[NDArray, NDArray]:
    """Indices of the rounds whose sum, scaled, is nearest to that of all, and their weights.

    Rounds times their number are members whose average are the scores of all, so that the semidefinite
    relaxation for averages selects among them; ``added``, ``base`` and ``loss`` are those of `selected`.
    """
    members = len(added) * added
    data = MemberOutputs("regression", members, added.sum(axis=0), np.ones(added.shape[1]), None)
    kept = select_by_sdp(criterion_matrix(data), count, rng).selected
    spread = added[kept].std(axis=1).sum(axis=1) + np.finfo(float).tiny
    return kept, _reweighted(base, added[kept], loss, np.ones(len(kept)), penalty * spread)


def _reweighted(base, added, loss, weights, penalties):
    """Weights, none negative, of the least loss plus the penalty on their distance from one."""

    def objective(weights):
        nats, gradient = loss(base + np.tensordot(weights, added, 1))
        change = weights - 1
        return nats + penalties @ np.square(change) / 2, np.tensordot(added, gradient, 2) + penalties * change

    bounds = [(0.0, None)] * len(weights)
    return minimize(objective, weights, jac=True, method="L-BFGS-B", bounds=bounds).x


def reduced(model: BoostedModel, rounds: NDArray, weights: NDArray) -> BoostedModel:
    """Model of the given rounds, their leaves times the weights."""
    trees = model.trees.in_order(rounds)
    factors = np.repeat(np.repeat(weights, trees.trees_per_round), trees.sizes)
    return replace(model, trees=replace(trees, values=trees.values * factors[:, None]))
