"""Boosted regressors with the bounds and the rule by which a number is known, ready to be evaluated."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .additive_trees import AdditiveTrees
from .boosted_model import BoostedModel
from .bounds import Router, rest_of, router_of, spreads, whole_space
from .calibration import ValueCalibration
from .evaluation import block_of, checked_rows


@dataclass(frozen=True)
class ValueExit:
    """Trees in their order of evaluation with what is known of the number after each of them.

    ``rest`` bounds what the trees to come add, by cell of the router and trees evaluated; ``rule`` is the
    scale, the shift and the memory of `ValueCalibration`.
    """

    model: BoostedModel
    trees: AdditiveTrees
    router: Router
    rest: NDArray
    rule: tuple[NDArray, NDArray, float]
    tolerance: float

    def decide(self, X: NDArray) -> tuple[NDArray, NDArray]:
        """Numbers of checked rows, and the trees evaluated."""
        from .compiled_bounds import evaluate_values  # imports numba

        trees = self.trees
        values = np.full(len(X), trees.base[0])
        queries = np.full(len(X), trees.n_trees, dtype=np.int32)
        evaluate_values(
            *(trees.parts, trees.roots, self.router.nodes, self.rest, self.rule, X),
            *(trees.general or bool(np.isnan(X).any()), block_of(X), self._link, values, queries),
        )
        return values, queries

    def single_row(self) -> tuple[Callable, tuple] | None:
        """Compiled evaluation of a single row with its other arguments; None for trees with categories."""
        from .compiled_bounds import evaluate_row_value  # imports numba

        trees = self.trees
        if trees.general or self.model.prepare is not None:
            return None
        return evaluate_row_value, (
            *(trees.single, trees.nodes, trees.values, trees.roots, self.router.nodes, self.rest, self.rule),
            *(float(trees.base[0]), self._link),
        )

    def check(self, X: Any, ensemble: Any) -> NDArray:
        """Rows as the trees take them."""
        return checked_rows(self.model, X, ensemble)

    @property
    def _link(self):
        return self.model.link == "exponential", self.tolerance


def exact_values(model: BoostedModel, router_depth: int, tolerance: float) -> ValueExit:
    """Early exit by certificate only: trees of the widest range first."""
    trees = model.trees.in_order(np.argsort(-spreads(model.trees), kind="stable"))
    router = router_of(trees, router_depth) if router_depth else whole_space(trees)
    never = np.full(trees.n_trees + 1, np.inf), np.zeros(trees.n_trees + 1), 0.0
    return ValueExit(model, trees, router, rest_of(trees, router), never, tolerance)


def calibrated_values(model: BoostedModel, calibration: ValueCalibration) -> ValueExit:
    """Early exit by the rule or by certificate: trees in the order of boosting."""
    router = whole_space(model.trees)
    rule = calibration.scale, calibration.shift, calibration.memory
    return ValueExit(model, model.trees, router, rest_of(model.trees, router), rule, calibration.tolerance)
