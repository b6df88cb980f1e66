"""Certificates against enumeration of all leaves that a row can reach."""

from itertools import product

import numpy as np
import pytest
from boosted_models import fitted, problem
from sklearn.ensemble import GradientBoostingClassifier

from pauca import InstancePrunedBoostingClassifier
from pauca.ensembles import read_boosting
from pauca.ensembles.boosting.bounds import (
    gains_of,
    limits_of,
    remaining,
    router_of,
    tree_ranges,
    whole_space,
)
from pauca.ensembles.boosting.compiled_sums import cell_of


def trees_of(n_classes, n_trees=5, **options):
    X, y = problem(n_classes, 300)
    model = GradientBoostingClassifier(n_estimators=n_trees, max_depth=2, random_state=0, **options)
    return read_boosting(model.fit(X, y)).trees, X.astype(np.float32).astype(float)


def values_of(trees, X):
    """Values that every tree adds, shape (n_trees, n_rows, width), by walking one node at a time."""
    found = np.empty((trees.n_trees, len(X), trees.width))
    for tree, (place, row) in product(range(trees.n_trees), enumerate(X)):
        node = trees.roots[tree]
        while trees.nodes["child"][node] != node:
            entry = trees.nodes[node]
            node = entry["child"] + int(row[entry["feature"]] > entry["threshold"])
        found[tree, place] = trees.values[node]
    return found


def test_limits_are_the_extremes_of_all_combinations_of_leaves():
    trees, _ = trees_of(2)
    limits = limits_of(trees, whole_space(trees))[0]
    leaves = [trees.leaf_values(tree)[:, 0] for tree in range(trees.n_trees)]
    for done in range(trees.n_trees):
        sums = [sum(combination) for combination in product(*leaves[done:])]
        assert limits[done, 0] == pytest.approx(-max(sums), abs=1e-7)
        assert limits[done, 1] == pytest.approx(-min(sums), abs=1e-7)
        assert limits[done, 0] <= -max(sums)
        assert limits[done, 1] >= -min(sums)


def test_gains_are_the_extremes_of_all_combinations_of_leaves():
    trees, _ = trees_of(3, n_trees=2)
    gains, (least, most) = gains_of(trees), remaining(trees)
    n_outputs = len(trees.base)
    for done, (leader, rival) in product(range(3), product(range(n_outputs), repeat=2)):
        rest = range(done * trees.trees_per_round, trees.n_trees)
        mine, theirs = (
            [trees.leaf_values(t)[:, 0] for t in rest if trees.outputs[t] == output]
            for output in (leader, rival)
        )
        best = sum(values.max() for values in theirs) - sum(values.min() for values in mine)
        assert gains[done, leader, rival] == pytest.approx(best if leader != rival else 0, abs=1e-7)
        assert least[done, leader] == pytest.approx(sum(values.min() for values in mine))
        assert most[done, rival] == pytest.approx(sum(values.max() for values in theirs))


@pytest.mark.parametrize("depth", [1, 5])
def test_rows_stay_within_the_ranges_of_their_cell(depth):
    trees, X = trees_of(2, n_trees=30)
    router, values = router_of(trees, depth), values_of(trees, X)
    assert 2 < len(router.low) <= 2**depth + 1
    for row, x in enumerate(X):
        cell = cell_of(router.nodes, x)
        assert ((router.low[cell] < x) & (x <= router.high[cell])).all()
        least, most = tree_ranges(trees, router.low[cell], router.high[cell])
        assert (least <= values[:, row]).all()
        assert (values[:, row] <= most).all()
    whole = limits_of(trees, router)[0]
    assert (np.ptp(limits_of(trees, router), axis=2) <= np.ptp(whole, axis=1) + 1e-9).all()


def test_ranges_of_a_box_are_the_leaves_that_a_grid_reaches():
    trees, _ = trees_of(2, n_trees=3)
    low, high = np.array([-0.5, 0.2, -np.inf, -1.0, -np.inf]), np.array([0.7, 1.5, np.inf, 0.0, np.inf])
    edges = [
        np.unique(np.clip(trees.nodes["threshold"][trees.nodes["feature"] == column], -5, 5))
        for column in range(5)
    ]
    inside = [
        np.array([x for x in np.concatenate([edge, edge + 1e-9, [a + 1e-9, b]]) if a < x <= b and abs(x) < 9])
        for edge, a, b in zip(edges, low, high, strict=True)
    ]
    points = np.array(list(product(*(np.append(x, 0.0 if not len(x) else x[0]) for x in inside))))
    values = values_of(trees, points)[:, :, 0]
    least, most = tree_ranges(trees, low, high)
    np.testing.assert_array_equal(least[:, 0], values.min(axis=1))
    np.testing.assert_array_equal(most[:, 0], values.max(axis=1))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_combination_of_reachable_leaves_changes_a_decided_class(n_classes):
    # Whatever leaves the trees not evaluated have, the class of a decided row stays.
    X, y = problem(n_classes, 300)
    model = GradientBoostingClassifier(n_estimators=6, max_depth=1, random_state=0).fit(X, y)
    ours = InstancePrunedBoostingClassifier(model, router_depth=0)
    labels, queries = ours.predict(X, return_queries=True)
    trees = ours._evaluation.trees
    values = values_of(trees, X.astype(np.float32).astype(float))
    for row in np.flatnonzero(queries < trees.n_trees)[:40]:
        scores = trees.base.copy()
        for tree in range(queries[row]):
            scores[trees.outputs[tree]] += values[tree, row, 0]
        rest = range(queries[row], trees.n_trees)
        for combination in product(*(trees.leaf_values(tree)[:, 0] for tree in rest)):
            final = scores.copy()
            for tree, value in zip(rest, combination, strict=True):
                final[trees.outputs[tree]] += value
            assert (final.argmax() if n_classes > 2 else int(final[0] >= 0)) == labels[row]
        if len(rest) > 9:
            break


@pytest.mark.parametrize("tolerance", [0.01, 0.1])
@pytest.mark.parametrize(("name", "n_classes"), [("histograms", 2), ("histograms", 3), ("adaboost", 3)])
def test_probabilities_lie_within_the_tolerance(name, n_classes, tolerance):
    X, y = problem(n_classes)
    model = fitted(name, n_classes, X[:600], y[:600])
    ours = InstancePrunedBoostingClassifier(model, tolerance=tolerance)
    p, queries = ours.predict_proba(X[600:], return_queries=True)
    assert np.abs(p - model.predict_proba(X[600:])).max() <= tolerance
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert queries.mean() < ours.n_members_
