"""Corrections of leaves by rows left out, against direct computations."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestRegressor

from pauca import PrunedEnsembleRegressor
from pauca.datasets import make_friedman1
from pauca.ensembles.leaf_refinement import left_out
from pauca.ensembles.leaf_refinement.left_out import _best_penalty, corrected
from pauca.ensembles.leaf_refinement.rows import RefinementRows
from pauca.ensembles.members import members_of
from pauca.ensembles.training import out_of_bag


def small_forest(weights=None):
    X, y = make_friedman1(50, random_state=0)
    forest = RandomForestRegressor(12, max_depth=3, random_state=0).fit(X, y)
    known = out_of_bag(forest, 50)
    weights = np.ones(50) if weights is None else weights
    members, rows = members_of(forest), RefinementRows(X, y[:, None], weights, known)
    leaves = [tree.apply(X.astype(np.float32)) for tree in forest.estimators_]
    return members, leaves, [tree.tree_.value[:, :, 0] for tree in forest.estimators_], rows


def by_hand(members, leaves, numbers, rows, penalty):
    """Ridge regression of the errors of out-of-bag averages on the nodes of the trees that count."""
    count = rows.known.sum(axis=0)
    usable = np.flatnonzero((count > 0) & (rows.weights > 0))
    paths = [member.estimator.tree_.decision_path(rows.X.astype(np.float32)).toarray() for member in members]
    design = np.hstack([known[:, None] * path for known, path in zip(rows.known, paths, strict=True)])
    design = design[usable] / count[usable, None]
    total = sum(
        known[:, None] * values[leaf] for known, values, leaf in zip(rows.known, numbers, leaves, strict=True)
    )
    lacking = rows.targets[usable] - total[usable] / count[usable, None]
    root = np.sqrt(rows.weights[usable] / rows.weights[usable].mean())[:, None]
    whole = np.hstack(paths)[usable] / len(members)
    A = root * design
    steps = np.linalg.solve(A.T @ A + penalty(A) * np.eye(A.shape[1]), A.T @ (root * lacking))
    return design, whole, lacking, root, steps


@pytest.mark.parametrize("weighted", [False, True])
def test_corrections_are_a_ridge_regression_of_the_errors_on_rows_left_out(weighted, monkeypatch):
    weights = np.random.default_rng(0).integers(0, 3, 50).astype(float) if weighted else None
    parts = small_forest(weights)
    monkeypatch.setattr(left_out, "_PENALTIES", (0.5,))
    new = corrected(*parts, np.random.RandomState(0))
    *_, steps = by_hand(*parts, lambda A: 0.5 * np.square(A).sum(axis=1).mean())
    members, _, numbers, rows = parts
    paths = [member.estimator.tree_.decision_path(rows.X.astype(np.float32)).toarray() for member in members]
    edges = np.cumsum([path.shape[1] for path in paths])[:-1]
    for path, before, after, own in zip(paths, numbers, new, np.split(steps, edges), strict=True):
        leaf = path.shape[1] - 1 - path[:, ::-1].argmax(axis=1)  # the last node of a path
        np.testing.assert_allclose((after - before)[leaf], path @ own, atol=1e-3)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_penalty_is_that_of_least_error_with_each_row_left_out(weighted, monkeypatch):
    weights = np.random.default_rng(0).integers(1, 4, 50).astype(float) if weighted else None
    parts = small_forest(weights)
    errors, penalties = [], (0.01, 0.1, 1.0, 10.0)
    for penalty in penalties:
        design, whole, lacking, root, _ = by_hand(*parts, lambda A: 1.0)
        A = root * design
        unit, total = np.square(A).sum(axis=1).mean(), 0.0
        for row in range(len(A)):
            rest = np.delete(A, row, axis=0)
            matrix = rest.T @ rest + penalty * unit * np.eye(A.shape[1])
            steps = np.linalg.solve(matrix, rest.T @ np.delete(root * lacking, row, axis=0))
            total += root[row, 0] ** 2 * (lacking[row, 0] - (whole[row] @ steps)[0]) ** 2
        errors.append(total)
    monkeypatch.setattr(left_out, "_PENALTIES", penalties)
    found = _best_penalty(sparse.csr_matrix(A), sparse.csr_matrix(whole), lacking, root[:, 0])
    assert found == pytest.approx(penalties[int(np.argmin(errors))] * unit)
    for each, error in zip(penalties, errors, strict=True):  # every error, not the best alone
        monkeypatch.setattr(left_out, "_PENALTIES", (each, 1e12))
        worst = np.sum(root**2 * lacking**2)
        found = _best_penalty(sparse.csr_matrix(A), sparse.csr_matrix(whole), lacking, root[:, 0])
        assert found == pytest.approx((each if error < worst else 1e12) * unit)


def test_few_rows_left_out_change_nothing():
    members, leaves, numbers, rows = small_forest()
    rng = np.random.RandomState(0)
    assert corrected(members, leaves, numbers, replace(rows, known=None), rng) is numbers
    known = rows.known & (np.arange(50) < 9)
    assert corrected(members, leaves, numbers, replace(rows, known=known), rng) is numbers


def test_corrections_lower_the_error_of_a_fifth(monkeypatch):
    X, y = make_friedman1(1200, random_state=1)
    forest = RandomForestRegressor(60, max_features=0.4, random_state=0).fit(X[:300], y[:300])

    def error():
        few = PrunedEnsembleRegressor(forest, refit=True, random_state=0).fit(X[:300], y[:300])
        return np.mean(np.square(few.predict(X[300:]) - y[300:]))

    corrected_error = error()
    monkeypatch.setattr(left_out, "_FEWEST", 10_000)
    assert corrected_error < 0.97 * error()
