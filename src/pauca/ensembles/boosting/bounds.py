"""What trees not yet evaluated can add: bounds for all rows, and for the cells of a router.

After t trees a class is certain when the other trees cannot change it. The bounds are suffix sums over the
trees of their least and largest reachable leaves. A router, a small tree over the most used thresholds,
divides the space into boxes; within a box fewer leaves can be reached, so that its bounds are tighter.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .additive_trees import MISSING_IS_ZERO, NODE, AdditiveTrees

# Slack of the bounds as a share of the sum of all ranges. Numerical guard: sums of floats in another order.
_ROUNDING = 1e-10
# Features and thresholds of each that the router may split at, and the trees that it looks at. Set by hand.
_FEATURES, _QUANTILES, _TREES = 10, 5, 150
# A split of the router has to leave less than this share of the ranges. Set by hand.
_LEAST_CUT = 0.999


@dataclass(frozen=True)
class Router:
    """Small tree whose leaves are boxes, from ``low`` to ``high`` by cell; cell 0 is the whole space."""

    nodes: NDArray
    low: NDArray
    high: NDArray


def whole_space(trees: AdditiveTrees) -> Router:
    """Router with a single cell."""
    nodes = np.zeros(1, dtype=NODE)
    nodes["threshold"] = np.inf
    low = np.full((1, trees.n_features), -np.inf)
    return Router(nodes, low, -low)


def spreads(trees: AdditiveTrees) -> NDArray:
    """Range of what each round can add, summed over its outputs."""
    by_tree = [np.ptp(trees.leaf_values(tree), axis=0).sum() for tree in range(trees.n_trees)]
    return np.sum(np.reshape(by_tree, (trees.n_rounds, -1)), axis=1)


def rest_of(trees: AdditiveTrees, router: Router) -> NDArray:
    """Least and largest sum of the trees to come, one output, by cell and trees evaluated.

    Shape (n_cells, n_trees + 1, 2).
    """
    rest = np.empty((len(router.low), trees.n_trees + 1, 2))
    for cell, (low, high) in enumerate(zip(router.low, router.high, strict=True)):
        least, most = tree_ranges(trees, low, high)
        slack = _ROUNDING * (most - least).sum()
        rest[cell, :, 0] = _suffix_sums(least[:, 0]) - slack
        rest[cell, :, 1] = _suffix_sums(most[:, 0]) + slack
    rest[:, -1] = 0.0
    return rest


def limits_of(trees: AdditiveTrees, router: Router) -> NDArray:
    """Scores of one output that decide a row, by cell and trees evaluated, shape (n_cells, n_trees + 1, 2).

    Below the first and above the second no remaining tree can change the sign.
    """
    return -rest_of(trees, router)[:, :, ::-1]


def remaining(trees: AdditiveTrees) -> tuple[NDArray, NDArray]:
    """Least and largest sums of the trees after each round, by output, shape (n_rounds + 1, n_outputs)."""
    least, most = np.zeros((2, trees.n_rounds, len(trees.base)))
    for tree in range(trees.n_trees):
        values, first = trees.leaf_values(tree), int(trees.outputs[tree])
        part = tree // trees.trees_per_round, slice(first, first + trees.width)
        least[part], most[part] = values.min(axis=0), values.max(axis=0)
    return _suffix_sums(least), _suffix_sums(most)


def gains_of(trees: AdditiveTrees) -> NDArray:
    """Largest gains of output j over k, by round and [k, j], from the trees after each round."""
    n_outputs, per_round = len(trees.base), trees.trees_per_round
    gains = np.zeros((trees.n_rounds, n_outputs, n_outputs))
    for tree in range(trees.n_trees):
        values, first = trees.leaf_values(tree), int(trees.outputs[tree])
        part = slice(first, first + trees.width)
        done = gains[tree // per_round]
        if trees.width > 1:
            done[part, part] += (values[:, None, :] - values[:, :, None]).max(axis=0)
        else:
            done[:, first] += values.max()
            done[first, :] -= values.min()
    gains[:, np.arange(n_outputs), np.arange(n_outputs)] = 0.0
    sums = _suffix_sums(gains)
    return np.where(sums == 0, 0.0, sums + _ROUNDING * np.abs(gains).sum(axis=0))


def tree_ranges(trees: AdditiveTrees, low: NDArray, high: NDArray) -> tuple[NDArray, NDArray]:
    """Least and largest leaf of every tree that rows in the box (low, high] reach, shape (n_trees, width)."""
    from .compiled_bounds import ranges  # imports numba

    least, most = np.empty((2, trees.n_trees, trees.width))
    ranges(trees.nodes, trees.values, trees.kinds, trees.roots, low, high, least, most)
    return least, most


def router_of(trees: AdditiveTrees, depth: int) -> Router:
    """Router of up to 2^depth cells, each split where the ranges of the trees shrink most."""
    some = trees.in_order(np.unique(np.linspace(0, trees.n_rounds - 1, _TREES).astype(int)))
    candidates = _candidates(some)
    start = whole_space(trees)
    boxes = [(0, start.low[0], start.high[0], depth)]
    nodes: list = [start.nodes[0].copy()]
    cells: list[tuple[NDArray, NDArray]] = []
    while boxes:
        place, low, high, levels = boxes.pop()
        split = _best_split(some, candidates, low, high) if levels else None
        if split is None:
            nodes[place]["child"], nodes[place]["feature"] = place, len(cells) + 1
            cells.append((low, high))
            continue
        feature, threshold = split
        nodes[place]["threshold"], nodes[place]["child"], nodes[place]["feature"] = (
            threshold,
            len(nodes),
            feature,
        )
        left, right = high.copy(), low.copy()
        left[feature] = right[feature] = threshold
        boxes += [(len(nodes), low, left, levels - 1), (len(nodes) + 1, right, high, levels - 1)]
        nodes += [start.nodes[0].copy(), start.nodes[0].copy()]
    lows, highs = zip((start.low[0], start.high[0]), *cells, strict=True)
    return Router(np.array(nodes, dtype=NODE), np.array(lows), np.array(highs))


def _best_split(trees, candidates, low, high):
    """Split that leaves the smallest sum of ranges, both sides counting half; None if none helps."""
    before = _total_range(trees, low, high)
    best, least = None, _LEAST_CUT * before
    for feature, threshold in candidates:
        if not low[feature] < threshold < high[feature]:
            continue
        left, right = high.copy(), low.copy()
        left[feature] = right[feature] = threshold
        after = (_total_range(trees, low, left) + _total_range(trees, right, high)) / 2
        if after < least:
            best, least = (feature, threshold), after
    return best


def _total_range(trees, low, high):
    least, most = tree_ranges(trees, low, high)
    return float((most - least).sum())


def _candidates(trees):
    """Thresholds at which the router may split: quantiles of those of the features with the widest splits."""
    inner = (trees.nodes["child"] != np.arange(len(trees.nodes))) & (trees.kinds <= MISSING_IS_ZERO)
    feature, threshold = trees.nodes["feature"][inner], trees.nodes["threshold"][inner]
    use = np.bincount(feature, weights=_node_ranges(trees)[inner], minlength=trees.n_features)
    found = []
    for column in np.argsort(-use)[:_FEATURES]:
        mine = np.sort(threshold[feature == column])
        if len(mine):
            places = np.linspace(0, len(mine) - 1, _QUANTILES + 2)[1:-1].astype(int)
            found += [(int(column), float(value)) for value in np.unique(mine[places])]
    return found


def _node_ranges(trees):
    """Range of the leaves below each node, summed over the outputs."""
    least, most = trees.values.copy(), trees.values.copy()
    child = trees.nodes["child"]
    for node in np.flatnonzero(child != np.arange(len(child)))[::-1]:
        pair = slice(child[node], child[node] + 2)
        least[node], most[node] = least[pair].min(axis=0), most[pair].max(axis=0)
    return (most - least).sum(axis=1)


def _suffix_sums(values):
    """Sums over the rows from each one to the last, with a final row of zeros."""
    return np.concatenate([np.cumsum(values[::-1], axis=0)[::-1], np.zeros((1, *values.shape[1:]))])
