"""Boosted trees with the thresholds at which their rows are decided, ready to be evaluated."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array, get_tags
from sklearn.utils.validation import validate_data

from ..training import unfrozen
from .additive_trees import AdditiveTrees
from .boosted_model import BoostedModel, linked
from .bounds import Router, gains_of, limits_of, remaining, router_of, spreads, whole_space
from .calibration import Calibration

# Bytes of features in a block of rows, and least rows of a block. Set by hand, as for forests.
_BLOCK_BYTES, _MIN_BLOCK_ROWS = 1 << 19, 64
_LINKS = {"sigmoid": 0, "softmax": 1, "one-vs-rest": 0}


@dataclass(frozen=True)
class EarlyExit:
    """Trees in their order of evaluation with what decides a row after each of them.

    With one output ``limits`` has scores by cell of the router and trees evaluated, else ``gains`` and
    ``leads`` by round.
    """

    model: BoostedModel
    trees: AdditiveTrees
    router: Router
    limits: NDArray | None
    gains: NDArray | None
    leads: NDArray

    def decide(self, X: NDArray) -> tuple[NDArray, NDArray]:
        """Codes of the classes of checked rows, and the trees evaluated."""
        from .compiled_sums import evaluate_several, evaluate_two  # imports numba

        scores, queries = self._start(X)
        general, block = self._is_general(X), block_of(X)
        trees, roots = self.trees.parts, self.trees.roots
        if self.limits is not None:
            evaluate_two(trees, roots, self.router.nodes, self.limits, X, general, block, scores, queries)
        else:
            evaluate_several(
                *(trees, roots, self.trees.outputs, self.gains, self.leads),
                *(X, general, block, scores, queries),
            )
        return self.codes(scores), queries

    def probabilities(self, X: NDArray, tolerance: float) -> tuple[NDArray, NDArray]:
        """Probabilities of all classes within the tolerance, and the trees evaluated."""
        from .compiled_bounds import evaluate_probabilities  # imports numba

        link = self.model.link
        scores, queries = self._start(X)
        least, most = remaining(self.trees)
        evaluate_probabilities(
            *(self.trees.parts, self.trees.roots, self.trees.outputs, least, most, X, self._is_general(X)),
            *(_LINKS[link], self.model.steepness, tolerance, scores, queries),
        )
        return linked(scores, link, self.model.steepness), queries

    def codes(self, scores: NDArray) -> NDArray:
        """Codes of the classes that lead; the library's own rule decides a score of exactly zero."""
        if scores.shape[1] > 1:
            return scores.argmax(axis=1)
        return (scores[:, 0] >= 0 if self.model.positive_at_zero else scores[:, 0] > 0).astype(np.intp)

    def single_row(self) -> tuple[Callable, tuple] | None:
        """Compiled evaluation of a single row with its other arguments; None for trees with categories."""
        from .compiled_sums import evaluate_row_of_several, evaluate_row_of_two  # imports numba

        trees = self.trees
        if trees.general or self.model.prepare is not None:
            return None
        start = trees.single, trees.nodes, trees.values, trees.roots
        if self.limits is not None:
            return evaluate_row_of_two, (
                *start,
                *(self.router.nodes, self.limits, float(trees.base[0]), self.model.positive_at_zero),
            )
        return evaluate_row_of_several, (*start, trees.outputs, self.gains, self.leads, trees.base)

    def check(self, X: Any, ensemble: Any) -> NDArray:
        """Rows as the trees take them."""
        return checked_rows(self.model, X, ensemble)

    def _start(self, X):
        """Scores before the first tree, and the trees evaluated of rows that nothing decides: all."""
        return np.tile(self.trees.base, (len(X), 1)), np.full(len(X), self.trees.n_trees, dtype=np.int32)

    def _is_general(self, X):
        return self.trees.general or bool(np.isnan(X).any())


def exact_exit(model: BoostedModel, router_depth: int) -> EarlyExit:
    """Early exit by certificate only: rounds of the widest range first."""
    trees = model.trees.in_order(np.argsort(-spreads(model.trees), kind="stable"))
    never = np.full(trees.n_rounds + 1, np.inf)
    if len(trees.base) == 1:
        router = router_of(trees, router_depth) if router_depth else whole_space(trees)
        return EarlyExit(model, trees, router, limits_of(trees, router), None, never)
    return EarlyExit(model, trees, whole_space(trees), None, gains_of(trees), never)


def calibrated_exit(model: BoostedModel, calibration: Calibration) -> EarlyExit:
    """Early exit by leads that are enough or by certificate: rounds in the order of boosting."""
    trees, leads = model.trees, calibration.leads
    router = whole_space(trees)
    if len(trees.base) > 1:
        return EarlyExit(model, trees, router, None, gains_of(trees), leads)
    limits = limits_of(trees, router)
    limits[:, :, 0] = np.maximum(limits[:, :, 0], -leads)
    limits[:, :, 1] = np.minimum(limits[:, :, 1], leads)
    limits[:, -1] = 0.0
    return EarlyExit(model, trees, router, limits, None, leads)


def checked_rows(model: BoostedModel, X: Any, ensemble: Any) -> NDArray:
    """Rows as the trees take them: checked, encoded if the model has categories, rounded as there."""
    X = _checked(X, ensemble, model.n_features, numbers=model.prepare is None)
    X = X if model.prepare is None else model.prepare(X)
    if model.trees.single:
        with np.errstate(over="ignore"):  # infinite numbers are beyond every threshold, too
            X = X.astype(np.float32)
    return np.ascontiguousarray(X, dtype=np.float64)


def block_of(X: NDArray) -> int:
    """Number of rows of a block."""
    return max(_MIN_BLOCK_ROWS, _BLOCK_BYTES // max(1, X[:1].nbytes))


def has_names(ensemble: Any) -> bool:
    """Whether an ensemble of scikit-learn has names of columns to check."""
    return _is_sklearn(ensemble) and hasattr(unfrozen(ensemble), "feature_names_in_")


def _is_sklearn(ensemble):
    return type(unfrozen(ensemble)).__module__.startswith("sklearn")


def _checked(X, ensemble, n_features, numbers):
    """Rows as numbers, missing values allowed; scikit-learn's ensembles check names and number of columns."""
    X = X.toarray() if issparse(X) else X
    options: dict[str, Any] = {"dtype": np.float64 if numbers else None, "ensure_all_finite": "allow-nan"}
    if _is_sklearn(ensemble):
        inner = unfrozen(ensemble)
        options["ensure_all_finite"] = "allow-nan" if get_tags(inner).input_tags.allow_nan else True
        return validate_data(inner, X, reset=False, **options)
    X = check_array(X, **options)
    if X.shape[1] != n_features:
        raise ValueError(f"X has {X.shape[1]} features, but the ensemble is expecting {n_features} features.")
    return X
